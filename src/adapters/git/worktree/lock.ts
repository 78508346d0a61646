/** Git's own lock on a worktree, which keeps `git worktree prune` away and says whose it is. */
import type { Done, WorktreePath } from "../../../ports/worktrees.ts";
import type { Repository } from "../place/place.ts";
import { GitFailure } from "../run/run.ts";
import { listEntries, placeOf } from "./list.ts";
import { isMain, lockedByOthers, notAWorktree } from "./refusal.ts";

export async function lockWorktree(
  home: Repository,
  { path, reason }: WorktreePath & { readonly reason: string },
): Promise<Done> {
  const place = await placeOf(home, path);
  if (place === home.top) return isMain();
  const entry = (await listEntries(home)).find((one) => one.place === place);
  if (entry === undefined) return notAWorktree(path);
  if (entry.locked === undefined) await lockEntry(home, place, reason);
  else if (!isOurs(entry.locked)) return lockedByOthers(path, entry.locked);
  return { kind: "done" };
}

export async function unlockWorktree(home: Repository, { path }: WorktreePath): Promise<Done> {
  const place = await placeOf(home, path);
  const entry = (await listEntries(home)).find((one) => one.place === place);
  if (entry?.locked === undefined) return { kind: "done" };
  if (!isOurs(entry.locked)) return lockedByOthers(path, entry.locked);
  await unlockEntry(home, place);
  return { kind: "done" };
}

export async function lockEntry(home: Repository, place: string, reason: string): Promise<void> {
  home.onStep("worktree.lock");
  const plain = reason.replaceAll(/\s+/g, " ").trim();
  const line = plain.startsWith(PREFIX) ? plain : `${PREFIX}${plain}`;
  const args = ["worktree", "lock", "--reason", line, "--", place];
  const answer = await home.run(args, { cwd: home.top });
  if (answer.code !== 0 && !/already locked/.test(answer.stderr)) throw new GitFailure(answer);
}

export async function unlockEntry(home: Repository, place: string): Promise<void> {
  home.onStep("worktree.unlock");
  const answer = await home.run(["worktree", "unlock", "--", place], { cwd: home.top });
  if (answer.code !== 0 && !/is not locked/.test(answer.stderr)) throw new GitFailure(answer);
}

/** Our lock, or the one git holds while creating a worktree. */
export function isOurs(reason: string): boolean {
  return reason.startsWith(PREFIX) || reason === "initializing";
}

const PREFIX = "holdpoint: ";
