/** Makes a branch exactly one commit on top of its base. The tree does not change, so no file does. */
import type { BranchMoved, Done, SquashBranch } from "../ports/worktrees.ts";
import { readCommit, readTree } from "./git-head.ts";
import { readIdentity } from "./git-identity.ts";
import { moveBranch } from "./git-merge-move.ts";
import { commitsBetween, readBranch } from "./git-merge-read.ts";
import type { Repository } from "./git-place.ts";
import { writeCommit } from "./git-ref.ts";
import { READ_ONLY, succeed } from "./git-run.ts";
import * as say from "./git-worktree-refusal.ts";
import { isIn, saveLoose } from "./git-worktree-salvage.ts";

export async function squashBranch(
  home: Repository,
  { branch, base: name, message, at, task }: SquashBranch,
): Promise<Done<BranchMoved>> {
  const tip = await readCommit(home, `refs/heads/${branch}`);
  if (tip === undefined) return say.noBranch(branch);
  const base = await readBranch(home, name);
  if (base === undefined) return say.baseMissing(name);
  if (!(await isIn(home, base, tip))) return say.notForward(name, tip);
  const tree = await readTree(home, tip);
  if (tree === (await readTree(home, base))) return say.nothingToSquash(branch, name);
  const text = `${message.trim()}\n`;
  const [only, second] = await commitsBetween(home, base, tip);
  if (only?.sha === tip && second === undefined && (await messageOf(home, tip)) === text) {
    return { kind: "done", commit: tip, moved: false };
  }
  const author = await readIdentity(home);
  const savepoint = { ref: "", blobs: {}, base, tree, message: text, author, at };
  const written = await writeCommit(home, savepoint);
  if (written.refusal !== undefined) return say.refused(written.refusal);
  // Who did what is in the commits that are about to leave the branch.
  await saveLoose(home, [tip], { task, name: "squashed", into: written.oid });
  const note = `squash to ${written.oid.slice(0, 12)}`;
  return await moveBranch(home, { branch, from: tip, to: written.oid, note });
}

async function messageOf(home: Repository, commit: string): Promise<string> {
  const args = ["log", "-1", "--no-show-signature", "--encoding=UTF-8", "--format=%B", commit];
  const out = await succeed(home.run(args, { cwd: home.top, env: READ_ONLY }));
  return `${out.trim()}\n`;
}
