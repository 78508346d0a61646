/**
 * A witness: a file that lines are appended to, or a program with arguments, run without a shell. With `recall`
 * as its last argument, the program prints the stored lines; with `keep`, it is given one line.
 */
import { appendFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { Problem } from "../../ports/problem.ts";
import type { Witness } from "../../ports/witness.ts";
import { errorCode, readRegular } from "../store/durable.ts";

const LINES_MAX = 10_000;
const MS_MAX = 60_000;
const BYTES_MAX = 64 * 1024 * 1024;

export function createWitness(cwd: string): Witness {
  return {
    recall: async (name) => {
      const said = isProgram(name)
        ? await call(cwd, name, "recall")
        : readLines(resolve(cwd, name));
      if (typeof said !== "string") return said;
      return said
        .split("\n")
        .filter((line) => line.trim() !== "")
        .slice(-LINES_MAX);
    },
    keep: async (name, line) => {
      if (!isProgram(name)) return append(resolve(cwd, name), `${line}\n`);
      const said = await call(cwd, name, "keep", `${line}\n`);
      return typeof said === "string" ? undefined : said;
    },
  };
}

/** A name with arguments, or of an executable file, is a program. */
function isProgram(name: string): boolean {
  if (/\s/.test(name.trim())) return true;
  const stats = statSync(name, { throwIfNoEntry: false });
  return stats?.isFile() === true && (stats.mode & 0o111) !== 0;
}

function readLines(file: string): string | Problem {
  try {
    const read = readRegular(file);
    if (read.kind === "odd") return unusable(file, read.why);
    return read.kind === "absent" ? "" : read.bytes.toString("utf8");
  } catch (error) {
    return unusable(file, textOf(error));
  }
}

function append(file: string, line: string): Problem | undefined {
  try {
    const read = readRegular(file);
    if (read.kind === "odd") return unusable(file, read.why);
    appendFileSync(file, line, { mode: 0o600 });
    return undefined;
  } catch (error) {
    return unusable(file, textOf(error));
  }
}

async function call(
  cwd: string,
  name: string,
  what: "recall" | "keep",
  input = "",
): Promise<string | Problem> {
  const { spawnSync } = await import("node:child_process");
  const [program = "", ...args] = name.trim().split(/\s+/);
  const ran = spawnSync(program, [...args, what], {
    cwd,
    input,
    encoding: "utf8",
    timeout: MS_MAX,
    maxBuffer: BYTES_MAX,
    killSignal: "SIGKILL",
  });
  if (ran.error !== undefined) return unusable(program, textOf(ran.error));
  if (ran.status === 0) return ran.stdout;
  return unusable(
    program,
    `it ended with ${ran.status ?? ran.signal}: ${ran.stderr.trim().slice(-500)}`,
  );
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return errorCode(error) ?? error.message;
}

function unusable(name: string, why: string): Problem {
  return {
    code: "witness-unusable",
    message: `The witness ${name} cannot be used: ${why}`,
    fix: "Name a file that can be written, or a program that keeps a line with `keep` and prints all with `recall`.",
  };
}
