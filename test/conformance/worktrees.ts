/** Scratch repositories for tests of worktrees and merges: real git, paths with spaces and umlauts. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createBranches } from "../../src/adapters/git/merge/branches.ts";
import type { WorktreeOptions } from "../../src/adapters/git/worktree/list.ts";
import { createWorktrees } from "../../src/adapters/git/worktree/worktrees.ts";
import type {
  AddWorktree,
  Branches,
  Done,
  NotDone,
  RemoveWorktree,
  Worktrees,
} from "../../src/ports/worktrees.ts";
import { repository, type Scratch } from "./git.ts";

export const TASK = "add-parser";
/** Where its worktree lies: a name git, a shell and a URL each would like to read differently. */
export const CODE: string = `.holdpoint/tasks/-${TASK} é/code`;

export interface Forest extends Scratch {
  readonly worktrees: Worktrees;
  readonly branches: Branches;
  readonly open2: (options?: Partial<WorktreeOptions>) => {
    readonly worktrees: Worktrees;
    readonly branches: Branches;
  };
  /** Git in one of the worktrees. */
  readonly at: (path: string, ...args: readonly string[]) => string;
  readonly oid: (revision: string) => string;
  /** Write a file in a worktree and commit it there. */
  readonly commit: (path: string, file: string, text: string) => string;
  readonly salvaged: () => readonly string[];
}

export function forest(scratch: Scratch = repository()): Forest {
  const { top, tmpDir, env } = scratch;
  const open2: Forest["open2"] = (options = {}) => {
    const all = { cwd: top, tmpDir, env, ...options };
    return { worktrees: createWorktrees(all), branches: createBranches(all) };
  };
  const at: Forest["at"] = (path, ...args) =>
    execFileSync("git", args, {
      cwd: join(top, path),
      env,
      encoding: "utf8",
      stdio: "pipe",
    }).replace(/\n$/, "");
  writeFileSync(join(top, ".git", "info", "exclude"), ".holdpoint/\n");
  return {
    ...scratch,
    ...open2(),
    open2,
    at,
    oid: (revision) => scratch.git("rev-parse", "--verify", revision),
    commit: (path, file, text) => {
      mkdirSync(dirname(join(top, path, file)), { recursive: true });
      writeFileSync(join(top, path, file), text);
      at(path, "add", "--", file);
      at(path, "commit", "--quiet", "-m", `[agent] ${file}`);
      return at(path, "rev-parse", "HEAD");
    },
    salvaged: () =>
      scratch
        .git("for-each-ref", "--format=%(refname)", "refs/holdpoint/salvage/")
        .split("\n")
        .filter((ref) => ref !== ""),
  };
}

/** One with the task's worktree in it. */
export async function planted(): Promise<Forest> {
  const one = forest();
  done(await one.worktrees.add(adding()));
  return one;
}

/** A task with one commit, ready for main. */
export async function ripe(): Promise<{ one: Forest; from: string; expected: string }> {
  const one = await planted();
  const expected = one.oid("main");
  const from = one.commit(CODE, "new.txt", "new\n");
  return { one, from, expected };
}

export function adding(plan: Partial<AddWorktree> = {}): AddWorktree {
  return { path: CODE, branch: TASK, base: "main", recorded: false, reason: "task", ...plan };
}

export function removing(plan: Partial<RemoveWorktree> = {}): RemoveWorktree {
  const names = { task: TASK, name: "code" };
  return { path: CODE, branch: TASK, into: "main", recorded: true, ...names, ...plan };
}

export function done<T>(answer: Done<T>): T {
  if (answer.kind === "refused") throw new Error(`refused: ${answer.code} ${answer.message}`);
  return answer;
}

export function refusal<T>(answer: Done<T>): NotDone {
  if (answer.kind !== "refused") throw new Error(`not refused: ${JSON.stringify(answer)}`);
  for (const text of [answer.code, answer.message, answer.fix]) {
    if (text === "") throw new Error(`says too little: ${JSON.stringify(answer)}`);
  }
  return answer;
}

export function readIn(top: string, path: string): string | undefined {
  const file = join(top, path);
  return existsSync(file) ? readFileSync(file, "utf8") : undefined;
}

/** Run `work` with a death before its n-th step, for n = 1, 2, ... until it comes through. */
export async function dyingEverywhere(
  work: (onStep: (step: string) => void) => Promise<unknown>,
  check: (step: string) => Promise<void>,
): Promise<readonly string[]> {
  const steps: string[] = [];
  for (let wanted = 1; ; wanted += 1) {
    let left = wanted;
    let died = "";
    const onStep = (step: string): void => {
      left -= 1;
      if (left > 0) return;
      if (died === "") died = step;
      throw new Error(`died before ${step}`);
    };
    try {
      await work(onStep);
      if (died === "") return steps;
    } catch (error) {
      if (died === "") throw error;
    }
    steps.push(died);
    await check(died);
  }
}
