/** Runs one git command: arguments as a list, a clean environment, bounded time and output. */
import type { ChildProcess } from "node:child_process";
import { ProblemError } from "../../../ports/problem.ts";
import { AS_STORED, cleanEnvironment } from "./environment.ts";
import { failureOf, type GitAnswer } from "./failure.ts";
import { findHooks, hooksOf } from "./waiting.ts";

export { READ_ONLY } from "./environment.ts";
export type { GitAnswer } from "./failure.ts";

export type RunGit = (args: readonly string[], options?: RunOptions) => Promise<GitAnswer>;

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Uint8Array;
  /**
   * For an interactive command: called with every line of output; the result is written to it next, and undefined
   * ends the conversation. If this throws, the run throws too, after git has released its locks.
   */
  readonly reply?: (line: string) => Promise<string | undefined>;
  readonly env?: Readonly<Record<string, string>>;
  /** The time limit; for an interactive command, for each of its answers. */
  readonly msMax?: number;
  readonly bytesMax?: number;
  /** It runs a hook's program, so the user's locale is kept. */
  readonly hook?: boolean;
  /** A program other than git, for hooks under a git that cannot run them itself. */
  readonly program?: string;
}

/** Thrown when a git command that must succeed fails. */
export class GitFailure extends ProblemError {
  override readonly name = "GitFailure";
  readonly answer: GitAnswer;

  constructor(answer: GitAnswer) {
    const { args, end, code, stderr } = answer;
    super(failureOf(answer), `git ${args.join(" ")} ended with ${end} ${code}: ${stderr}`);
    this.answer = answer;
  }
}

export function createRunGit(
  binary: string,
  inherited: NodeJS.ProcessEnv,
  hookMsMax: number = HOOK_MS_MAX,
): RunGit {
  const clean = cleanEnvironment(inherited);
  const turns = createTurns(PROCESSES_MAX);
  const run: RunGit = async (args, given = {}) => {
    const { hooks, isQuick } = hooksOf(args, given.env);
    const options = { msMax: isQuick ? hookMsMax : GIT_MS_MAX, ...given };
    const answer = await runOnce(binary, clean, args, options);
    if (answer.end !== "timeout" || hooks.length === 0) return answer;
    const found = await findHooks(run, hooks, options.cwd);
    return { ...answer, heldBy: { hooks: found, seconds: Math.ceil(options.msMax / 1000) } };
  };
  return async (args, options = {}) => {
    // An interactive command or a hook may need other git commands meanwhile, so it must not occupy a turn.
    if (options.reply !== undefined || options.hook === true) return await run(args, options);
    await turns.take();
    try {
      return await run(args, options);
    } finally {
      turns.give();
    }
  };
}

