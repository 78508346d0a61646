/** The state of a worktree: its branch, its commit, and whether a git operation is unfinished. */
import { join } from "node:path";
import { askOnce, isFull } from "../run/fixed.ts";
import { exists, type Repository } from "./place.ts";
import { readPlainCommit, readPlainHead } from "./plain.ts";
import { unfinished, type Refusal } from "../refusal.ts";
import { GitFailure, READ_ONLY, succeed } from "../run/run.ts";

/** Low-level git commands would commit in the middle of a merge, and `git merge --abort` would then fail. */
export async function checkUnfinished(repo: Repository): Promise<Refusal | undefined> {
  const operation = findOperation(repo);
  if (operation !== undefined) return operation;
  const args = ["ls-files", "--unmerged", "-z"];
  const unmerged = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  return unmerged === "" ? undefined : unresolved();
}

/** The unfinished git operation in this worktree, recognised by the files it leaves. */
export function findOperation(repo: Repository): Refusal | undefined {
  const found = UNFINISHED.find(([file]) => exists(join(repo.gitDir, file)));
  return found === undefined ? undefined : unfinished(found[1], found[2]);
}

/** Conflict entries that belong to no operation, as after `git stash pop`. */
export function unresolved(): Refusal {
  return unfinished("resolving a conflict", "git restore --merge .");
}

/** The branch HEAD is on, such as `refs/heads/main`; undefined when detached. */
export async function readHeadRef(repo: Repository): Promise<string | undefined> {
  const plain = readPlainHead(repo);
  if (plain !== undefined) return plain.ref;
  const args = ["symbolic-ref", "--quiet", "HEAD"];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  if (answer.end === "exit" && answer.code === 1) return undefined;
  return (await succeed(Promise.resolve(answer))).trim();
}

/** The branch that a symbolic reference points to; undefined for a branch of its own. */
export async function readSymbolic(repo: Repository, ref: string): Promise<string | undefined> {
  const args = ["symbolic-ref", "--quiet", ref];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  if (answer.end === "exit" && answer.code === 1) return undefined;
  return (await succeed(Promise.resolve(answer))).trim();
}

/** The commit that a name stands for; undefined if there is none, as on a branch without commits. */
export async function readCommit(repo: Repository, revision: string): Promise<string | undefined> {
  const plain = readPlainCommit(repo, revision);
  if (plain !== undefined) return plain.oid;
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  if (answer.end !== "exit") throw new GitFailure(answer);
  return answer.code === 0 ? answer.stdout.toString("utf8").trim() : undefined;
}

export async function readTree(repo: Repository, commit: string): Promise<string> {
  if (commit === "") return repo.emptyTree;
  const args = ["rev-parse", "--verify", "--end-of-options", `${commit}^{tree}`];
  const ask = async (): Promise<string> =>
    (await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }))).trim();
  return isFull(repo, commit) ? await askOnce(repo, args.join(" "), ask) : await ask();
}

const UNFINISHED = [
  ["MERGE_HEAD", "a merge", "git merge --abort"],
  ["CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --abort"],
  ["REVERT_HEAD", "a revert", "git revert --abort"],
  ["rebase-merge", "a rebase", "git rebase --abort"],
  ["rebase-apply", "a rebase or `git am`", "git rebase --abort"],
] as const;
