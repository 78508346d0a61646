/**
 * Several git commands for the price of one. To start a process Node copies the map of its whole memory, which
 * takes longer than most git commands do; a shell is small, so it starts them.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "./place.ts";
import { READ_ONLY } from "./run.ts";

export interface Command {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Run groups of commands, one group after the other, and those of a group beside each other. What each of them
 * printed, in a file in `place` meanwhile; undefined when one failed or they are too many. Then nobody says
 * which, so whoever asked runs them one by one: all must be such that they can be repeated.
 */
export async function runGroups(
  repo: Repository,
  place: string,
  groups: readonly (readonly Command[])[],
): Promise<readonly (readonly string[])[] | undefined> {
  const fileOf = (group: number, at: number): string => join(place, `out-${group}-${at}`);
  const lines = groups.map((commands, group) =>
    groupOf(commands.map((command, at) => lineOf(command, fileOf(group, at)))),
  );
  const script = lines.join("\n");
  if (Buffer.byteLength(script) > SCRIPT_BYTES_MAX) return undefined;
  const answer = await repo.run([], { cwd: repo.top, env: READ_ONLY, script });
  if (answer.end !== "exit" || answer.code !== 0) return undefined;
  return groups.map((commands, group) =>
    commands.map((_, at) => readFileSync(fileOf(group, at), "utf8")),
  );
}

/** All are waited for, also when one has failed: none is left at work in a place that is being cleaned up. */
function groupOf(lines: readonly string[]): string {
  if (lines.length === 1) return `${lines[0]} || exit 1`;
  const starts = lines.map((line, at) => `${line} & p${at}=$!`);
  const waits = lines.map((_, at) => `wait $p${at} || failed=1`);
  return [...starts, ...waits, '[ -z "$failed" ] || exit 1'].join("\n");
}

/** The shell knows git's own path as `$0`. */
function lineOf({ args, env = {} }: Command, file: string): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quote(value)}`);
  return [...variables, '"$0"', ...args.map(quote), `>${quote(file)}`].join(" ");
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

// Linux takes no single argument of more than 128 kB.
const SCRIPT_BYTES_MAX = 100 * 1024;
