/**
 * Moves a branch from one commit to another, together with the files and the index of the worktree that
 * has it checked out. All of it happens while git itself holds the branch: `git update-ref`, prepared and
 * not committed yet. Whoever else wants to move it waits, and a process that dies lets go of it. Every step
 * may be repeated, from any point a crash left it at:
 *
 *   hold the branch at exactly the old commit ──it is elsewhere──► refused, nothing touched
 *        look for uncommitted changes ──any──► refused, with their paths
 *        C  carried texts, each over exactly the text that was read ──changed──► look again
 *        I  index entries of files that are at the new commit already (an earlier try), or are carried
 *        F  `git read-tree -m -u`: files and index, refusing to overwrite ──refused──► I and C undone
 *        R  the branch
 *
 * R last on purpose: dying before it leaves the change staged, which a second try recognises; the other
 * order leaves its reversal staged, and the next commit there would undo the merge.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BranchMoved, Done, DressText, NotDone } from "../../../ports/worktrees.ts";
import { SUBMODULE } from "../compare/differ.ts";
import { bytesAt, readDisk } from "../compare/disk.ts";
import { compareTrees, writeEntries, type EntryChanges, type TreeEntry } from "../index/entries.ts";
import { checkUnfinished, readCommit, readSymbolic } from "../place/head.ts";
import { planMove } from "./plan.ts";
import { takeCarriedBack, writeCarried } from "./carry.ts";
import type { Entry, Repository } from "../place/place.ts";
import { isRefusedByHook, refRefused } from "../refusal.ts";
import { GitFailure, READ_ONLY } from "../run/run.ts";
import { compareWithDisk } from "../compare/same.ts";
import { gitDirOf, listEntries, openEntry, shownPath } from "../worktree/list.ts";
import * as say from "../worktree/refusal.ts";

export interface Move {
  readonly branch: string;
  /** The old commit: checked by the caller, and again by git when the branch moves. */
  readonly from: string;
  readonly to: string;
  readonly note: string;
  readonly path?: string | undefined;
  readonly carry?: Readonly<Record<string, DressText>> | undefined;
}

export async function moveBranch(home: Repository, move: Move): Promise<Done<BranchMoved>> {
  if (move.from === move.to) return { kind: "done", commit: move.to, moved: false };
  const ref = `refs/heads/${move.branch}`;
  const target = await readSymbolic(home, ref);
  if (target !== undefined) return say.symbolic(move.branch, target);
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

/** A detached HEAD may be a rebase of this very branch, whose end would overwrite the move. */
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
  return (await moveRef(repo, move, () => moveFiles(repo, path, move))) ?? done(move);
}

/** `before` runs while the branch is held. If it refuses or throws, the branch stays where it was. */
async function moveRef(
  repo: Repository,
  { branch, from, to, note }: Move,
  before: () => Promise<NotDone | undefined> = () => Promise.resolve(undefined),
): Promise<NotDone | undefined> {
  const ref = `refs/heads/${branch}`;
  let refusal: NotDone | undefined;
  const answer = await repo.run(["update-ref", "-m", `holdpoint: ${note}`, "--stdin"], {
    cwd: repo.top,
    input: `start\noption no-deref\nupdate ${ref} ${to} ${from}\nprepare\n`,
    reply: async (line) => {
      if (line === "start: ok") return "";
      if (line !== "prepare: ok") return undefined;
      refusal = await before();
      if (refusal === undefined) repo.onStep("merge.ref");
      return refusal === undefined ? "commit\n" : "abort\n";
    },
  });
  if (refusal !== undefined || answer.code === 0) return refusal;
  const now = await readCommit(repo, ref);
  if (now === to) return undefined;
  if (now === undefined) return say.noBranch(branch);
  if (now !== from) return say.branchMoved(branch, from, now);
  if (isRefusedByHook(answer)) return say.refused(refRefused(ref, answer));
  throw new GitFailure(answer);
}

/** Somebody may write a carried text at any moment; then everything is checked again. */
async function moveFiles(repo: Repository, path: string, move: Move): Promise<NotDone | undefined> {
  const carried = Object.keys(move.carry ?? {});
  for (let tried = 1; ; tried += 1) {
    const refusal = await tryFiles(repo, path, move);
    if (refusal?.code !== "tree-dirty" || tried >= MEETINGS_MAX) return refusal;
    if (!refusal.paths.every((one) => carried.includes(one))) return refusal;
    await pause((0.5 + Math.random()) * PAUSE_MS);
  }
}

