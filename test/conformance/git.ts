/** Scratch repositories for tests of the git port: real git, no configuration but their own. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createGit, type GitOptions } from "../../src/adapters/git/git.ts";
import type { Committed, Git, Prepared, Savepoint, SavepointPlan } from "../../src/ports/git.ts";

export interface Scratch {
  readonly top: string;
  readonly tmpDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** Run git and answer its output, without the last newline. */
  readonly git: (...args: readonly string[]) => string;
  readonly write: (path: string, text: string) => void;
  readonly read: (path: string) => string;
  readonly hook: (name: string, script: string) => void;
  readonly open: (options?: Partial<GitOptions>) => Git;
}

export const AT = "2026-03-01T10:20:30.000Z";
export const RECORD: string = "ab".repeat(32);

/** An empty repository on branch `main`, without a commit. */
export function emptyRepository(): Scratch {
  const home = scratchDirectory();
  const top = join(home, "work tree");
  mkdirSync(top);
  const scratch = scratchAt(home, top);
  scratch.git("init", "--quiet", "--initial-branch=main");
  scratch.git("config", "user.name", "Ada");
  scratch.git("config", "user.email", "ada@example.org");
  return scratch;
}

/** A repository with one commit: `PLUGINS.md`, `other.txt`. */
export function repository(): Scratch {
  const scratch = emptyRepository();
  scratch.write("PLUGINS.md", "registry 1\n");
  scratch.write("other.txt", "line 1\nline 2\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\n");
  scratch.git("add", ".");
  scratch.git("commit", "--quiet", "-m", "first");
  return scratch;
}

export function scratchAt(home: string, top: string): Scratch {
  const env = {
    ...process.env,
    HOME: home,
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C",
  };
  const tmpDir = join(home, "private");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", args, { cwd: top, env, encoding: "utf8", stdio: "pipe" }).replace(
      /\n$/,
      "",
    );
  return {
    top,
    tmpDir,
    env,
    git,
    write: (path, text) => {
      mkdirSync(dirname(join(top, path)), { recursive: true });
      writeFileSync(join(top, path), text);
    },
    read: (path) => readFileSync(join(top, path), "utf8"),
    hook: (name, script) => {
      const file = join(top, git("rev-parse", "--git-path", `hooks/${name}`));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
    open: (options = {}) => createGit({ cwd: top, tmpDir, env, ...options }),
  };
}

export function scratchDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "holdpoint-")));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function planOf(plan: Partial<SavepointPlan>): SavepointPlan {
  return { paths: [], views: {}, message: "feat: stage 1", at: AT, ...plan };
}

export async function prepared(git: Git, plan: Partial<SavepointPlan>): Promise<Savepoint> {
  return ready(await git.prepare(planOf(plan))).savepoint;
}

export function ready(answer: Prepared): Extract<Prepared, { kind: "ready" }> {
  if (answer.kind !== "ready") throw new Error(`not ready: ${JSON.stringify(answer)}`);
  return answer;
}

export function done(answer: Committed): Extract<Committed, { kind: "committed" }> {
  if (answer.kind !== "committed") throw new Error(`not committed: ${JSON.stringify(answer)}`);
  return answer;
}
