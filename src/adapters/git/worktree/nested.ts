/** Repositories inside a worktree: submodules, clones, `git init` in a corner. No commit of ours holds their files. */
import { join } from "node:path";
import { exists, type Repository } from "../place.ts";
import { READ_ONLY } from "../run.ts";

/**
 * Those that hold something that exists nowhere else. A submodule's own git directory lies in that of the
 * worktree and goes with it, so a clean one may still have commits that were never pushed.
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

/** Clean, and every commit of it is on one of its remotes. */
async function isElsewhere(repo: Repository, place: string): Promise<boolean> {
  // Named, so that neither our worktree nor one around it answers in its stead.
  const own = { GIT_DIR: join(place, ".git"), GIT_WORK_TREE: place, ...READ_ONLY };
  const ask = async (...args: readonly string[]): Promise<string | undefined> => {
    const answer = await repo.run(args, { cwd: place, env: own });
    return answer.end === "exit" && answer.code === 0 ? answer.stdout.toString("utf8") : undefined;
  };
  const dirs = await ask("rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir");
  const [gitDir, commonDir] = (dirs ?? "").split("\n");
  if (gitDir === "" || gitDir !== commonDir) return false;
  if ((await ask("status", "--porcelain", "--untracked-files=all")) !== "") return false;
  return (await ask("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes")) === "";
}
