/**
 * Makes a worktree and its branch. Every step may be repeated, from any point a crash left it at:
 *
 *   worktree there, on that branch ───────────────────────────────► lock it, done
 *   its directory deleted by hand ──► drop that one entry ─┐
 *   branch there: recorded, or made for this very path ────┴──────► attach
 *   branch there otherwise ───────────────────────────────────────► refused (branch-taken)
 *   no branch ──► B create it at base, saying for what ──► attach
 *   attach: W `git worktree add` ──► L `git worktree lock`
 *
 * Whether a branch without a worktree is ours is read from its reflog: the first and only entry says for
 * which path it was made. A branch of the same name that happens to stand at the base says no such thing.
 */
import { readdir } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { AddWorktree, Done, WorktreeAdded } from "../../../ports/worktrees.ts";
import { readCommit, readSymbolic } from "../place/head.ts";
import { exists, type Entry, type Repository } from "../place/place.ts";
import { isPlainBranch } from "../place/plain.ts";
import { GitFailure, READ_ONLY, succeed } from "../run/run.ts";
import { gitDirOf, listEntries, placeOf, shownPath } from "./list.ts";
import { lockEntry } from "./lock.ts";
import * as say from "./refusal.ts";
import { removeWorktree } from "./remove.ts";

export async function addWorktree(
  home: Repository,
  plan: AddWorktree,
): Promise<Done<WorktreeAdded>> {
  const place = await placeOf(home, plan.path);
  const ref = await branchRef(home, plan.branch);
  for (let tried = 0; tried < ADD_TRIES_MAX; tried += 1) {
    const outcome = await addOnce(home, { plan, place, ref, tried });
    if (outcome !== "again") return outcome;
    await pause((0.5 + Math.random()) * PAUSE_MS);
  }
  return say.movedTooOften(plan.branch, ADD_TRIES_MAX);
}

/** The full reference of a valid branch name. */
export async function branchRef(home: Repository, branch: string): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const isBad = branch.startsWith("-") || !(isPlainBranch(ref) || (await isBranch(home, ref)));
  if (isBad) throw new say.WorktreeRefused(say.badBranch(branch));
  return ref;
}

async function isBranch(home: Repository, ref: string): Promise<boolean> {
  const answer = await home.run(["check-ref-format", ref], { cwd: home.top, env: READ_ONLY });
  return answer.code === 0;
}

interface Attempt {
  readonly plan: AddWorktree;
  readonly place: string;
  readonly ref: string;
  readonly tried: number;
}

async function addOnce(home: Repository, attempt: Attempt): Promise<Done<WorktreeAdded> | "again"> {
  const { plan, place, ref, tried } = attempt;
  const entries = await listEntries(home);
  const entry = entries.find((one) => one.place === place);
  if (entry !== undefined) {
    // Until git has finished creating it, its branch is not known.
    const isHalfMade = entry.locked === INITIALIZING;
    if (isHalfMade && tried < WAIT_TRIES_MAX) return "again";
    if (isHalfMade) return await holding(home, plan, () => dropHalfMade(home, attempt));
    if (entry.ref !== ref && !exists(place))
      return say.worktreeLost(plan.path, shortRef(entry.ref), entry.head);
    if (entry.ref !== ref) return say.worktreeForeign(plan.path, shortRef(entry.ref));
    if (exists(`${place}/.git`)) return await finish(home, attempt, entry);
    return await dropEntry(home, attempt);
  }
  if (!(await isFree(place))) return say.pathTaken(plan.path);
  const others = entries.filter((one) => one.ref === ref).map((one) => shownPath(home, one.place));
  if (others.length > 0) return say.checkedOut(plan.branch, others);
  return (await prepareBranch(home, attempt)) ?? holding(home, plan, () => attach(home, attempt));
}

/**
 * Two `git worktree add` for one place disturb each other, and both leave something behind. So whoever adds or
 * removes one lets git hold the lock of a reference that never exists. Git releases it when we end, in whatever
 * way.
 */
async function holding<T>(
  home: Repository,
  { branch }: AddWorktree,
  work: () => Promise<T>,
): Promise<T> {
  const worked: { answer?: T } = {};
  const answer = await home.run(["update-ref", "--stdin"], {
    cwd: home.top,
    input: `start\nverify refs/holdpoint/making/${branch} ${home.zeroOid}\nprepare\n`,
    reply: async (line) => {
      if (line === "start: ok") return "";
      if (line !== "prepare: ok") return undefined;
      worked.answer = await work();
      return "abort\n";
    },
  });
  if (worked.answer === undefined) throw new GitFailure(answer);
  return worked.answer;
}

