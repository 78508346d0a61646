/** Entries of trees and indexes: read as differences, written as lists. Always with `-z`. */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { ProblemError } from "../../../ports/problem.ts";
import { askOnce, isFull, remember } from "../run/fixed.ts";
import type { Repository } from "../place/place.ts";
import { READ_ONLY, succeed, type RunGit, type RunOptions } from "../run/run.ts";

/** The entry at a path; `undefined` if there is none. */
export interface TreeEntry {
  readonly mode: string;
  readonly oid: string;
}

export interface EntryChange {
  readonly before: TreeEntry | undefined;
  readonly after: TreeEntry | undefined;
}

export type EntryChanges = ReadonlyMap<string, EntryChange>;

/** Every path at which two trees differ. An empty string stands for "no commit yet". */
export async function compareTrees(
  repo: Repository,
  before: string,
  after: string,
): Promise<EntryChanges> {
  const trees = [before || repo.emptyTree, after || repo.emptyTree];
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames"];
  const ask = async (): Promise<EntryChanges> =>
    parseRaw(await succeed(repo.run([...args, ...trees], { cwd: repo.top, env: READ_ONLY })));
  return trees.every((tree) => isFull(repo, tree)) ? askOnce(repo, trees.join(" "), ask) : ask();
}

/** Stores a difference that was found in another way, so that git is not asked again. */
export function rememberTrees(
  repo: Repository,
  trees: readonly [string, string],
  changes: EntryChanges,
): void {
  remember(repo, trees.map((tree) => tree || repo.emptyTree).join(" "), changes);
}

/** Every path at which the user's index differs from a tree: what is staged. */
export async function compareIndex(repo: Repository, tree: string): Promise<EntryChanges> {
  return (await readStaged(repo, tree)).changes;
}

export interface Staged {
  readonly changes: EntryChanges;
  /** Whether there are unresolved conflicts. */
  readonly isUnmerged: boolean;
}

/**
 * What the user has staged. Asked again only if the index was written since; git always replaces the whole file.
 */
export async function readStaged(repo: Repository, tree: string): Promise<Staged> {
  const keep = keepStaged(repo, tree);
  const known = lastStaged.get(repo.run);
  if (known !== undefined && known.key === keep.key) return known.staged;
  const args = diffIndexArgs(repo, tree);
  return keep.keep(await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY })));
}

/**
 * Stores the answer to `diffIndexArgs`. Call it before asking git, so that the answer is never newer than its
 * stamp.
 */
export function keepStaged(
  repo: Repository,
  tree: string,
): { readonly key: string; readonly keep: (out: string) => Staged } {
  const key = `${repo.gitDir} ${tree} ${stampOf(join(repo.gitDir, "index"))}`;
  const keep = (out: string): Staged => {
    const heads = out.split("\0").filter((_, at) => at % 2 === 0);
    const isUnmerged = heads.some((head) => head.endsWith(" U"));
    const staged = { changes: parseRaw(out), isUnmerged };
    lastStaged.set(repo.run, { key, staged });
    return staged;
  };
  return { key, keep };
}

/**
 * Every path at which a private index differs from a tree. The same as comparing with the tree that it will be
 * written as.
 */
export async function comparePrivate(
  repo: Repository,
  tree: string,
  env: NonNullable<RunOptions["env"]>,
): Promise<EntryChanges> {
  const options = { cwd: repo.top, env: { ...READ_ONLY, ...env } };
  return parseRaw(await succeed(repo.run(diffIndexArgs(repo, tree), options)));
}

export function diffIndexArgs(repo: Repository, tree: string): readonly string[] {
  const args = ["diff-index", "--cached", "-z", "--raw", "--no-abbrev", "--no-renames"];
  // `git add -N` stages a name without content. Without this option it looks like a staged empty file.
  return [...args, "--ita-invisible-in-index", "--ignore-submodules=none", tree || repo.emptyTree];
}

/** Changes whenever git writes the file, because git replaces it as a whole. */
export function stampOf(file: string): string {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return "none";
  // Git would block on a pipe.
  if (!stats.isFile() && !stats.isSymbolicLink())
    throw new ProblemError({
      code: "git-unusable",
      message: `Cannot read git's index: ${file} is not a file.`,
      fix: "Remove it and run `git reset`, then try again.",
    });
  return [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ");
}

export function sameEntry(a: TreeEntry | undefined, b: TreeEntry | undefined): boolean {
  return a?.oid === b?.oid && a?.mode === b?.mode;
}

/** Adds entries to an index; `undefined` removes one. A file is replaced by a directory of the same name. */
export async function writeEntries(
  repo: Repository,
  entries: Iterable<readonly [string, TreeEntry | undefined]>,
  env: NonNullable<RunOptions["env"]>,
): Promise<void> {
  let input = "";
  for (const [path, entry] of entries) {
    input += `${entry?.mode ?? "0"} ${entry?.oid ?? repo.zeroOid}\t${path}\0`;
  }
  if (input === "") return;
  const args = ["update-index", "-z", "--index-info"];
  await succeed(repo.run(args, { cwd: repo.top, env, input }));
}

/** `:100644 100644 <oid> <oid> M\0path\0`, repeated. */
export function parseRaw(raw: string): EntryChanges {
  const fields = raw.split("\0");
  const changes = new Map<string, EntryChange>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [modeBefore, modeAfter, oidBefore, oidAfter] = (fields[i] ?? "").slice(1).split(" ");
    changes.set(fields[i + 1] ?? "", {
      before: entryOf(modeBefore, oidBefore),
      after: entryOf(modeAfter, oidAfter),
    });
  }
  return changes;
}

function entryOf(mode: string | undefined, oid: string | undefined): TreeEntry | undefined {
  return mode === undefined || oid === undefined || mode === "000000" ? undefined : { mode, oid };
}

const lastStaged = new WeakMap<RunGit, { readonly key: string; readonly staged: Staged }>();
