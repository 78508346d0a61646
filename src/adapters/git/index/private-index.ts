/**
 * A private index, in which the tree of a savepoint is built. The user's index and index.lock are not touched,
 * and a kill leaves nothing but files in tmp.
 */
import { lstatSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import {
  comparePrivate,
  rememberTrees,
  writeEntries,
  type EntryChanges,
  type TreeEntry,
} from "./entries.ts";
import { FULL_LOOK } from "../run/environment.ts";
import type { Repository } from "../place/place.ts";
import { inPortions } from "../run/portions.ts";
import { lastLines } from "../refusal.ts";
import { succeed, together, type GitAnswer } from "../run/run.ts";
import { randomIds } from "../../process/ids.ts";

export interface PrivateIndex {
  readonly repo: Repository;
  readonly env: { readonly GIT_INDEX_FILE: string };
  /** The index's own directory; whatever is put there is removed with it. */
  readonly place: string;
}

/** Runs `work` with an index that holds the tree of `commit`; empty for an empty index. */
export async function withPrivateIndex<T>(
  repo: Repository,
  commit: string,
  work: (index: PrivateIndex) => Promise<T>,
): Promise<T> {
  return await withEmptyIndex(repo, async (index) => {
    await fillIndex(index, commit);
    return await work(index);
  });
}

/** Runs `work` with an empty index that is still to be filled. */
export async function withEmptyIndex<T>(
  repo: Repository,
  work: (index: PrivateIndex) => Promise<T>,
): Promise<T> {
  const place = join(repo.tmpDir, `index-${randomIds.next()}`);
  mkdirSync(place, { recursive: true });
  try {
    return await work({ repo, place, env: { GIT_INDEX_FILE: join(place, "index") } });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

export async function fillIndex(index: PrivateIndex, commit: string): Promise<void> {
  await succeed(runIn(index, fillArgs(commit)));
}

export function fillArgs(commit: string): readonly string[] {
  return ["read-tree", commit === "" ? "--empty" : commit];
}

export async function writeTree(index: PrivateIndex): Promise<string> {
  return (await succeed(runIn(index, ["write-tree"]))).trim();
}

/** Writes the index as a tree, and finds what that tree changes compared with a commit. Both run in parallel. */
export async function writeTreeOn(
  index: PrivateIndex,
  base: string,
): Promise<{ readonly tree: string; readonly changes: EntryChanges }> {
  const { repo, env } = index;
  const [tree, changes] = await together([writeTree(index), comparePrivate(repo, base, env)]);
  rememberTrees(repo, [base, tree], changes);
  return { tree, changes };
}

/** Adds whole paths as they are in the worktree. Returns a warning for each path that was left out. */
export async function addPaths(
  index: PrivateIndex,
  paths: readonly string[],
): Promise<readonly string[]> {
  const absent = paths.filter((path) => !isThere(index.repo, path));
  // A path that is tracked but missing in the worktree is saved as a removal.
  const tracked = withDirectories((await readModes(index, absent)).keys());
  const unknown = new Set(absent.filter((path) => !tracked.has(path.replace(/\/$/, ""))));
  const warnings = [...unknown].map(
    (path) => `${path} is not there yet, so the savepoint does not have it.`,
  );
  const known = paths.filter((path) => !unknown.has(path));
  return [...warnings, ...(await addKnown(index, known))];
}

export function isThere({ top }: Repository, path: string): boolean {
  try {
    return lstatSync(join(top, path)) !== undefined;
  } catch {
    return false;
  }
}

function withDirectories(paths: Iterable<string>): ReadonlySet<string> {
  const all = new Set<string>();
  for (const path of paths)
    for (let at = path; at !== "." && !all.has(at); at = posix.dirname(at)) all.add(at);
  return all;
}

/** Git stops at some errors without naming the path. Adding each half separately gets the other paths in. */
async function addKnown(index: PrivateIndex, paths: readonly string[]): Promise<readonly string[]> {
  const said = paths.length === 0 ? undefined : await addOnce(index, paths);
  if (said === undefined) return [];
  if (paths.length === 1) return [`${paths[0]} could not be staged whole: ${said}`];
  const half = Math.ceil(paths.length / 2);
  const warnings = await addKnown(index, paths.slice(0, half));
  return [...warnings, ...(await addKnown(index, paths.slice(half)))];
}

export async function setEntries(
  index: PrivateIndex,
  entries: ReadonlyMap<string, TreeEntry | undefined>,
): Promise<void> {
  await writeEntries(index.repo, entries, { ...FULL_LOOK, ...index.env });
}

/** The modes of those paths that are in the index, and of all files below them. */
export async function readModes(
  index: PrivateIndex,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const modes = new Map<string, string>();
  for (const some of inPortions(paths)) {
    const args = ["--literal-pathspecs", "ls-files", "--stage", "-z", "--", ...some];
    for (const line of (await succeed(runIn(index, args))).split("\0").slice(0, -1)) {
      modes.set(line.slice(line.indexOf("\t") + 1), line.slice(0, 6));
    }
  }
  return modes;
}

async function addOnce(index: PrivateIndex, paths: readonly string[]): Promise<string | undefined> {
  const answer = await runIn(index, addArgs(index, paths));
  if (answer.end === "exit" && answer.code === 0) return undefined;
  const hints = /^hint: .*$/gm;
  return lastLines(answer.stderr.replaceAll(hints, "")) || `git add ended with ${answer.end}`;
}

/** The paths go into a file, because ten thousand of them do not fit on a command line. */
export function addArgs({ place }: PrivateIndex, paths: readonly string[]): readonly string[] {
  const file = join(place, "paths");
  writeFileSync(file, paths.join("\0"));
  const args = ["--literal-pathspecs", "add", "--all", "--ignore-errors"];
  return [...args, `--pathspec-from-file=${file}`, "--pathspec-file-nul"];
}

export async function runIn(
  { repo, env }: PrivateIndex,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<GitAnswer> {
  return await repo.run(args, { cwd: repo.top, env: { ...FULL_LOOK, ...env, ...more } });
}
