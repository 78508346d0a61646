/** What a worktree holds that no commit does: changed, staged and untracked files, byte for byte. */
import { copyFile, lstat, mkdir, readlink, rm } from "node:fs/promises";
import type { Stats } from "node:fs";
import { join } from "node:path";
import type { TreeEntry } from "../entries.ts";
import { readTree } from "../head.ts";
import { exists, type Repository } from "../place.ts";
import { setEntries, withPrivateIndex, writeTree } from "../private-index.ts";
import { READ_ONLY, succeed } from "../run.ts";
import { shownPath } from "./list.ts";
import { nestedUnsafe } from "./nested.ts";
import { nestedWork, oddNames, WorktreeRefused } from "./refusal.ts";
import { randomIds } from "../../process/ids.ts";

/** Trees of the files and of the index where they differ from HEAD's. */
export interface Dirt {
  readonly files: string | undefined;
  readonly staged: string | undefined;
}

/** Paths that differ from HEAD; a nested repository ends with `/`. Ignored files are not looked at. */
export async function dirtyPaths(
  repo: Repository,
  submodules: "none" | "all" = "none",
): Promise<readonly string[]> {
  const args = ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all"];
  args.push(`--ignore-submodules=${submodules}`);
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  return out
    .split("\0")
    .slice(0, -1)
    .map((line) => line.slice(3));
}

export interface DirtOptions {
  /** Empty where there is no commit. */
  readonly head: string;
  /** Moved aside: the repositories in it were looked at before, and no longer find their own place. */
  readonly moved: boolean;
}

/** Write the objects of everything uncommitted. */
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
  const changed = await dirtyPaths(repo, moved ? "all" : "none");
  const nested = changed.filter((path) => path.endsWith("/"));
  const { hidden, submodules } = await readIndex(repo);
  const unsafe = moved ? [] : await nestedUnsafe(repo, [...nested, ...submodules]);
  const shown = shownPath(repo, repo.top);
  if (unsafe.length > 0) throw new WorktreeRefused(nestedWork(shown, unsafe));
  const paths = [...changed.filter((path) => !path.endsWith("/")), ...hidden];
  if (paths.some((path) => path.includes("\uFFFD"))) throw new WorktreeRefused(oddNames(shown));
  if (paths.length === 0) return undefined;
  const entries = await hashFiles(repo, [...new Set(paths)]);
  return await withPrivateIndex(repo, head, async (index) => {
    await setEntries(index, entries);
    return await writeTree(index);
  });
}

/** Files that git was told not to look at (assume-unchanged, skip-worktree) and that are there. */
async function readIndex(
  repo: Repository,
): Promise<{ readonly hidden: readonly string[]; readonly submodules: readonly string[] }> {
  const args = ["ls-files", "-v", "--stage", "-z"];
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  const lines = out.split("\0").slice(0, -1);
  const pathsOf = (shape: RegExp): readonly string[] =>
    lines.filter((line) => shape.test(line)).map((line) => line.slice(line.indexOf("\t") + 1));
  const flagged = pathsOf(/^[Sa-z] (?!160000)/);
  const hidden = flagged.filter((path) => exists(join(repo.top, path)));
  return { hidden, submodules: pathsOf(/^. 160000/) };
}

/** Without filters: these would turn line ends and take the very bytes that are to be saved. */
async function hashFiles(
  repo: Repository,
  paths: readonly string[],
): Promise<ReadonlyMap<string, TreeEntry | undefined>> {
  const entries = new Map<string, TreeEntry | undefined>();
  const regular: { readonly path: string; readonly mode: string }[] = [];
  for (const path of paths) {
    const place = join(repo.top, path);
    const stats = await lstat(place).catch(() => undefined);
    // A submodule is a directory where the tree has a commit: its own repository keeps its work.
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

/** The index as a tree; undefined where there is none, or a conflict in it (then the files say it all). */
async function stagedTree(repo: Repository): Promise<string | undefined> {
  await mkdir(repo.tmpDir, { recursive: true });
  // A copy, because write-tree writes into the index it reads.
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
