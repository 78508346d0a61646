/**
 * Repositories inside a worktree: submodules, clones, a stray `git init`. Our commits do not contain their files.
 */
import { join } from "node:path";
import { exists, type Repository } from "../place/place.ts";
import { READ_ONLY } from "../run/run.ts";
import { dirtyPaths, openNested } from "./dirty.ts";

/**
 * Those with content that exists nowhere else. A submodule's git directory is inside that of the worktree and is
 * removed with it, so even a clean submodule may have commits that were never pushed.
 */
export async function nestedUnsafe(
  repo: Repository,
  nested: readonly string[],
): Promise<readonly string[]> {
  const unsafe: string[] = [];
  for (const path of nested) {
    const place = join(repo.top, path);
    if (!exists(join(place, ".git"))) continue;
    if (!(await isElsewhere(repo, place))) unsafe.push(path);
  }
  return unsafe;
}

/** Clean, and every commit is on one of its remotes. */
async function isElsewhere(repo: Repository, place: string): Promise<boolean> {
  const nested = await openNested(repo, place);
  if (nested === undefined || nested.gitDir !== nested.commonDir) return false;
  if ((await dirtyPaths(nested)).length > 0) return false;
  const args = ["rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes"];
  const answer = await nested.run(args, { cwd: place, env: READ_ONLY });
  return answer.end === "exit" && answer.code === 0 && answer.stdout.length === 0;
}
