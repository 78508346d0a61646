/**
 * Takes a worktree away without losing anything. Every step may be repeated, from any point a crash left
 * it at:
 *
 *   S  save what is uncommitted or unmerged to a named ref
 *   M  move the directory aside: from here on nobody can write into it by its name
 *   S  save again what was written meanwhile
 *   E  drop git's entry, which no longer has a directory: this one only
 *   D  delete what was moved aside
 *   B  save the branch's commits, and delete it from exactly where it stood
 *
 * E never comes before the second S, so a directory aside without an entry is known to be saved.
 */
import { chmod, lstat, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Done, NotDone, RemoveWorktree, WorktreeRemoved } from "../../../ports/worktrees.ts";
import { errorCode } from "../../store/durable.ts";
import { readCommit } from "../place/head.ts";
import { exists, type Entry, type Repository } from "../place/place.ts";
import { GitFailure } from "../run/run.ts";
import { gitDirOf, listEntries, openWorktree, placeOf } from "./list.ts";
import { shownPath } from "./list.ts";
import { isOurs, unlockEntry } from "./lock.ts";
import * as say from "./refusal.ts";
import { saveLoose, saveWorktree } from "./salvage.ts";

export async function removeWorktree(
  home: Repository,
  plan: RemoveWorktree,
): Promise<Done<WorktreeRemoved>> {
  const place = await placeOf(home, plan.path);
  if (place === home.top) return say.isMain();
  const aside = join(dirname(place), `.${basename(place)}.holdpoint-removing`);
  const saved = new Set<string>();
  const entry = (await listEntries(home)).find((one) => one.place === place);
  const there = entry !== undefined || exists(aside);
  if (entry !== undefined) {
    const refusal =
      checkEntry(plan, entry) ?? (await takeAway(home, { plan, entry, aside, saved }));
    if (refusal !== undefined) return refusal;
  } else if (exists(place) && !(await removeEmpty(place))) {
    return say.notAWorktree(plan.path);
  }
  home.onStep("worktree.delete");
  await deleteAside(home, aside);
  const branch = await deleteBranch(home, plan, saved);
  if (typeof branch !== "string") return branch;
  return { kind: "done", removed: there, saved: [...saved].toSorted(), branch };
}

function checkEntry({ path, branch, recorded }: RemoveWorktree, entry: Entry): NotDone | undefined {
  if (entry.locked !== undefined && !isOurs(entry.locked)) {
    return say.lockedByOthers(path, entry.locked);
  }
  if (recorded || entry.ref === `refs/heads/${branch}`) return undefined;
  return say.worktreeForeign(path, entry.ref?.replace(/^refs\/heads\//, ""));
}

interface Taking {
  readonly plan: RemoveWorktree;
  readonly entry: Entry;
  readonly aside: string;
  readonly saved: Set<string>;
}

async function takeAway(
  home: Repository,
  { plan, entry, aside, saved }: Taking,
): Promise<NotDone | undefined> {
  const { place } = entry;
  const gitDir = await gitDirOf(home, place);
  if (gitDir === undefined) return say.notAWorktree(plan.path);
  const save = async (top?: string): Promise<void> => {
    const repo = openWorktree(home, gitDir, top);
    const ref = await saveWorktree(repo, { ...plan, moved: top === aside });
    if (ref !== undefined) saved.add(ref);
  };
  home.onStep("worktree.save");
  if (exists(aside)) {
    if (!(await lstat(aside)).isDirectory()) {
      return say.busy(shownPath(home, aside), "something else has that name");
    }
    await save(aside);
    if (exists(place)) await deleteAside(home, aside);
  }
  if (exists(place)) {
    await save(place);
    home.onStep("worktree.aside");
    await moveAside(plan.path, place, aside);
    home.onStep("worktree.save-again");
    await save(aside);
  } else if (!exists(aside)) await save();
  if (entry.locked !== undefined) await unlockEntry(home, place);
  home.onStep("worktree.remove");
  const answer = await home.run(["worktree", "remove", "--", place], { cwd: home.top });
  const gone = (await gitDirOf(home, place)) === undefined;
  if (answer.code !== 0 && !gone) throw new GitFailure(answer);
  return undefined;
}

async function moveAside(path: string, place: string, aside: string): Promise<void> {
  try {
    await rename(place, aside);
  } catch (error) {
    throw new say.WorktreeRefused(say.busy(path, errorCode(error) ?? String(error)));
  }
}

async function deleteAside(home: Repository, aside: string): Promise<void> {
  try {
    await rm(aside, { recursive: true, force: true });
  } catch {
    try {
      // Tools leave read-only directories behind, in which even the owner cannot delete.
      await makeWritable(aside);
      await rm(aside, { recursive: true, force: true });
    } catch (error) {
      const why = errorCode(error) ?? String(error);
      throw new say.WorktreeRefused(say.busy(shownPath(home, aside), why));
    }
  }
}

async function makeWritable(directory: string): Promise<void> {
  if (!(await lstat(directory)).isDirectory()) return;
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) await makeWritable(join(directory, entry.name));
  }
}

async function deleteBranch(
  home: Repository,
  plan: RemoveWorktree,
  saved: Set<string>,
): Promise<WorktreeRemoved["branch"] | NotDone> {
  const ref = `refs/heads/${plan.branch}`;
  for (let tried = 0; tried < DELETE_TRIES_MAX; tried += 1) {
    const tip = await readCommit(home, ref);
    if (tip === undefined) return "absent";
    if (!plan.recorded) return "kept";
    const holders = (await listEntries(home)).filter((one) => one.ref === ref);
    if (holders.length > 0) {
      return say.checkedOut(
        plan.branch,
        holders.map((one) => shownPath(home, one.place)),
      );
    }
    const kept = await saveLoose(home, [tip], plan);
    if (kept !== undefined) saved.add(kept);
    home.onStep("worktree.branch-delete");
    // If it is a symbolic reference, only the reference is deleted, never the branch it points to.
    const args = ["update-ref", "--no-deref", "-d", ref, tip];
    const answer = await home.run(args, { cwd: home.top });
    if (answer.code === 0) return "deleted";
    if ((await readCommit(home, ref)) === tip) throw new GitFailure(answer);
  }
  return say.movedTooOften(plan.branch, DELETE_TRIES_MAX);
}

async function removeEmpty(place: string): Promise<boolean> {
  try {
    await rmdir(place);
    return true;
  } catch {
    return false;
  }
}

const DELETE_TRIES_MAX = 8;