/** Limits how many git processes run at once: a report may name ten thousand files and ask about each. */
function createTurns(max: number): {
  readonly take: () => Promise<void>;
  readonly give: () => void;
} {
  let free = max;
  const waiting: (() => void)[] = [];
  return {
    take: async () => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    give: () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

async function runOnce(
  binary: string,
  clean: NodeJS.ProcessEnv,
  args: readonly string[],
  options: RunOptions,
): Promise<GitAnswer> {
  // Imported here, so that calls that need no git start faster.
  const { spawn } = await import("node:child_process");
  const { input = "", reply } = options;
  // Most commands need no input, and writing to a pipe that git has closed would fail.
  const stdin = input.length === 0 && reply === undefined ? "ignore" : "pipe";
  const child: ChildProcess = spawn(options.program ?? binary, args, {
    cwd: options.cwd,
    env: { ...clean, ...(options.hook === true ? {} : AS_STORED), ...options.env },
    // A process group of its own, so that a hook's children are ended with it.
    detached: true,
    stdio: [stdin, "pipe", "pipe"],
  });
  let wait = (): void => undefined;
  let rest = wait;
  const answer = new Promise<GitAnswer>((resolve) => {
    [wait, rest] = watch(child, { args, options, resolve });
  });
  // A command that does not read its input closes the pipe, which is not an error.
  child.stdin?.on("error", () => undefined);
  if (reply === undefined) child.stdin?.end(input);
  else {
    child.stdin?.write(input);
    try {
      await talk(child, async (line) => {
        rest();
        try {
          return await reply(line);
        } finally {
          wait();
        }
      });
    } finally {
      // Only then has git released its locks.
      await answer;
    }
  }
  return await answer;
}

async function talk(
  { stdin, stdout }: ChildProcess,
  reply: NonNullable<RunOptions["reply"]>,
): Promise<void> {
  if (stdin === null || stdout === null) throw new Error("Cannot talk with git without pipes");
  const { createInterface } = await import("node:readline");
  try {
    for await (const line of createInterface({ input: stdout })) {
      const next = await reply(line);
      if (next === undefined) stdin.end();
      else stdin.write(next);
    }
  } finally {
    stdin.end();
    // A closed readline interface pauses its stream, and the process would never end.
    stdout.resume();
  }
}

/** Standard output as text; throws a `GitFailure` if the command fails. */
export async function succeed(answer: Promise<GitAnswer>): Promise<string> {
  return (await succeedBytes(answer)).toString("utf8");
}

export async function succeedBytes(answer: Promise<GitAnswer>): Promise<Buffer> {
  const settled = await answer;
  if (settled.end !== "exit" || settled.code !== 0) throw new GitFailure(settled);
  return settled.stdout;
}

interface Watched {
  readonly args: readonly string[];
  readonly options: RunOptions;
  readonly resolve: (answer: GitAnswer) => void;
}

/** Waits for the process. Returns how to start waiting and how to stop it. */
function watch(
  child: ChildProcess,
  { args, options, resolve }: Watched,
): readonly [() => void, () => void] {
  const out: Buffer[] = [];
  let size = 0;
  let tail = "";
  let end: GitAnswer["end"] = "exit";
  const stop = (why: GitAnswer["end"]): void => {
    end = why;
    endGroup(child);
  };
  let timer: NodeJS.Timeout | undefined;
  const rest = (): void => clearTimeout(timer);
  const wait = (): void => {
    rest();
    timer = setTimeout(() => stop("timeout"), options.msMax ?? GIT_MS_MAX);
  };
  wait();
  const finish = (code: number | null): void => {
    rest();
    clearTimeout(left);
    child.stdout?.destroy();
    child.stderr?.destroy();
    if (end === "exit" && code === null) end = "killed";
    const stdout = Buffer.concat(out);
    resolve({ args, code: end === "exit" ? (code ?? -1) : -1, end, stdout, stderr: tail });
  };
  // A daemon started by a hook may keep the pipes open forever. So after the command has ended, they are only read
  // until they fall silent.
  let left: NodeJS.Timeout | undefined;
  let ended: { readonly code: number | null } | undefined;
  const hear = (): void => {
    clearTimeout(left);
    if (ended !== undefined) left = setTimeout(finish, PIPES_MS_MAX, ended.code).unref();
  };
  const keepTail = (text: string): void => {
    hear();
    tail = (tail + text).slice(-STDERR_CHARS_MAX);
  };
  const keepAll = (chunk: Buffer): void => {
    hear();
    size += chunk.length;
    if (size > (options.bytesMax ?? STDOUT_BYTES_MAX)) stop("overflow");
    else out.push(chunk);
  };
  if (options.hook === true) child.stdout?.setEncoding("utf8").on("data", keepTail);
  else child.stdout?.on("data", keepAll);
  child.stderr?.setEncoding("utf8").on("data", keepTail);
  child.on("error", () => {
    end = "missing";
    finish(null);
  });
  child.on("close", finish);
  child.on("exit", (code) => {
    ended = { code };
    hear();
  });
  return [wait, rest];
}

/** SIGTERM first: git then removes its lock files, which it cannot do when killed. */
function endGroup(child: ChildProcess): void {
  const signal = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The group has already ended.
    }
  };
  signal("SIGTERM");
  const timer = setTimeout(() => signal("SIGKILL"), KILL_MS_MAX);
  timer.unref();
  child.on("close", () => clearTimeout(timer));
}

/**
 * Waits for all tasks, then throws the first error. Otherwise a process of ours might still work in a directory
 * that is being removed.
 */
export async function together<const T extends readonly unknown[]>(
  tasks: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  await Promise.allSettled(tasks);
  return await Promise.all(tasks);
}

const PROCESSES_MAX = 8;
const GIT_MS_MAX = 120_000;
const KILL_MS_MAX = 2_000;
const PIPES_MS_MAX = 1_000;
/** A slower hook would block everybody who works here. */
export const HOOK_MS_MAX = 60_000;
const STDOUT_BYTES_MAX = 64 * 1024 * 1024;
const STDERR_CHARS_MAX = 16 * 1024;
