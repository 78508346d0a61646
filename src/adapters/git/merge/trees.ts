/** Merges two commits in the object store. Nothing is checked out, so a conflict leaves nothing to clean up. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NotDone } from "../../../ports/worktrees.ts";
import { withEmptyIndex } from "../index/private-index.ts";
import { readFileAt } from "../objects/objects.ts";
import { makeNeutral } from "../place/neutral.ts";
import type { Repository } from "../place/place.ts";
import { GitFailure } from "../run/run.ts";
import * as say from "../worktree/refusal.ts";

export interface Merged {
  readonly tree: string;
  /** Paths in conflict. */
  readonly clashes: readonly string[];
}

/**
 * Uses git's built-in merge and only the attributes in `onto`: a merge driver defined on this machine could write
 * anything.
 */
export async function mergeTrees(
  home: Repository,
  onto: string,
  from: string,
): Promise<Merged | NotDone> {
  const attributes = await readFileAt(home, onto, ".gitattributes");
  const answer = await withEmptyIndex(home, async ({ place }) => {
    const env = makeNeutral(home, place);
    writeFileSync(join(env.GIT_DIR, "info", "attributes"), attributes ?? "");
    const args = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
    args.push("--allow-unrelated-histories", onto, from);
    return await home.run(args, { cwd: place, env: { ...env, GIT_WORK_TREE: place } });
  });
  if (answer.code === 129) return say.oldGit();
  if (answer.end !== "exit" || answer.code > 1) throw new GitFailure(answer);
  const [tree = "", ...paths] = answer.stdout.toString("utf8").split("\0");
  return { tree, clashes: [...new Set(paths.filter((path) => path !== ""))] };
}