async function tryFiles(
  repo: Repository,
  path: string,
  { from, to, carry }: Move,
): Promise<NotDone | undefined> {
  const plan = await planMove(repo, path, { from, to, carry });
  if ("code" in plan) return plan;
  repo.onStep("merge.carry");
  const changed = await writeCarried(repo, plan.carried);
  if (changed !== undefined) return say.dirtyTree(path, [changed]);
  let isMoved = false;
  try {
    const refusal = await moveTree(repo, path, { from, to, staged: plan.staged });
    isMoved = refusal === undefined;
    return refusal;
  } finally {
    if (!isMoved) await takeCarriedBack(repo, plan.carried);
  }
}

/** Updates the index and all files that are not carried; or says why not, with nothing changed. */
async function moveTree(
  repo: Repository,
  path: string,
  { from, to, staged }: Pick<Move, "from" | "to"> & { readonly staged: EntryChanges },
): Promise<NotDone | undefined> {
  repo.onStep("merge.index");
  await writeEntries(repo, entriesOf(staged, "after"), {});
  repo.onStep("merge.files");
  const answer = await repo.run(["read-tree", "-m", "-u", from, to], { cwd: repo.top });
  const others = answer.code === 0 ? await checkedOutOtherwise(repo, { from, to, staged }) : [];
  if (answer.code === 0 && others.length === 0) return undefined;
  if (others.length > 0) {
    // Git has just written these files and nobody else holds the branch. Without them, `read-tree` can go back.
    for (const file of others) await rm(join(repo.top, file), { force: true });
    const back = await repo.run(["read-tree", "-m", "-u", to, from], { cwd: repo.top });
    if (back.code !== 0) throw new GitFailure(back);
  }
  await writeEntries(repo, entriesOf(staged, "before"), {});
  if (others.length > 0) return say.checkoutDiffers(path, others);
  const lost = answer.stderr.match(/(?<=^error: (?:Entry|Untracked working tree file) ').*(?=')/gm);
  if (lost === null) throw new GitFailure(answer);
  return say.dirtyTree(path, lost);
}

/**
 * Files that a filter of this machine has changed on checkout. A check would then see content that no commit has.
 */
async function checkedOutOtherwise(
  repo: Repository,
  { from, to, staged }: Pick<Move, "from" | "to"> & { readonly staged: EntryChanges },
): Promise<readonly string[]> {
  const written = [...(await compareTrees(repo, from, to))].filter(
    ([file, { after }]) => after !== undefined && after.mode !== SUBMODULE && !staged.has(file),
  );
  const disk = await readDisk(
    repo,
    written.map(([path]) => ({ path })),
  );
  // Files left out by a sparse checkout do not exist here.
  const pairs = written
    .map(([path, { after }], at) => ({ path, entry: after, disk: disk[at] }))
    .filter((pair) => pair.disk !== undefined);
  const same = await compareWithDisk(repo, to, pairs);
  const others: string[] = [];
  for (const [at, { path, entry }] of pairs.entries())
    if (same[at] === "other" && (await isFiltered(repo, path, entry?.oid ?? ""))) others.push(path);
  return others;
}

/** Whether a filter turned the blob into this content. Anything else was written by somebody just now. */
async function isFiltered(repo: Repository, path: string, oid: string): Promise<boolean> {
  const args = ["cat-file", "--filters", `--path=${path}`, oid];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  return answer.code === 0 && bytesAt(repo, path)?.equals(answer.stdout) === true;
}

function entriesOf(
  changes: EntryChanges,
  side: "before" | "after",
): readonly (readonly [string, TreeEntry | undefined])[] {
  return [...changes].map(([file, change]) => [file, change[side]] as const);
}

function done({ to }: Move): Done<BranchMoved> {
  return { kind: "done", commit: to, moved: true };
}

const MEETINGS_MAX = 8;
const PAUSE_MS = 60;
// Long enough to check out a large tree: without holding the branch, nothing may go on.
