/**
 * Pushes one exact commit as a branch. On the remote, it only replaces commits that this task itself has pushed.
 */
import type { BranchPushed, Done, PushBranch } from "../../../ports/worktrees.ts";
import { readCommit } from "../place/head.ts";
import { readRemote } from "./read.ts";
import type { Repository } from "../place/place.ts";
import { GitFailure } from "../run/run.ts";
import { branchRef } from "../worktree/add.ts";
import * as say from "../worktree/refusal.ts";
import { isIn } from "../worktree/salvage.ts";

export async function pushBranch(
  home: Repository,
  { branch, commit, recorded }: PushBranch,
): Promise<Done<BranchPushed>> {
  const ref = await branchRef(home, branch);
  if ((await readCommit(home, commit)) !== commit) return say.notACommit(commit);
  const remote = await readRemote(home);
  if (remote === undefined) return say.noRemote();
  const listed = await home.run(["ls-remote", "--", remote, ref], { cwd: home.top });
  if (listed.end !== "exit" || listed.code !== 0) return say.pushFailed(remote, listed);
  const there = /^[0-9a-f]+/.exec(listed.stdout.toString("utf8"))?.[0] ?? "";
  if (there === commit) return { kind: "done", remote, commit, pushed: false };
  if (there !== "" && !(await mayReplace(home, { there, commit, recorded }))) {
    return say.remoteMoved(remote, branch);
  }
  home.onStep("push");
  const args = ["push", "--quiet", `--force-with-lease=${ref}:${there}`];
  const answer = await home.run([...args, "--", remote, `${commit}:${ref}`], {
    cwd: home.top,
    hook: true,
  });
  if (answer.end === "missing") throw new GitFailure(answer);
  if (answer.end !== "exit" || answer.code !== 0) return say.pushFailed(remote, answer);
  return { kind: "done", remote, commit, pushed: true };
}

async function mayReplace(
  home: Repository,
  { there, commit, recorded }: { readonly there: string } & Pick<PushBranch, "commit" | "recorded">,
): Promise<boolean> {
  if (recorded.includes(there)) return true;
  const known = (await readCommit(home, there)) !== undefined;
  return known && (await isIn(home, there, commit));
}
