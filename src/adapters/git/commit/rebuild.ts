/** Moves a savepoint onto a branch that has moved since it was prepared. */
import { isUtf8 } from "node:buffer";
import type { MergeView, Savepoint } from "../../../ports/git.ts";
import { compareTrees, sameEntry, type EntryChanges, type TreeEntry } from "../index/entries.ts";
import type { Repository } from "../place/place.ts";
import { setEntries, withPrivateIndex, writeTree } from "../index/private-index.ts";
import { savepointConflict, type Refusal } from "../refusal.ts";
import { READ_ONLY, succeed, succeedBytes } from "../run/run.ts";

export interface Rebuilt {
  readonly tree: string;
  /** What the commit changes on the branch as it is now. */
  readonly changes: EntryChanges;
}

export interface Rebuild {
  readonly wanted: Savepoint;
  readonly ours: EntryChanges;
  readonly merge: MergeView | undefined;
}

/**
 * The savepoint's tree on `tip`: its own if the branch has not moved, else its paths put into the tree of `tip`.
 */
export async function rebuildOn(
  repo: Repository,
  tip: string,
  { wanted, ours, merge }: Rebuild,
): Promise<Rebuilt | Refusal> {
  if (tip === wanted.base) return { tree: wanted.tree, changes: ours };
  repo.onStep("git.rebuild");
  const theirs = await compareTrees(repo, wanted.base, tip);
  const changes = new Map(ours);
  const clash: string[] = [];
  for (const [path, { after }] of ours) {
    const moved = theirs.get(path);
    if (moved === undefined) continue;
    const same = sameEntry(moved.after, after);
    const merged = same
      ? after
      : await mergeEntry(repo, { path, theirs: moved.after, ours: after, merge });
    if (same || merged !== undefined) changes.set(path, { before: moved.after, after: merged });
    else clash.push(path);
  }
  if (clash.length > 0) return savepointConflict(clash);
  const tree = await withPrivateIndex(repo, tip, async (index) => {
    await setEntries(index, new Map([...changes].map(([path, { after }]) => [path, after])));
    return await writeTree(index);
  });
  // If they now have a file where we have a directory, the file would silently disappear.
  const touched = await compareTrees(repo, tip, tree);
  const foreign = [...touched.keys()].filter((path) => !ours.has(path));
  return foreign.length > 0 ? savepointConflict(foreign) : { tree, changes };
}

interface Merge {
  readonly path: string;
  readonly theirs: TreeEntry | undefined;
  readonly ours: TreeEntry | undefined;
  readonly merge: MergeView | undefined;
}

/** In a file shared by many workflows, our part is put into their version. Any other file is a conflict. */
async function mergeEntry(
  repo: Repository,
  { path, theirs, ours, merge }: Merge,
): Promise<TreeEntry | undefined> {
  if (merge === undefined || !isFile(theirs) || !isFile(ours)) return undefined;
  const [theirText, ourText] = [await readText(repo, theirs), await readText(repo, ours)];
  const text =
    theirText === undefined || ourText === undefined ? undefined : merge(path, theirText, ourText);
  if (text === undefined) return undefined;
  // Both texts come from the repository, so its filters have already been applied.
  const args = ["hash-object", "-w", "--stdin", "--no-filters"];
  const oid = (await succeed(repo.run(args, { cwd: repo.top, input: text }))).trim();
  return { mode: theirs.mode, oid };
}

function isFile(entry: TreeEntry | undefined): entry is TreeEntry {
  return entry?.mode.startsWith("100") === true;
}

async function readText(repo: Repository, { oid }: TreeEntry): Promise<string | undefined> {
  const args = ["cat-file", "blob", oid];
  const bytes = await succeedBytes(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  return isUtf8(bytes) ? bytes.toString("utf8") : undefined;
}