/** Returns a branch that may be checked out, or a refusal. */
async function prepareBranch(
  home: Repository,
  { plan, ref }: Attempt,
): Promise<Done<WorktreeAdded> | "again" | undefined> {
  const target = await readSymbolic(home, ref);
  if (target !== undefined) return say.symbolic(plan.branch, target);
  const tip = await readCommit(home, ref);
  if (tip !== undefined) {
    const ours = plan.recorded || (await wasMadeFor(home, ref, plan.path));
    return ours ? undefined : say.branchForeign(plan.branch);
  }
  const base =
    (await readCommit(home, `refs/heads/${plan.base}`)) ?? (await readCommit(home, plan.base));
  if (base === undefined) {
    const empty = (await readCommit(home, "HEAD")) === undefined;
    return empty ? say.noCommits() : say.baseMissing(plan.base);
  }
  home.onStep("worktree.branch");
  const args = ["update-ref", "--create-reflog", "-m", madeFor(plan.path), ref, base, home.zeroOid];
  const answer = await home.run(args, { cwd: home.top });
  if (answer.code === 0) return undefined;
  if ((await readCommit(home, ref)) !== undefined) return "again";
  // A branch `a` exists where `a/b` is wanted; git cannot have both.
  if (/exists; cannot create/.test(answer.stderr)) return say.branchForeign(plan.branch);
  throw new GitFailure(answer);
}

async function attach(home: Repository, attempt: Attempt): Promise<Done<WorktreeAdded> | "again"> {
  const { place, plan, ref } = attempt;
  // The previous holder of the lock has created it.
  if ((await listEntries(home)).some((one) => one.place === place || one.ref === ref))
    return "again";
  home.onStep("worktree.add");
  const args = ["worktree", "add", "--quiet", "--no-guess-remote", "--", place, plan.branch];
  const answer = await home.run(args, { cwd: home.top });
  const entry = (await listEntries(home)).find((one) => one.place === place);
  if (answer.code === 0 && entry !== undefined) return await finish(home, attempt, entry);
  // Another process was faster; the list now shows it.
  if (entry !== undefined || /already checked out|already exists/.test(answer.stderr))
    return "again";
  throw new GitFailure(answer);
}

async function finish(
  home: Repository,
  { plan, tried }: Attempt,
  entry: Entry,
): Promise<Done<WorktreeAdded>> {
  const created = entry.locked === undefined;
  if (created) await lockEntry(home, entry.place, plan.reason);
  const commit = entry.head ?? (await readCommit(home, `refs/heads/${plan.branch}`)) ?? "";
  return { kind: "done", commit, created: created || tried > 0 };
}

/** Removes what a killed git has left. If git were still at work, it would hold the lock. */
async function dropHalfMade(
  home: Repository,
  attempt: Attempt,
): Promise<Done<WorktreeAdded> | "again"> {
  const entry = (await listEntries(home)).find((one) => one.place === attempt.place);
  return entry?.locked === INITIALIZING ? await dropEntry(home, attempt) : "again";
}

/** Removes only this entry, after saving what only it knows. The branch is looked at again afterwards. */
async function dropEntry(
  home: Repository,
  { plan, place }: Attempt,
): Promise<Done<WorktreeAdded> | "again"> {
  if ((await gitDirOf(home, place)) === undefined) return "again";
  const { path, branch } = plan;
  const salvage = { task: "lost", name: branch, into: branch };
  const removed = await removeWorktree(home, { path, branch, recorded: false, ...salvage });
  return removed.kind === "refused" ? removed : "again";
}

async function wasMadeFor(home: Repository, ref: string, path: string): Promise<boolean> {
  const args = ["log", "--walk-reflogs", "--format=%gs", "--no-show-signature", ref, "--"];
  const out = await succeed(home.run(args, { cwd: home.top, env: READ_ONLY }));
  return out === `${madeFor(path)}\n`;
}

function madeFor(path: string): string {
  return `holdpoint: made for ${path}`;
}

async function isFree(place: string): Promise<boolean> {
  if (!exists(place)) return true;
  try {
    return (await readdir(place)).length === 0;
  } catch {
    return false;
  }
}

export function shortRef(ref: string | undefined): string | undefined {
  return ref?.replace(/^refs\/heads\//, "");
}

/** What git itself writes while creating a worktree; a killed git leaves it there. */
const INITIALIZING = "initializing";
const WAIT_TRIES_MAX = 20;
const ADD_TRIES_MAX = 40;
const PAUSE_MS = 150;
// Long enough to check out a large tree.
