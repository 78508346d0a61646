import { describe, expect, test } from "vitest";
import { TASK } from "../../../../test/fixtures/task-protocol/world.ts";
import { emptyWorkflow } from "../../../core/state/evolve.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import { fixesIn, readFixes } from "./fixes.ts";
import type { TaskPlaces } from "./places.ts";

function effect(kind: string, detail: JsonObject): Effect {
  return { id: "", kind, args: {}, unit: ".", status: "done", detail, asks: null, undo: null };
}

function validating(effects: readonly Effect[] = [], at = "VALIDATION"): Workflow {
  const empty = emptyWorkflow(TASK);
  const root = { id: ".", kind: "task", at, back: [], data: {}, entered: {} } as const;
  return {
    ...empty,
    vars: { main: "main", validated: "v" },
    units: { ".": root },
    effects: Object.fromEntries(effects.map((one, index) => [`E-${index + 1}`, one])),
  };
}

/** Commits by the base they are ahead of, and which of the bases the branch has. */
function ports(
  ahead: Readonly<Record<string, readonly string[]>>,
  has: readonly string[] = Object.keys(ahead),
): Pick<TaskPlaces, "ahead" | "contains"> {
  return {
    contains: async (_, commit) => has.includes(commit),
    ahead: async (_, base) => ({
      commits: (ahead[base] ?? []).map((subject, index) => ({
        sha: `${subject} ${index}`,
        subject,
      })),
      files: [],
      since: undefined,
      entries: {},
    }),
  };
}

describe("fixes in VALIDATION", () => {
  test("[TP-167] a subject counts once, however often it comes; outside of VALIDATION there are none", async () => {
    const same = Array.from({ length: 50 }, () => "Remove an unused import");
    const branch = ports({ v: [...same, "Sort members"], main: [...same, "Sort members"] });
    const found = ["Remove an unused import", "Sort members"];
    expect(await readFixes(branch, validating())).toEqual(found);
    expect(await readFixes(branch, validating([], "REVIEW"))).toEqual([]);
    expect(await fixesIn(branch, validating([], "REVIEW"))).toEqual({});
    expect(await fixesIn(branch, validating())).toEqual({ since: "v", fixes: found });
  });

  test("[TP-167] what agents brought, and what main got, is no fix of the coordinator's", async () => {
    const merged = effect("merge-ff", { commits: [{ subject: "[quality] words" }] });
    const branch = ports({ v: ["[quality] words", "of main", "Sort"], main: ["", "", "Sort"] });
    expect(await readFixes(branch, validating([merged]))).toEqual(["Sort"]);
  });

  test("[TP-167] commits that became one are still counted, until they are taken off the branch", async () => {
    const squashes = [
      effect("squash", { oid: "zero", since: "before", fixes: ["long ago"] }),
      effect("squash", { oid: "one", since: "v", fixes: ["first"] }),
      effect("squash", { oid: "two", since: "v", fixes: ["first", "second"] }),
    ];
    const ahead = { two: ["third"], v: ["other"], main: ["third", "other"] };
    const state = validating(squashes);
    expect(await readFixes(ports(ahead), state)).toEqual(["first", "second", "third"]);
    const main = { ...ahead, main: ["other"] };
    expect(await readFixes(ports(main, ["v"]), state)).toEqual(["other"]);
  });
});
