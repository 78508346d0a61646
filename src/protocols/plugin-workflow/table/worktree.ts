import { showJson } from "../../../core/values/json.ts";
import type { RuledNeed, Scope } from "../../../core/table/protocol.ts";

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
