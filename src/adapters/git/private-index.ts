/**
 * A private index: the tree of a savepoint is built there, so that neither the user's index nor his
 * index.lock is touched, and a kill -9 leaves nothing but a file in tmp.
 */
import { lstat, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SavepointPlan } from "../../ports/git.ts";
import { writeEntries, type TreeEntry } from "./entries.ts";
import type { Repository } from "./place.ts";
import { lastLines } from "./refusal.ts";
import { succeed } from "./run.ts";
import { randomIds } from "../process/ids.ts";

export interface PrivateIndex {
  readonly repo: Repository;
  readonly env: { readonly GIT_INDEX_FILE: string };
}

/** Run `work` with an index that holds the tree of `commit`; an empty string holds nothing. */
export async function withPrivateIndex<T>(
  repo: Repository,
  commit: string,
  work: (index: PrivateIndex) => Promise<T>,
): Promise<T> {
  await mkdir(repo.tmpDir, { recursive: true });
  const file = join(repo.tmpDir, `index-${randomIds.next()}`);
  const env = { GIT_INDEX_FILE: file };
  try {
    const args = ["read-tree", commit === "" ? "--empty" : commit];
    await succeed(repo.run(args, { cwd: repo.top, env }));
    return await work({ repo, env });
  } finally {
    await rm(file, { force: true });
    await rm(`${file}.lock`, { force: true });
  }
}

export async function writeTree({ repo, env }: PrivateIndex): Promise<string> {
  return (await succeed(repo.run(["write-tree"], { cwd: repo.top, env }))).trim();
}

/** Take whole paths as they are in the worktree. Answers a warning for each that was left out. */
export async function addPaths(
  index: PrivateIndex,
  paths: readonly string[],
): Promise<readonly string[]> {
  const known: string[] = [];
  const warnings: string[] = [];
  for (const path of paths) {
    if (await isKnown(index, path)) known.push(path);
    else warnings.push(`${path} is not there yet, so the savepoint does not have it.`);
  }
  if (known.length === 0 || (await addOnce(index, known)) === undefined) return warnings;
  // git does not say which path it disliked, and stops at some: one by one the others still get in.
  for (const path of known) {
    const said = await addOnce(index, [path]);
    if (said !== undefined) warnings.push(`${path} could not be staged whole: ${said}`);
  }
  return warnings;
}

/** The rendered views, as entries. The blobs are written; they are loose objects nobody sees. */
export async function hashViews(
  index: PrivateIndex,
  views: SavepointPlan["views"],
): Promise<ReadonlyMap<string, TreeEntry | undefined>> {
  const modes = await readModes(index, Object.keys(views));
  const entries = Object.entries(views).map(async ([path, content]) => {
    if (content === null) return [path, undefined] as const;
    const mode = modes.get(path) === "100755" ? "100755" : "100644";
    return [path, { mode, oid: await hashView(index, path, content) }] as const;
  });
  return new Map(await Promise.all(entries));
}

export async function setEntries(
  index: PrivateIndex,
  entries: ReadonlyMap<string, TreeEntry | undefined>,
): Promise<void> {
  await writeEntries(index.repo, entries, index.env);
}

/** Mode of those paths that the index has. */
export async function readModes(
  { repo, env }: PrivateIndex,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (paths.length === 0) return new Map();
  const args = ["--literal-pathspecs", "ls-files", "--stage", "-z", "--", ...paths];
  const out = await succeed(repo.run(args, { cwd: repo.top, env }));
  const modes = new Map<string, string>();
  for (const line of out.split("\0").slice(0, -1)) {
    modes.set(line.slice(line.indexOf("\t") + 1), line.slice(0, 6));
  }
  return modes;
}

/** Present in the worktree, or tracked and deleted there: then its removal is what is saved. */
async function isKnown({ repo, env }: PrivateIndex, path: string): Promise<boolean> {
  try {
    await lstat(join(repo.top, path));
    return true;
  } catch {
    const args = ["--literal-pathspecs", "ls-files", "-z", "--", path];
    return (await succeed(repo.run(args, { cwd: repo.top, env }))) !== "";
  }
}

async function addOnce(
  { repo, env }: PrivateIndex,
  paths: readonly string[],
): Promise<string | undefined> {
  const args = ["--literal-pathspecs", "add", "--all", "--ignore-errors", "--", ...paths];
  const answer = await repo.run(args, { cwd: repo.top, env });
  if (answer.end === "exit" && answer.code === 0) return undefined;
  const hints = /^hint: .*$/gm;
  return lastLines(answer.stderr.replaceAll(hints, "")) || `git add ended with ${answer.end}`;
}

async function hashView({ repo, env }: PrivateIndex, path: string, text: string): Promise<string> {
  // `--path` runs the filters the file would go through, so that the worktree is clean afterwards.
  const args = ["hash-object", "-w", "--stdin", `--path=${path}`];
  return (await succeed(repo.run(args, { cwd: repo.top, env, input: text }))).trim();
}
