import { spawn } from "node:child_process";

export interface Ran {
  /** Undefined if it did not start, or did not end in time. */
  readonly exit: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  readonly ms: number;
  /** Returns the next text to write; undefined ends the conversation. */
  readonly talk?: (line: string) => string | undefined;
}

const CHARS_MAX = 1_000_000;

/** Runs a program until it ends or its time is up, and then kills its process group. */
export async function runBounded(
  command: string,
  args: readonly string[],
  { cwd, env, input = "", ms, talk }: RunOptions,
): Promise<Ran> {
  const begun = performance.now();
  const child = spawn(command, [...args], { cwd, env, detached: true, stdio: "pipe" });
  let [stdout, stderr, line] = ["", "", ""];
  const end = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
  };
  const hear = (text: string): void => {
    if (stdout.length < CHARS_MAX) stdout += text;
    if (talk === undefined) return;
    line += text;
    for (let at = line.indexOf("\n"); at >= 0; at = line.indexOf("\n")) {
      const answer = talk(line.slice(0, at));
      line = line.slice(at + 1);
      if (answer === undefined) end();
      else if (answer !== "") child.stdin.write(answer);
    }
  };
  return await new Promise((resolve) => {
    const done = (exit: number | undefined): void => {
      clearTimeout(timer);
      // Processes that it left behind would keep its pipes open.
      end();
      resolve({ exit, stdout, stderr, ms: Math.round(performance.now() - begun) });
    };
    const timer = setTimeout(() => done(undefined), ms);
    child.on("error", (error) => {
      stderr += error.message;
      done(undefined);
    });
    child.on("exit", (code) => setTimeout(() => done(code ?? undefined), 50));
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      if (stderr.length < CHARS_MAX) stderr += text;
    });
    child.stdin.on("error", () => undefined);
    if (talk === undefined) child.stdin.end(input);
    else child.stdin.write(input);
  });
}

/** The first line of a program's output, to show to a person. */
export function firstLine(text: string): string {
  return (text.trim().split("\n")[0] ?? "").slice(0, 300);
}
