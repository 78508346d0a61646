/** What a worktree contains that no commit does: changed, staged and untracked files, byte for byte. */
import { copyFile, lstat, mkdir, readlink, rm } from "node:fs/promises";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { SUBMODULE } from "../compare/differ.ts";
import type { TreeEntry } from "../index/entries.ts";
import { readTree } from "../place/head.ts";
import type { Repository } from "../place/place.ts";
import { setEntries, withPrivateIndex, writeTree } from "../index/private-index.ts";
import { READ_ONLY, succeed } from "../run/run.ts";
import { shownPath } from "./list.ts";
import { dirtyPaths } from "./dirty.ts";
import { nestedUnsafe } from "./nested.ts";
import { nestedWork, oddNames, WorktreeRefused } from "./refusal.ts";
import { randomIds } from "../../process/ids.ts";

/** Trees of the files and of the index, where they differ from HEAD's tree. */
export interface Dirt {
  readonly files: string | undefined;
  readonly staged: string | undefined;
}

export interface DirtOptions {
  /** Empty if there is no commit. */
  readonly head: string;
  /**
   * The worktree was moved aside. Nested repositories were checked before, and cannot find their own place any
   * more.
   */
  readonly moved: boolean;
}

/** Writes everything uncommitted as objects. */
export async function readDirt(repo: Repository, options: DirtOptions): Promise<Dirt> {
  const { head } = options;
  const headTree = await readTree(repo, head);
  const present = repo.top !== repo.commonDir;
  const files = present ? ((await filesTree(repo, options)) ?? headTree) : headTree;
  const staged = await stagedTree(repo);
  return {
    files: files === headTree ? undefined : files,
    staged: staged === headTree || staged === files ? undefined : staged,
  };
}

async function filesTree(
  repo: Repository,
  { head, moved }: DirtOptions,
): Promise<string | undefined> {
  const changed = await dirtyPaths(repo, { submodules: moved ? "all" : "none", sparse: true });
  const nested = changed.filter((path) => path.endsWith("/"));
  const submodules = await submodulesIn(repo);
  const unsafe = moved ? [] : await nestedUnsafe(repo, [...nested, ...submodules]);
  const shown = shownPath(repo, repo.top);
  if (unsafe.length > 0) throw new WorktreeRefused(nestedWork(shown, unsafe));
  const paths = changed.filter((path) => !path.endsWith("/"));
  if (paths.some((path) => path.includes("\uFFFD"))) throw new WorktreeRefused(oddNames(shown));
  if (paths.length === 0) return undefined;
  const entries = await hashFiles(repo, paths);
  return await withPrivateIndex(repo, head, async (index) => {
    await setEntries(index, entries);
    return await writeTree(index);
  });
}

/** Including those that are only staged. */
async function submodulesIn(repo: Repository): Promise<readonly string[]> {
  const args = ["ls-files", "--stage", "-z"];
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  return out
    .split("\0")
    .filter((line) => line.startsWith(SUBMODULE))
    .map((line) => line.slice(line.indexOf("\t") + 1));
}

/** Without filters, which would convert line ends and so lose the very bytes that are to be saved. */
async function hashFiles(
  repo: Repository,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeEntry | undefined>> {
  const entries = new Map<string, TreeEntry | undefined>();
  const regular: { readonly path: string; readonly mode: string }[] = [];
  for (const path of paths) {
    const place = join(repo.top, path);
    const stats = await lstat(place).catch(() => undefined);
    // A submodule: a directory where the tree has a commit. Its own repository keeps its work.
    if (stats?.isDirectory() === true) continue;
    if (stats?.isFile() === true) regular.push({ path, mode: modeOf(stats) });
    else if (stats?.isSymbolicLink() === true) {
      const input = await readlink(place, { encoding: "buffer" });
      const args = ["hash-object", "-w", "--no-filters", "--stdin"];
      const oid = (await succeed(repo.run(args, { cwd: repo.top, input }))).trim();
      entries.set(path, { mode: "120000", oid });
    } else entries.set(path, undefined);
  }
  for (let at = 0; at < regular.length; at += PATHS_AT_ONCE_MAX) {
    const some = regular.slice(at, at + PATHS_AT_ONCE_MAX);
    const args = ["hash-object", "-w", "--no-filters", "--", ...some.map(({ path }) => path)];
    const oids = (await succeed(repo.run(args, { cwd: repo.top }))).split("\n");
    some.forEach(({ path, mode }, index) => {
      entries.set(path, { mode, oid: oids[index] ?? "" });
    });
  }
  return entries;
}

function modeOf(stats: Stats): string {
  return (stats.mode & 0o100) === 0 ? "100644" : "100755";
}

/**
 * The index as a tree. Undefined if there is none, or if it has conflicts (then the files contain everything).
 */
async function stagedTree(repo: Repository): Promise<string | undefined> {
  await mkdir(repo.tmpDir, { recursive: true });
  // A copy, because write-tree writes to the index it reads.
  const file = join(repo.tmpDir, `index-${randomIds.next()}`);
  try {
    await copyFile(join(repo.gitDir, "index"), file);
    const env = { GIT_INDEX_FILE: file };
    const answer = await repo.run(["write-tree"], { cwd: repo.top, env });
    return answer.code === 0 ? answer.stdout.toString("utf8").trim() : undefined;
  } catch {
    return undefined;
  } finally {
    await rm(file, { force: true });
    await rm(`${file}.lock`, { force: true });
  }
}

const PATHS_AT_ONCE_MAX = 100;
