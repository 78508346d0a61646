import { fields, list } from "../core/table/shape.ts";
import type { Fields, Shape } from "../core/table/shape.ts";
import type { Family } from "../ports/family.ts";

/**
 * The shape of a family's capabilities. Without this check, a misspelt one would silently leave its default in
 * place.
 */

const ANY: Shape = { is: "any" };
const CODE: Shape = { is: "code" };

type Part =
  | "names"
  | "starting"
  | "work"
  | "checks"
  | "edits"
  | "adopt"
  | "verify"
  | "audit"
  | "attest"
  | "words"
  | "roots";

const PARTS: { readonly [P in Part]: Readonly<Record<keyof Family[P], Shape>> } = {
  names: { check: CODE, make: CODE, standing: ANY },
  starting: { options: ANY, vars: CODE, settings: CODE },
  work: { order: CODE, read: CODE, deliver: CODE, claimOfFiles: CODE, unneeded: CODE },
  checks: { own: CODE, at: CODE },
  edits: { commands: CODE, unshown: ANY },
  adopt: { discover: CODE, read: CODE },
  verify: { judge: CODE, headings: ANY, ended: CODE },
  audit: { compliance: CODE, keepsRefusals: ANY },
  attest: { listed: CODE, finding: CODE, waivable: CODE },
  words: {
    describe: CODE,
    brief: CODE,
    gate: CODE,
    pace: CODE,
    aliases: ANY,
    remarks: CODE,
    called: ANY,
    agents: ANY,
    commands: ANY,
  },
  roots: { marks: ANY, worktrees: CODE, settings: ANY, files: ANY },
};

export const CAPABILITIES: Fields = fields(
  "a family",
  {},
  {
    ...Object.fromEntries(
      Object.entries(PARTS).map(([name, members]) => [name, fields(`"${name}"`, {}, members)]),
    ),
    views: list(CODE),
    looks: { is: "named", of: CODE },
    effects: {
      is: "named",
      of: fields("the adapter of an effect", { perform: CODE }, { removes: CODE }),
    },
    watch: CODE,
    choice: CODE,
  },
);

/** The members that a family made by `defineFamily` always has. */
export const MEMBERS: readonly string[] = Object.keys(CAPABILITIES.optional);
