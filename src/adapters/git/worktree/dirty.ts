/** Where a worktree differs from its commit, by the bytes of its files and by what is staged. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readDifferences, readTreeFiles, SUBMODULE, type Difference } from "../compare/differ.ts";
import { compareIndex, type EntryChange } from "../index/entries.ts";
import { readCommit } from "../place/head.ts";
import { exists, type Repository } from "../place/place.ts";
import { GitFailure, READ_ONLY, succeed, together } from "../run/run.ts";

export interface DirtyOptions {
  /** "all": nested repositories are left out. */
  readonly submodules?: "none" | "all";
  /** Files that a sparse checkout leaves out do not count as missing. */
  readonly sparse?: boolean;
  /** The commit whose filters count: a change must not bring along its own. */
  readonly base?: string | undefined;
}

/**
 * Paths that differ from HEAD; a nested repository ends with `/`. Files ignored by HEAD's own rules are skipped.
 */
export async function dirtyPaths(
  repo: Repository,
  { submodules = "none", sparse = false, base }: DirtyOptions = {},
): Promise<readonly string[]> {
  const commit = (await readCommit(repo, "HEAD")) ?? "";
  const [differing, staged, nested] = await together([
    readDifferences(repo, { commit, base, rules: "commit" }),
    compareIndex(repo, commit),
    submodules === "none" ? dirtySubmodules(repo, commit) : [],
  ]);
  const mine = sparse ? await withoutSparse(repo, differing) : differing;
  const own = [...staged].filter(([, change]) => submodules === "none" || !isSubmodule(change));
  return [
    ...new Set(
      [...mine, ...own.map(([path]) => ({ path })), ...nested.map((path) => ({ path }))].map(
        ({ path }) => path,
      ),
    ),
  ];
}

/** Without files that git was told to leave out of the worktree. */
export async function withoutSparse(
  repo: Repository,
  differing: readonly Difference[],
): Promise<readonly Difference[]> {
  if (!differing.some(({ kind }) => kind === "deleted")) return differing;
  const args = ["ls-files", "-t", "-z"];
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  const left = out.split("\0").flatMap((line) => (line.startsWith("S ") ? [line.slice(2)] : []));
  const isLeft = new Set(left);
  return differing.filter(({ kind, path }) => kind !== "deleted" || !isLeft.has(path));
}

/** Submodules of a commit that are at another commit, or contain anything uncommitted. */
export async function dirtySubmodules(
  repo: Repository,
  commit: string,
): Promise<readonly string[]> {
  const dirty: string[] = [];
  for (const { path, entry } of (await readTreeFiles(repo, commit)).values())
    if (entry.mode === SUBMODULE && !(await isAt(repo, path, entry.oid))) dirty.push(path);
  return dirty;
}

async function isAt(repo: Repository, path: string, commit: string): Promise<boolean> {
  const place = join(repo.top, path);
  if (!exists(join(place, ".git"))) return isEmptyFolder(place);
  const nested = await standingAt(repo, path, commit);
  return nested !== undefined && (await dirtyPaths(nested)).length === 0;
}

/** The nested repository, if there is one and it is at that commit. */
export async function standingAt(
  repo: Repository,
  path: string,
  commit: string,
): Promise<Repository | undefined> {
  const place = join(repo.top, path);
  if (!exists(join(place, ".git"))) return undefined;
  const nested = await openNested(repo, place);
  if (nested === undefined || (await readCommit(nested, "HEAD")) !== commit) return undefined;
  return nested;
}

/** A submodule that was never filled is as it was checked out. */
function isEmptyFolder(place: string): boolean {
  try {
    return readdirSync(place).length === 0;
  } catch {
    return false;
  }
}

/** Opens a nested repository by its git directory, so that git does not fall back to ours or one around it. */
export async function openNested(repo: Repository, place: string): Promise<Repository | undefined> {
  const own = { GIT_DIR: join(place, ".git"), GIT_WORK_TREE: place };
  const run: Repository["run"] = (args, options = {}) =>
    repo.run(args, { ...options, env: { ...options.env, ...own } });
  const args = ["rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir"];
  const answer = await run(args, { cwd: place, env: READ_ONLY });
  if (answer.end !== "exit") throw new GitFailure(answer);
  const [gitDir = "", commonDir = ""] = answer.stdout.toString("utf8").split("\n");
  if (answer.code !== 0 || gitDir === "" || commonDir === "") return undefined;
  return { ...repo, run, top: place, gitDir, commonDir };
}

export function isSubmodule({ before, after }: EntryChange): boolean {
  return before?.mode === SUBMODULE || after?.mode === SUBMODULE;
}
