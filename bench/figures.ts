/** Figures with their limits. Every one is measured against something else in the same run. */

export type Print = (line: string) => void;

export interface Figure {
  readonly value: number;
  readonly max?: number;
  readonly min?: number;
}

const over: string[] = [];

/** Print a figure with its limit, and remember when it is over: the program then ends with 1. */
export function check(print: Print, name: string, { value, max, min }: Figure): void {
  // Nothing is known about a figure that is not a number, so it does not hold.
  const holds = value <= (max ?? Number.MAX_VALUE) && value >= (min ?? -Number.MAX_VALUE);
  const limit = max === undefined ? `>= ${min}` : `<= ${max}`;
  print(`  ${holds ? "ok  " : "OVER"} ${name}: ${value.toFixed(2)} (limit ${limit})`);
  if (!holds) over.push(`${name}: ${value.toFixed(2)}, limit ${limit}`);
}

export function overLimit(): readonly string[] {
  return over;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
