import type { Workflow } from "../../core/state/state.ts";
import { REPOSITORY } from "../../core/state/policy.ts";
import { object, text } from "../../core/values/json-read.ts";
import { remedy } from "../../core/table/remedy.ts";
import { defineFamily } from "../../family/define.ts";
import type { Description, Family } from "../../ports/family.ts";
import { repositoryProtocol } from "./table/protocol.ts";

/**
 * The repository itself as a workflow: which policy was accepted, and by whom. It has no files and never ends.
 */
export const repositoryFamily: Family = defineFamily(repositoryProtocol, {
  names: {
    standing: REPOSITORY,
    check: (id) =>
      id === REPOSITORY
        ? undefined
        : {
            code: "name-illegal",
            message: `A repository is one workflow, and it is called ${REPOSITORY}`,
            fix: remedy("policy", {}, "See what it has agreed on"),
            rule: "core",
          },
  },
  adopt: { discover: async () => [] },
  verify: { judge: async () => [] },
  watch: () => [],
  words: { describe, commands: {} },
});

function describe({ vars }: Workflow): Description {
  const strength = text(object(object(vars["accepted"])["policy"])["strength"]) || "word";
  return {
    headline: `Releases need: ${strength}`,
    state: "standing",
    details: [],
    finished: false,
  };
}
