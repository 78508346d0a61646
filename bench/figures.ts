/** Figures with their limits. Every one is measured against something else in the same run. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export type Print = (line: string) => void;

export interface Figure {
  readonly value: number;
  readonly max?: number;
  readonly min?: number;
}

/** The built program, from where the benches are compiled to: `.bench/bench`. */
export const BIN: string = join(import.meta.dirname, "../../bin/holdpoint.js");
if (!existsSync(BIN)) throw new Error(`There is no program to measure at ${BIN}`);

const figures: string[] = [];
const over: string[] = [];

/** Print a figure with its limit, and remember when it is over: the program then ends with 1. */
export function check(print: Print, name: string, { value, max, min }: Figure): void {
  // Nothing is known about a figure that is not a number, so it does not hold.
  figures.push(name);
  const holds = value <= (max ?? Number.MAX_VALUE) && value >= (min ?? -Number.MAX_VALUE);
  const limit = max === undefined ? `>= ${min}` : `<= ${max}`;
  print(`  ${holds ? "ok  " : "OVER"} ${name}: ${value.toFixed(2)} (limit ${limit})`);
  if (!holds) over.push(`${name}: ${value.toFixed(2)}, limit ${limit}`);
}

export function overLimit(): readonly string[] {
  return over;
}

/** How many figures have been printed so far. */
export function figureCount(): number {
  return figures.length;
}

export interface Call {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Other exit codes mean that the call did not do what is measured. */
  readonly exits?: readonly (number | null)[];
}

/** Run the program to its end and answer what it printed. A call that fails gives no figure. */
export function holdpoint(args: readonly string[], call: Call = {}): string {
  return node([BIN, ...args], call);
}

export function node(args: readonly string[], call: Call = {}): string {
  const { cwd, input = "", env = {}, exits = [0] } = call;
  const ran = spawnSync(process.execPath, args, {
    cwd,
    input,
    env: { ...process.env, ...env },
    encoding: "utf8",
  });
  if (exits.includes(ran.status)) return ran.stdout;
  throw new Error(`node ${args.join(" ")} ended with ${ran.status}:\n${ran.stdout}${ran.stderr}`);
}

export function timed(run: () => unknown): number {
  const started = performance.now();
  run();
  return performance.now() - started;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
