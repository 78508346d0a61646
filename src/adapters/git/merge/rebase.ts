/**
 * Puts the commits of a branch on top of another without touching a file: every merge is made in the object
 * store, so a conflict leaves nothing to abort. Only then the branch moves, with its worktree.
 *
 *   integrate: rebase ──► move the branch ──► fast-forward `into`
 *
 * The branch first: dying between the two leaves it on top of `into`, from where a second try only has the
 * fast-forward left. The other order would pick the same commits twice.
 */
import type { BranchRebased, Done, IntegrateBranch, NotDone } from "../../../ports/worktrees.ts";
import type { RebaseBranch } from "../../../ports/worktrees.ts";
import { readCommit, readTree } from "../place/head.ts";
import { readSettings } from "../run/settings.ts";
import { fastForward } from "./forward.ts";
import { moveBranch } from "./move.ts";
import { commitsBetween, readBranch } from "./read.ts";
import type { Repository } from "../place/place.ts";
import { mergeTrees } from "./trees.ts";
import { writeCommit } from "../place/ref.ts";
import { READ_ONLY, succeed } from "../run/run.ts";
import * as say from "../worktree/refusal.ts";
import { isIn } from "../worktree/salvage.ts";

export async function integrate(
  home: Repository,
  { branch, into, had = [] }: IntegrateBranch,
): Promise<Done<BranchRebased>> {
  for (let tried = 0; tried < INTEGRATE_TRIES_MAX; tried += 1) {
    const expected = await readCommit(home, `refs/heads/${into}`);
    if (expected === undefined) return say.noBranch(into);
    const rebased = await rebaseBranch(home, { branch, onto: into, had });
    if (rebased.kind === "refused") return rebased;
    const plan = { into, from: rebased.commit, expected };
    const moved = await fastForward(home, plan);
    if (moved.kind === "done") return rebased;
    // Another agent's work was merged meanwhile: rebase onto that.
    if (!["branch-moved", "not-fast-forward"].includes(moved.code)) return moved;
  }
  return say.movedTooOften(into, INTEGRATE_TRIES_MAX);
}

export async function rebaseBranch(
  home: Repository,
  { branch, onto, had = [] }: RebaseBranch,
): Promise<Done<BranchRebased>> {
  const tip = await readCommit(home, `refs/heads/${branch}`);
  if (tip === undefined) return say.noBranch(branch);
  const base = await readBranch(home, onto);
  if (base === undefined) return say.baseMissing(onto);
  const rebased = await rebuild(home, { branch, onto, tip, base, had: await known(home, had) });
  if (typeof rebased !== "string") return rebased;
  const note = `rebase on ${base.slice(0, 12)}`;
  const moved = await moveBranch(home, { branch, from: tip, to: rebased, note });
  if (moved.kind === "refused") return moved;
  return { kind: "done", commit: rebased, commits: await commitsBetween(home, base, rebased) };
}

interface Picking extends RebaseBranch {
  readonly tip: string;
  readonly base: string;
}

async function known(home: Repository, commits: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(commits.map((commit) => readCommit(home, commit)));
  return found.filter((commit) => commit !== undefined);
}

async function rebuild(home: Repository, picking: Picking): Promise<string | NotDone> {
  const { tip, base, had = [] } = picking;
  const contained: string[] = [];
  for (const commit of had) if (await isIn(home, commit, tip)) contained.push(commit);
  for (const commit of [base, ...had]) if (await isIn(home, tip, commit)) return base;
  const straight = (await countMerges(home, [base, ...had], tip)) === 0;
  if (straight && (await isIn(home, base, tip))) return tip;
  home.onStep("rebase.pick");
  // A merge commit may contain a conflict resolution that no single commit has, so its result is taken over as
  // one commit.
  if (!straight) {
    const last = contained.at(-1);
    const against = last === undefined ? base : await asChild(home, base, last);
    return await pick(home, picking, { onto: base, commit: tip, against });
  }
  let onto = base;
  const range = ["rev-list", "--reverse", "--topo-order", "--cherry-pick", "--right-only"];
  const without = contained.map((commit) => `^${commit}`);
  const out = await succeed(
    home.run([...range, `${base}...${tip}`, ...without, "--"], { cwd: home.top, env: READ_ONLY }),
  );
  for (const commit of out.split("\n").filter((oid) => oid !== "")) {
    const parent = await readCommit(home, `${commit}^1`);
    const against = await asChild(home, onto, parent);
    const picked = await pick(home, picking, { onto, commit, against });
    if (typeof picked !== "string") return picked;
    onto = picked;
  }
  return onto;
}

async function countMerges(
  home: Repository,
  without: readonly string[],
  tip: string,
): Promise<number> {
  const args = ["rev-list", "--count", "--merges", tip, ...without.map((one) => `^${one}`), "--"];
  return Number(await succeed(home.run(args, { cwd: home.top, env: READ_ONLY })));
}

/**
 * Makes the tree of `onto` a child of the commit's own parent. That parent is then the common ancestor of the
 * merge, which makes it a cherry-pick. (`merge-tree --merge-base` requires git 2.40.)
 */
async function asChild(
  home: Repository,
  onto: string,
  parent: string | undefined,
): Promise<string> {
  const args = ["commit-tree", await readTree(home, onto), "-m", "holdpoint: for a merge"];
  if (parent !== undefined) args.push("-p", parent);
  const env = Object.fromEntries(
    ["AUTHOR", "COMMITTER"].flatMap((who) => [
      [`GIT_${who}_NAME`, "Holdpoint"],
      [`GIT_${who}_EMAIL`, "holdpoint@localhost"],
      [`GIT_${who}_DATE`, "@0 +0000"],
    ]),
  );
  return (await succeed(home.run(args, { cwd: home.top, env }))).trim();
}

interface Pick {
  readonly onto: string;
  readonly commit: string;
  readonly against: string;
}

/**
 * Applies the commit on top of `onto`, with its author, date and message. Returns `onto` if the commit changes
 * nothing there.
 */
async function pick(
  home: Repository,
  { branch, onto: name }: Picking,
  { onto, commit, against }: Pick,
): Promise<string | NotDone> {
  const merged = await mergeTrees(home, against, commit);
  if ("kind" in merged) return merged;
  const { tree, clashes } = merged;
  if (clashes.length > 0) return say.conflict(branch, name, clashes);
  if (tree === (await readTree(home, onto))) return onto;
  const written = await writeCommit(home, { ...(await readMeta(home, commit)), tree, base: onto });
  return written.refusal === undefined ? written.oid : say.refused(written.refusal);
}

/** Author, date and message of a commit, so that its copy gets the same id every time. */
async function readMeta(home: Repository, commit: string) {
  const args = ["log", "-1", "--no-show-signature", "--encoding=UTF-8"];
  args.push("--format=%an%x00%ae%x00%at%x00%B", commit);
  const out = await succeed(home.run(args, { cwd: home.top, env: READ_ONLY }));
  const [name = "", email = "", at = "0", message = ""] = out.split("\0");
  const settings = await readSettings(home);
  const author = name.trim() === "" ? settings.author : { name, email };
  const date = new Date(Number(at) * 1000).toISOString();
  const text = message.trim() === "" ? "(no message)\n" : message;
  return { author, at: date, message: text, sign: settings.sign };
}

const INTEGRATE_TRIES_MAX = 16;
