import { showJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import { remedy } from "../../../core/table/remedy.ts";
import { variable } from "../../../core/guards/guards.ts";
import { isUnknown } from "../../../core/values/unknown.ts";
import { changeKey, goneIn, readMeasured } from "../../../core/values/measured.ts";
import type { RuledNeed, Scope } from "../../../core/table/protocol.ts";
import { FINISHED } from "./rows.ts";

/** The worktree that the work is in. All worktrees share one journal, but each has its own files. */
export const MAIN = ".";

export const sameWorktree: RuledNeed = {
  guard: "same-worktree",
  code: "work-elsewhere",
  fix: "Bring the work there, and report it there.",
  rule: "PW-096",
};

/**
 * Work must be reported in the worktree it was sent out in. In another one, the state would claim files that are
 * missing.
 */
export function guardSameWorktree(scope: Scope): string | undefined {
  const key = `worktree:${scope.workflow.id}`;
  const there = scope.before.dispatches[scope.dispatch ?? ""]?.baseline[key];
  const here = scope.fact(key);
  if (there === undefined || here === undefined || there === here) return undefined;
  const main = scope.fact(`main-worktree:${scope.workflow.id}`);
  if (main === undefined) return undefined;
  const at = showJson(there === MAIN ? main : there);
  return `the work was handed out in the worktree ${at}, and this is another one`;
}

/** The commits of earlier checkpoints are still there, because people must be able to go back to them. */
export const sameHistory: RuledNeed = {
  guard: "same-history",
  when: [FINISHED, variable("rewritten", [false, null])],
  code: "history-changed",
  fix: remedy(
    "answer",
    { workflow: "{id}" },
    "Bring the commits or the branch back, or let a person say that it is meant",
  ),
  rule: "PW-099",
  ask: "history-changed",
};

export function guardSameHistory(scope: Scope): string | undefined {
  const measured = readMeasured(scope.fact(changeKey(scope.dispatch ?? "")));
  const gone = typeof measured === "object" ? goneIn(measured) : [];
  const key = `branch:${scope.workflow.id}`;
  const there = scope.before.dispatches[scope.dispatch ?? ""]?.baseline[key];
  const here = scope.fact(key);
  // Where git names no branch now, nothing is committed.
  const isOther = there !== undefined && typeof here === "string" && there !== here;
  const told = [
    ...gone.map((oid) => `commit ${oid} is no longer in what is checked out`),
    ...(isOther
      ? [`the work was handed out on ${nameOf(there)}, and ${nameOf(here)} is checked out`]
      : []),
  ];
  return told.length === 0 ? undefined : told.join("; ");
}

function nameOf(branch: Json): string {
  if (isUnknown(branch)) return "a branch that git did not tell";
  return branch === null ? "no branch" : showJson(branch);
}
