/** A repository whose main branch is fenced in, and git as anybody runs it there. */
import { spawnSync } from "node:child_process";
import { expect } from "vitest";
import { copyOf, preparedOnce } from "./cli.ts";
import type { Reply, Scratch } from "./cli.ts";
import { pluginAt } from "./plugin.ts";

export interface GitRun {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

/** A plugin with one savepoint on main, and the fence around it. */
export function fenced(): Scratch {
  return copyOf(
    preparedOnce("fenced", () => {
      const scratch = pluginAt("s0");
      install(scratch);
      return scratch;
    }),
  );
}

export function install(scratch: Scratch, ...args: readonly string[]): Reply {
  const reply = scratch.hold(["fence", "install", ...args]);
  expect(reply.json).toMatchObject({ ok: true, up: true, problems: [] });
  return reply;
}

export function tryGit(
  scratch: Scratch,
  args: readonly string[],
  cwd: string = scratch.top,
  env: Readonly<Record<string, string>> = {},
): GitRun {
  const { status, stdout, stderr } = spawnSync("git", args, {
    cwd,
    env: { ...scratch.env, ...env },
    encoding: "utf8",
    timeout: 60_000,
  });
  return { exit: status ?? -1, stdout, stderr };
}

/** Commits that nobody released: on a branch of its own, made without touching main. */
export function evilCommit(scratch: Scratch, parent = "main", message = "evil"): string {
  const blob = spawnSync("git", ["hash-object", "-w", "--stdin"], {
    cwd: scratch.top,
    env: { ...scratch.env },
    input: "evil\n",
    encoding: "utf8",
  }).stdout.trim();
  const tree = spawnSync("git", ["mktree"], {
    cwd: scratch.top,
    env: { ...scratch.env },
    input: `100644 blob ${blob}\tevil.txt\n`,
    encoding: "utf8",
  }).stdout.trim();
  return scratch.git("commit-tree", tree, "-p", parent, "-m", message);
}

/** Git was stopped by the fence, and main stands where it stood. */
export function expectStopped(
  scratch: Scratch,
  run: () => GitRun,
  says: RegExp = /holdpoint: main does not move/,
): string {
  const before = scratch.git("rev-parse", "refs/heads/main");
  const { exit, stderr } = run();
  expect(stderr).toMatch(says);
  expect(exit).not.toBe(0);
  expect(scratch.git("rev-parse", "refs/heads/main")).toBe(before);
  return stderr;
}

export function problemsOf(scratch: Scratch): readonly string[] {
  const { json } = scratch.hold("fence status");
  const problems = Reflect.get(json, "problems") as readonly Problem[];
  expect(json.ok).toBe(problems.length === 0);
  return problems.map(({ code }) => code);
}

/** Got past it, and is told: by the status, and by whatever is asked next. */
export function expectNoticed(scratch: Scratch, ...codes: readonly string[]): void {
  expect(problemsOf(scratch)).toEqual(expect.arrayContaining([...codes]));
  expect(scratch.hold("list").stderr).toMatch(/main|hook|replace/);
}
