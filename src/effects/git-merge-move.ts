/**
 * Moves a branch from one commit to another, together with the files and the index of the worktree that
 * has it checked out. Every step may be repeated, from any point a crash left it at:
 *
 *   not checked out ──► R
 *   checked out: look for uncommitted changes ──any──► refused, with their paths
 *        I  index entries of files that are at the new commit already (an earlier try), or are carried
 *        F  `git read-tree -m -u`: files and index, refusing to overwrite
 *        C  carried texts
 *        R  `git update-ref` from exactly the old commit ──lost──► files put back, refused
 *
 * R last on purpose: dying before it leaves the change staged, which a second try recognises; the other
 * order leaves its reversal staged, and the next commit there would undo the merge.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BranchMoved, Done, DressText, NotDone } from "../ports/worktrees.ts";
import { compareIndex, writeEntries } from "./git-entries.ts";
import { checkUnfinished, readCommit } from "./git-head.ts";
import { planMove, type MovePlan } from "./git-merge-plan.ts";
import { writeCarried } from "./git-merge-carry.ts";
import type { Repository } from "./git-place.ts";
import { GitFailure } from "./git-run.ts";
import type { Entry } from "./git-worktree-list.ts";
import { gitDirOf, listEntries, openEntry, shownPath } from "./git-worktree-list.ts";
import * as say from "./git-worktree-refusal.ts";
import { isIn } from "./git-worktree-salvage.ts";

export interface Move {
  readonly branch: string;
  /** Where it stands: checked by the caller, and again by git when it is moved. */
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly path?: string | undefined;
  readonly carry?: Readonly<Record<string, DressText>> | undefined;
}

export async function moveBranch(home: Repository, move: Move): Promise<Done<BranchMoved>> {
  if (move.from === move.to) return { kind: "done", commit: move.to, moved: false };
  const ref = `refs/heads/${move.branch}`;
  const entries = await listEntries(home);
  const holders = entries.filter((one) => one.ref === ref);
  const [holder, second] = holders;
  if (second !== undefined) {
    return say.checkedOut(
      move.branch,
      holders.map((one) => shownPath(home, one.place)),
    );
  }
  if (holder !== undefined) return await moveCheckedOut(home, holder, move);
  const refusal = await checkDetached(home, entries, move);
  return refusal ?? (await moveRef(home, move)) ?? done(move);
}

/** A detached HEAD may be a rebase of this very branch, which would end by overwriting it. */
async function checkDetached(
  home: Repository,
  entries: readonly Entry[],
  { branch, path }: Move,
): Promise<NotDone | undefined> {
  for (const entry of entries.filter((one) => one.ref === undefined && !one.bare)) {
    const shown = shownPath(home, entry.place);
    if (shown === path) return say.headDetached(shown, branch);
    const gitDir = entry.place === home.top ? home.gitDir : await gitDirOf(home, entry.place);
    if (gitDir === undefined) continue;
    for (const kind of ["rebase-merge", "rebase-apply"]) {
      const name = await readFile(join(gitDir, kind, "head-name"), "utf8").catch(() => "");
      if (name.trim() === `refs/heads/${branch}`) return say.inTheMiddle(shown, "a rebase");
    }
  }
  return undefined;
}

async function moveCheckedOut(
  home: Repository,
  entry: Entry,
  move: Move,
): Promise<Done<BranchMoved>> {
  const repo = await openEntry(home, entry);
  const path = shownPath(home, entry.place);
  const unfinished = await checkUnfinished(repo);
  if (unfinished !== undefined) {
    const what = /: (.*) is in progress/.exec(unfinished.message)?.[1] ?? "something";
    return say.inTheMiddle(path, what);
  }
  const plan = await planPatiently(repo, path, move);
  if ("code" in plan) return plan;
  const refusal = (await moveFiles(repo, path, { ...move, plan })) ?? (await moveRef(repo, move));
  if (refusal === undefined) return await verify(repo, path, move);
  if (refusal.code === "branch-moved") await putBack(repo, move);
  return refusal;
}

/** A change that is staged may be another merge, half-way between F and R: it is given time to end. */
async function planPatiently(
  repo: Repository,
  path: string,
  move: Move,
): Promise<MovePlan | NotDone> {
  for (let tried = 1; ; tried += 1) {
    const plan = await planMove(repo, path, move);
    if (!("code" in plan) || plan.code !== "tree-dirty" || tried >= BUSY_TRIES_MAX) return plan;
    const staged = await compareIndex(repo, move.from);
    if (staged.size === 0) return plan;
    await pause((0.5 + Math.random()) * PAUSE_MS);
    const now = await readCommit(repo, `refs/heads/${move.branch}`);
    if (now !== move.from) return say.branchMoved(move.branch, move.from, now ?? "");
  }
}

async function moveFiles(
  repo: Repository,
  path: string,
  { from, to, plan }: Move & { readonly plan: MovePlan },
): Promise<NotDone | undefined> {
  repo.onStep("merge.index");
  await writeEntries(repo, plan.staged, {});
  repo.onStep("merge.files");
  const args = ["read-tree", "-m", "-u", from, to];
  const answer = await repo.run(args, { cwd: repo.top });
  if (answer.code !== 0) {
    const lost = answer.stderr.match(
      /(?<=^error: (?:Entry|Untracked working tree file) ').*(?=')/gm,
    );
    if (lost === null) throw new GitFailure(answer);
    return say.dirtyTree(path, lost);
  }
  repo.onStep("merge.carry");
  for (const carried of plan.carried) await writeCarried(repo, carried);
  return undefined;
}

async function moveRef(
  repo: Repository,
  { branch, from, to, note }: Move,
): Promise<NotDone | undefined> {
  const ref = `refs/heads/${branch}`;
  repo.onStep("merge.ref");
  const args = ["update-ref", "-m", `holdpoint: ${note}`, ref, to, from];
  const answer = await repo.run(args, { cwd: repo.top });
  if (answer.code === 0) return undefined;
  const now = await readCommit(repo, ref);
  if (now === to) return undefined;
  if (now !== from)
    return now === undefined ? say.noBranch(branch) : say.branchMoved(branch, from, now);
  throw new GitFailure(answer);
}

/** Somebody moved the branch between the files and the ref: the files go where the branch is now. */
async function putBack(repo: Repository, { branch, to }: Move): Promise<void> {
  const now = await readCommit(repo, `refs/heads/${branch}`);
  if (now === undefined) return;
  await repo.run(["read-tree", "-m", "-u", to, now], { cwd: repo.top });
}

/** Asked of git again: the branch stands there, and the index is the commit's. */
async function verify(repo: Repository, path: string, move: Move): Promise<Done<BranchMoved>> {
  for (let tried = 1; ; tried += 1) {
    const now = await readCommit(repo, `refs/heads/${move.branch}`);
    // The next merge may have been made on top of this one already.
    if (now === undefined || !(await isIn(repo, move.to, now))) {
      return say.branchMoved(move.branch, move.to, now ?? "");
    }
    const args = ["diff-index", "--cached", "--quiet", "--ignore-submodules=all", now, "--"];
    if ((await repo.run(args, { cwd: repo.top })).code === 0) return done(move);
    if (tried >= BUSY_TRIES_MAX) return say.dirtyTree(path, []);
    await pause((0.5 + Math.random()) * PAUSE_MS);
  }
}

function done({ to }: Move): Done<BranchMoved> {
  return { kind: "done", commit: to, moved: true };
}

const BUSY_TRIES_MAX = 8;
const PAUSE_MS = 150;
