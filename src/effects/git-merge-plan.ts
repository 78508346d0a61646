/** Looks at a worktree before its branch moves: what is in the way, what is there already, what is carried. */
import { lstat, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { DressText, NotDone } from "../ports/worktrees.ts";
import { compareIndex, compareTrees, sameEntry } from "./git-entries.ts";
import type { EntryChange, TreeEntry } from "./git-entries.ts";
import { carryText, type Carried } from "./git-merge-carry.ts";
import type { Repository } from "./git-place.ts";
import { READ_ONLY, succeed } from "./git-run.ts";
import { dirtyTree, wouldOverwrite } from "./git-worktree-refusal.ts";

export interface MovePlan {
  /** Index entries that git must find at the new commit's version already. */
  readonly staged: ReadonlyMap<string, TreeEntry | undefined>;
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
  const changes = await compareTrees(repo, from, to);
  const index = await compareIndex(repo, from);
  const staged = new Map<string, TreeEntry | undefined>();
  const carried: Carried[] = [];
  const dirty: string[] = [];
  for (const file of await changedFiles(repo)) {
    const change = changes.get(file);
    const entry = index.get(file);
    const ours =
      entry === undefined || (change !== undefined && sameEntry(entry.after, change.after));
    const dress = Object.hasOwn(carry, file) ? carry[file] : undefined;
    // A carried file that the move does not touch stays as it is; git leaves it alone.
    if (change === undefined && dress !== undefined && ours) continue;
    if (change !== undefined && ours && (await isThere(repo, file, change.after))) {
      staged.set(file, change.after);
      continue;
    }
    const carriable = change !== undefined && dress !== undefined && ours;
    const text = carriable ? await carryText(repo, { file, change, dress }) : undefined;
    if (text === undefined) dirty.push(file);
    else {
      staged.set(file, change?.after);
      carried.push(text);
    }
  }
  if (dirty.length > 0) return dirtyTree(path, dirty);
  const lost = await inTheWay(repo, [...changes], staged);
  return lost.length > 0 ? wouldOverwrite(path, lost) : { staged, carried };
}

/** Tracked files that differ from HEAD, in the index or on the disk. Submodules look after themselves. */
async function changedFiles(repo: Repository): Promise<readonly string[]> {
  const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=no"];
  args.push("--ignore-submodules=all");
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  return out
    .split("\0")
    .slice(0, -1)
    .map((line) => line.slice(3));
}

/** New files where something untracked lies; git would silently replace one that is ignored. */
async function inTheWay(
  repo: Repository,
  changes: readonly (readonly [string, EntryChange])[],
  staged: Map<string, TreeEntry | undefined>,
): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [file, { before, after }] of changes) {
    if (before !== undefined || after === undefined || staged.has(file)) continue;
    const stats = await lstat(join(repo.top, file)).catch(() => undefined);
    if (stats === undefined || (stats.isDirectory() && after.mode === "160000")) continue;
    if (await isThere(repo, file, after)) staged.set(file, after);
    else lost.push(file);
  }
  return lost;
}

/** Whether the file on the disk is what an entry would check out. */
async function isThere(
  repo: Repository,
  file: string,
  entry: TreeEntry | undefined,
): Promise<boolean> {
  const place = join(repo.top, file);
  const stats = await lstat(place).catch(() => undefined);
  if (stats === undefined || entry === undefined) return stats === undefined && entry === undefined;
  if (stats.isSymbolicLink()) {
    if (entry.mode !== "120000") return false;
    const input = await readlink(place, { encoding: "buffer" });
    const args = ["hash-object", "--no-filters", "--stdin"];
    return (await succeed(repo.run(args, { cwd: repo.top, input }))).trim() === entry.oid;
  }
  if (!stats.isFile() || !entry.mode.startsWith("100")) return false;
  const executable = (stats.mode & 0o100) !== 0;
  if (executable !== (entry.mode === "100755")) return false;
  const args = ["hash-object", "--", file];
  return (await succeed(repo.run(args, { cwd: repo.top }))).trim() === entry.oid;
}
