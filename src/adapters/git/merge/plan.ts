/**
 * Examines a worktree before its branch moves: what is in the way, what is already there, what must be carried.
 */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import type { DressText, NotDone } from "../../../ports/worktrees.ts";
import { compareIndex, compareTrees, sameEntry } from "../index/entries.ts";
import type { EntryChange, EntryChanges, TreeEntry } from "../index/entries.ts";
import { readDifferences } from "../compare/differ.ts";
import { readDisk } from "../compare/disk.ts";
import { compareWithDisk } from "../compare/same.ts";
import { isSubmodule, withoutSparse } from "../worktree/dirty.ts";
import { carryText, type Carried } from "./carry.ts";
import type { Repository } from "../place/place.ts";
import { dirtyTree, wouldOverwrite } from "../worktree/refusal.ts";

export interface MovePlan {
  /** Index entries set to the new commit's version, so that git finds nothing to do there. */
  readonly staged: EntryChanges;
  readonly carried: readonly Carried[];
}

interface Wanted {
  readonly from: string;
  readonly to: string;
  readonly carry?: Readonly<Record<string, DressText>> | undefined;
}

export async function planMove(
  repo: Repository,
  path: string,
  { from, to, carry = {} }: Wanted,
): Promise<MovePlan | NotDone> {
  // A file that was only touched: without a refresh, read-tree would take its new time for a change.
  await repo.run(["update-index", "-q", "--refresh"], { cwd: repo.top });
  const changes = await compareTrees(repo, from, to);
  const index = await compareIndex(repo, from);
  const inIndex = [...index].filter(([, change]) => !isSubmodule(change)).map(([file]) => file);
  const dirtied = new Set([...(await changedFiles(repo, from)), ...inIndex]);
  const staged = new Map<string, EntryChange>();
  const carried: Carried[] = [];
  const dirty: string[] = [];
  // Carried files too, even if clean: somebody may write to one before git overwrites it.
  const shared = Object.keys(carry).filter((file) => changes.has(file));
  for (const file of new Set([...dirtied, ...shared])) {
    const change = changes.get(file);
    const dress = Object.hasOwn(carry, file) ? carry[file] : undefined;
    const found = await judge(repo, { file, change, entry: index.get(file), dress, to });
    if (found === "dirty" && dirtied.has(file)) dirty.push(file);
    if (change === undefined || found === "dirty") continue;
    staged.set(file, change);
    if (found !== "there") carried.push(found);
  }
  if (dirty.length > 0) return dirtyTree(path, dirty);
  const lost = await inTheWay(repo, to, { changes, staged });
  return lost.length > 0 ? wouldOverwrite(path, lost) : { staged, carried };
}

interface Judged {
  readonly file: string;
  readonly change: EntryChange | undefined;
  /** What is staged of it. */
  readonly entry: EntryChange | undefined;
  readonly dress: DressText | undefined;
  readonly to: string;
}

async function judge(
  repo: Repository,
  { file, change, entry, dress, to }: Judged,
): Promise<"dirty" | "there" | Carried> {
  const isStaged = entry !== undefined && sameEntry(entry.after, change?.after);
  if (entry !== undefined && !isStaged) return "dirty";
  // The move does not touch this carried file, and git leaves it alone.
  if (change === undefined) return dress === undefined ? "dirty" : "there";
  // A carried text is written before it is staged, so an earlier attempt has done both.
  if (isStaged && dress !== undefined) return "there";
  if (await isThere(repo, file, { commit: to, entry: change.after })) return "there";
  return (dress && (await carryText(repo, { file, change, dress }))) ?? "dirty";
}

/** Tracked files that differ from the commit, by their bytes. Submodules are left out. */
async function changedFiles(repo: Repository, commit: string): Promise<readonly string[]> {
  const found = await readDifferences(repo, { commit, tracked: true });
  const own = await withoutSparse(repo, found);
  // Different line ends alone are not a change.
  return own.filter(({ kind }) => kind !== "line-ends").map(({ path }) => path);
}

/** New files at a path where an untracked file is: git would silently replace an ignored one. */
async function inTheWay(
  repo: Repository,
  to: string,
  {
    changes,
    staged,
  }: { readonly changes: EntryChanges; readonly staged: Map<string, EntryChange> },
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [file, change] of changes) {
    const { before, after } = change;
    if (before !== undefined || after === undefined || staged.has(file)) continue;
    const stats = await lstat(join(repo.top, file)).catch(() => undefined);
    if (stats === undefined || (stats.isDirectory() && after.mode === "160000")) continue;
    if (await isThere(repo, file, { commit: to, entry: after })) staged.set(file, change);
    else lost.push(file);
  }
  return lost;
}

/** Whether the file on disk is what this entry would be checked out as. */
async function isThere(
  repo: Repository,
  file: string,
  { commit, entry }: { readonly commit: string; readonly entry: TreeEntry | undefined },
): Promise<boolean> {
  const [disk] = await readDisk(repo, [{ path: file }]);
  const [same] = await compareWithDisk(repo, commit, [{ path: file, entry, disk }]);
  return same !== "other";
}
