/** Fast-forwards one branch to one exact commit, and nothing else. */
import type { BranchMoved, Done, FastForward, NotDone } from "../../../ports/worktrees.ts";
import { isFull } from "../run/fixed.ts";
import { readCommit } from "../place/head.ts";
import { moveBranch } from "./move.ts";
import type { Repository } from "../place/place.ts";
import * as say from "../worktree/refusal.ts";
import { isIn } from "../worktree/salvage.ts";

export async function fastForward(
  home: Repository,
  { into, from, expected, path, carry }: FastForward,
): Promise<Done<BranchMoved>> {
  const tip = await readTip(home, { into, from, expected });
  if (typeof tip !== "string") return tip;
  // Already done, perhaps with newer commits on top.
  if (await isIn(home, from, tip)) return { kind: "done", commit: from, moved: false };
  if (tip !== expected) return say.branchMoved(into, expected, tip);
  if (!(await isIn(home, expected, from))) return say.notForward(into, from);
  const note = `merge ${from.slice(0, 12)}: fast-forward`;
  return await moveBranch(home, { branch: into, from: expected, to: from, note, path, carry });
}

/** Moves back from `from` to `expected`, unless somebody has built on it. */
export async function takeBack(
  home: Repository,
  { into, from, expected, path, carry }: FastForward,
): Promise<Done<BranchMoved>> {
  const tip = await readTip(home, { into, from, expected });
  if (typeof tip !== "string") return tip;
  if (tip === expected) return { kind: "done", commit: expected, moved: false };
  if (tip !== from) return say.branchMoved(into, from, tip);
  if (!(await isIn(home, expected, from))) return say.notForward(into, from);
  const note = `take back ${from.slice(0, 12)}`;
  return await moveBranch(home, { branch: into, from, to: expected, note, path, carry });
}

async function readTip(
  home: Repository,
  { into, from, expected }: Pick<FastForward, "into" | "from" | "expected">,
): Promise<string | NotDone> {
  for (const oid of [from, expected]) {
    if (!(await isCommit(home, oid))) return say.notACommit(oid);
  }
  return (await readCommit(home, `refs/heads/${into}`)) ?? say.noBranch(into);
}

/** Requires the full id, because a name may mean another commit tomorrow. */
async function isCommit(home: Repository, oid: string): Promise<boolean> {
  return isFull(home, oid) && (await readCommit(home, oid)) === oid;
}
