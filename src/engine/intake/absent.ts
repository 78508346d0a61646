import { readMeasured, tellPaths } from "../../core/values/measured.ts";
import type { Change } from "../../core/values/measured.ts";
import type { Refusal } from "../../core/decide/answer.ts";
import { remedy } from "../../core/table/remedy.ts";
import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import type { Parts } from "../parts.ts";

/**
 * All worktrees of a repository share one journal, but each has its own files. In a worktree that lacks the work
 * of a step, its state files must not say that the step is done. So this refuses if files here are still as they were
 * before the work was sent out.
 */
export async function absentWork(
  { workspace }: Pick<Parts, "workspace">,
  family: Family,
  state: Workflow,
): Promise<Refusal | undefined> {
  const last = Object.values(state.dispatches)
    .filter((one) => one.status === "ended" && one.outcome !== "cancelled")
    .filter((one) => family.checks.at(state, one.unit) === "")
    .at(-1);
  const measured = readMeasured(last?.measured);
  if (last === undefined || typeof measured !== "object") return undefined;
  const absent: string[] = [];
  for (const [path, change] of Object.entries(measured.files))
    if (await isAsBefore(workspace, path, change)) absent.push(path);
  if (absent.length === 0) return undefined;
  return {
    code: "work-not-here",
    message: `what ${last.role} did in ${last.id} is not in this worktree: ${tellPaths(absent)}`,
    fix: remedy(
      "reconcile",
      { workflow: state.id, restore: true, reason: "..." },
      "Work in the worktree that has it, or bring its commit here (git merge); a person who knows better says so",
    ),
    rule: "core",
  };
}

async function isAsBefore(
  workspace: Parts["workspace"],
  path: string,
  [before, now]: Change,
): Promise<boolean> {
  const digest = await workspace.digest(path);
  if (before === null)
    return now !== null && digest === undefined && (await isAbsent(workspace, path));
  return (
    digest !== undefined && before !== now && before.endsWith(` ${digest.replace(/^sha256:/, "")}`)
  );
}

async function isAbsent(workspace: Parts["workspace"], path: string): Promise<boolean> {
  return (await workspace.read(path)).kind === "absent";
}
