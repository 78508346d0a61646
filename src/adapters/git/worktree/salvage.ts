/**
 * Saves work before it is removed: one commit with the files as they are, whose parents are HEAD, the index and
 * whatever else would be lost, under `refs/holdpoint/salvage/<task>/<name>/<n>`.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readCommit, readTree } from "../place/head.ts";
import type { Repository } from "../place/place.ts";
import { GitFailure, READ_ONLY, succeed } from "../run/run.ts";
import { readDirt } from "./dirt.ts";
import { movedTooOften, WorktreeRefused } from "./refusal.ts";

export interface Salvage {
  readonly task: string;
  readonly name: string;
  /** The branch that may already have the work. If there is no such branch, it has nothing. */
  readonly into: string;
}

/** Saves everything in a worktree and its branch. Returns the reference, if one was needed. */
export async function saveWorktree(
  repo: Repository,
  salvage: Salvage & { readonly branch: string; readonly moved: boolean },
): Promise<string | undefined> {
  const head = (await readCommit(repo, "HEAD")) ?? "";
  const { files, staged } = await readDirt(repo, { head, moved: salvage.moved });
  const tip = (await readCommit(repo, `refs/heads/${salvage.branch}`)) ?? "";
  const commits = [head, tip, ...(await pseudoRefs(repo))].filter((one) => one !== "");
  const loose = await notIn(repo, salvage.into, commits);
  if (files === undefined && staged === undefined) return await saveCommits(repo, loose, salvage);
  const at = await dateOf(repo, head);
  const heads = head === "" ? [] : [head];
  const index =
    staged === undefined
      ? []
      : [
          await writeJoin(repo, {
            tree: staged,
            parents: heads,
            at,
            message: say("index", salvage),
          }),
        ];
  const tree = files ?? (await readTree(repo, head));
  const parents = [...new Set([...heads, ...index, ...loose])];
  const commit = await writeJoin(repo, { tree, parents, at, message: say("files", salvage) });
  return await saveCommits(repo, [commit], salvage);
}

/** Saves the commits that `into` lacks. */
export async function saveLoose(
  repo: Repository,
  commits: readonly string[],
  salvage: Salvage,
): Promise<string | undefined> {
  return await saveCommits(repo, await notIn(repo, salvage.into, commits), salvage);
}

async function saveCommits(
  repo: Repository,
  commits: readonly string[],
  salvage: Salvage,
): Promise<string | undefined> {
  const [first, ...others] = await independent(repo, commits);
  if (first === undefined) return undefined;
  if (others.length === 0) return await keep(repo, first, salvage);
  const at = await dateOf(repo, first);
  const tree = await readTree(repo, first);
  const parents = [first, ...others];
  const commit = await writeJoin(repo, { tree, parents, at, message: say("commits", salvage) });
  return await keep(repo, commit, salvage);
}

/** Uses the next free number. A second attempt finds what the first one saved. */
async function keep(repo: Repository, commit: string, { task, name }: Salvage): Promise<string> {
  const prefix = `refs/holdpoint/salvage/${word(task)}/${word(name)}/`;
  for (let tried = 0; tried < KEEP_TRIES_MAX; tried += 1) {
    const args = ["for-each-ref", "--format=%(refname)", prefix];
    const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
    const refs = out.split("\n").filter((ref) => ref !== "");
    for (const ref of refs) if (await isIn(repo, commit, ref)) return ref;
    const last = Math.max(0, ...refs.map((ref) => Number(ref.slice(prefix.length)) || 0));
    const ref = `${prefix}${last + 1}`;
    repo.onStep("salvage.ref");
    const update = ["update-ref", "--create-reflog", "-m", "holdpoint: saved", ref, commit];
    const answer = await repo.run([...update, repo.zeroOid], { cwd: repo.top });
    if (answer.code === 0) return ref;
    if ((await readCommit(repo, ref)) === undefined) throw new GitFailure(answer);
  }
  throw new WorktreeRefused(movedTooOften(prefix, KEEP_TRIES_MAX));
}

interface Join {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly at: string;
  readonly message: string;
}

/** Name and date do not depend on the time, so a second attempt makes the same commit. */
async function writeJoin(repo: Repository, { tree, parents, at, message }: Join): Promise<string> {
  const args = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree];
  for (const parent of parents) args.push("-p", parent);
  const who = { NAME: "Holdpoint", EMAIL: "holdpoint@localhost", DATE: at };
  const env = Object.fromEntries(
    Object.entries(who).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]),
  );
  return (await succeed(repo.run(args, { cwd: repo.top, env, input: message }))).trim();
}

function say(what: string, { task, name }: Salvage): string {
  return `holdpoint: ${what} of ${name} in ${task}, saved before removal\n`;
}

async function dateOf(repo: Repository, commit: string): Promise<string> {
  if (commit === "") return "@0 +0000";
  const args = ["log", "-1", "--no-show-signature", "--format=@%ct +0000", commit];
  return (await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }))).trim();
}

/** Commits that only an unfinished merge, cherry-pick or rebase refers to. */
async function pseudoRefs(repo: Repository): Promise<readonly string[]> {
  const texts = await Promise.all(
    PSEUDO.map((name) => readFile(join(repo.gitDir, name), "utf8").catch(() => "")),
  );
  const oids = texts.flatMap((text) => text.match(/^[0-9a-f]{40,64}/gm) ?? []);
  const found = await Promise.all(oids.map((oid) => readCommit(repo, oid)));
  return found.filter((oid) => oid !== undefined);
}

async function notIn(
  repo: Repository,
  into: string,
  commits: readonly string[],
): Promise<readonly string[]> {
  const base = (await readCommit(repo, `refs/heads/${into}`)) ?? (await readCommit(repo, into));
  if (base === undefined) return [...new Set(commits)];
  const all = [...new Set(commits)];
  const there = await Promise.all(all.map((commit) => isIn(repo, commit, base)));
  return all.filter((_, index) => there[index] !== true);
}

export async function isIn(repo: Repository, commit: string, branch: string): Promise<boolean> {
  if (commit === branch) return true;
  const args = ["merge-base", "--is-ancestor", commit, branch];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  if (answer.end !== "exit" || answer.code > 1) throw new GitFailure(answer);
  return answer.code === 0;
}

async function independent(
  repo: Repository,
  commits: readonly string[],
): Promise<readonly string[]> {
  if (commits.length < 2) return commits;
  const args = ["merge-base", "--independent", ...commits];
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  return out.split("\n").filter((oid) => oid !== "");
}

function word(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}_-]/gu, "-").replace(/^-+/, "") || "work";
}

const PSEUDO = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "MERGE_AUTOSTASH",
  "rebase-merge/orig-head",
  "rebase-merge/autostash",
  "rebase-apply/orig-head",
  "rebase-apply/autostash",
] as const;

const KEEP_TRIES_MAX = 20;
