/** Runs a configured check in its own process group, with limits on time and output. */
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { RunOptions, RunResult, Runner } from "../../ports/runner.ts";
import { searchPath, type Search, type SearchOptions } from "./search-path.ts";

const OUTPUT_CHARS_MAX = 64_000;
/** How long output is read after the check has ended. */
const PIPES_MS_MAX = 1_000;

export function createRunner(asked: SearchOptions): Runner {
  return { run: (command, options) => run(command, options, asked) };
}

async function run(
  command: readonly string[],
  options: RunOptions,
  asked: SearchOptions,
): Promise<RunResult> {
  const [program, ...args] = command;
  if (program === undefined || runsNothing(command))
    return { kind: "failed", message: "there is nothing to run" };
  // Imported here, so that calls that run no check start faster.
  const { spawn } = await import("node:child_process");
  const started = performance.now();
  const search = searchPath(process.env["PATH"] ?? "", options.cwd, asked);
  const file = fileOf(program, search.kept);
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: {
      ...plainEnvironment(process.env),
      ...options.env,
      PATH: search.kept.join(delimiter),
    },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = collect(child);
  running.add(child);
  for (const event of ["exit", "error"]) child.once(event, () => running.delete(child));
  process.off("exit", endAll).once("exit", endAll);
  return await new Promise((resolve) => {
    const timer = setTimeout(() => {
      endGroup(child);
      resolve({ kind: "timeout", output: output(), ms: elapsed(started) });
    }, options.msMax);
    child.once("error", (error) => {
      clearTimeout(timer);
      resolve({ kind: "failed", message: notStarted(program, error, search) });
    });
    let code: number | null = null;
    const end = (): void => {
      clearTimeout(timer);
      endGroup(child);
      child.stdout.destroy();
      child.stderr.destroy();
      const ended = { code: code ?? 1, output: output(), ms: elapsed(started) };
      resolve({ kind: "exited", ...ended, ...(file === undefined ? {} : { program: file }) });
    };
    child.once("close", end);
    child.once("exit", (said) => {
      code = said;
      // A process that the check leaves behind may keep the pipes open, even outside its group.
      endGroup(child);
      setTimeout(end, PIPES_MS_MAX).unref();
    });
  });
}

/** A shell without a command succeeds, but proves nothing. */
function runsNothing([program = "", ...args]: readonly string[]): boolean {
  if (program.trim() === "") return true;
  const at = args.findIndex((one) => /^-[a-z]*c$/.test(one));
  const isShell = /(?:^|\/)(?:ba|da|k|z)?sh$/.test(program);
  return isShell && at >= 0 && NOTHING.test(args[at + 1] ?? "");
}

/** Spaces, comments, and `:`, which does nothing. */
const NOTHING = /^(?:[\s;]|:(?![^\s;])|#[^\n]*)*$/;

const running = new Set<ChildProcess>();

/** When a server stops, running checks are ended, because nobody would take their results. */
function endAll(): void {
  for (const child of running) endGroup(child);
}

/** The file that a program name stands for. It depends on PATH, so it is recorded as evidence. */
function fileOf(program: string, path: readonly string[]): string | undefined {
  if (program.includes("/")) return undefined;
  return path.map((directory) => join(directory, program)).find((file) => existsSync(file));
}

function notStarted(program: string, error: Error, { left }: Search): string {
  const found = fileOf(program, left);
  return found === undefined
    ? error.message
    : `${found} is not run for a check: its directory is in the repository, relative, or open to others. Name the directories that count: "path" in the committed holdpoint.config.json`;
}

/**
 * The environment comes from whoever asks for the step. Variables that load code into every program, pass options
 * to a tool (to pretend, to skip tests, to use another shell), or point git to another repository are removed:
 * otherwise those being judged could influence the check. Options belong in the command or in the repository's
 * files.
 */
function plainEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const steers = (name: string): boolean => LOADS_CODE.test(name) || GIVES_OPTIONS.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !steers(name)));
}

const LOADS_CODE =
  /^(?:LD_(?:PRELOAD|AUDIT)|DYLD_INSERT_LIBRARIES|BASH_ENV|BASH_FUNC_.*|ENV|PYTHONSTARTUP|DOTNET_STARTUP_HOOKS|GIT_.*)$/;
const GIVES_OPTIONS =
  /^(?:NODE_OPTIONS|PERL5OPT|RUBYOPT|SHELLOPTS|BASHOPTS|(?:GNU)?MAKEFLAGS|MFLAGS|MAKEFILES|GOFLAGS|PYTEST_(?:ADDOPTS|PLUGINS)|(?:GTEST|CTEST)_.*|npm_config_.*|MAVEN_(?:OPTS|ARGS)|GRADLE_OPTS|_?JAVA(?:_TOOL)?_OPTIONS|JDK_JAVA_OPTIONS)$/i;

/** Keeps the end of the output, where a failing check says why. */
function collect(child: ChildProcess): () => string {
  let text = "";
  const add = (chunk: Buffer): void => {
    text = (text + chunk.toString("utf8")).slice(-OUTPUT_CHARS_MAX);
  };
  child.stdout?.on("data", add);
  child.stderr?.on("data", add);
  return () => text;
}

function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group has already ended.
  }
}

function elapsed(started: number): number {
  return Math.round(performance.now() - started);
}
