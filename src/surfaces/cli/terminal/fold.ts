/** Folds long texts and lists (`--full` shows them), so that a question does not scroll off the screen. */
import { fit } from "./fit.ts";
import { style } from "./style.ts";

const LINES_MAX = 12;
/** A single long line counts as several. */
const COLUMNS = 80;
let full = false;

/** Set once, when the program starts. */
export function useFull(wanted: boolean): void {
  full = wanted;
}

export function isFull(): boolean {
  return full;
}

/** The first lines, and how many more there are; `how` is the command that shows all. */
export function folded(lines: readonly string[], how: string): readonly string[] {
  const rows = full ? lines : lines.flatMap((line) => fit(line, COLUMNS).split("\n"));
  // Folding a single line would save nothing.
  if (full || rows.length <= LINES_MAX + 1) return lines;
  const more = rows.length - LINES_MAX;
  const [indent = ""] = /^ */.exec(rows[LINES_MAX] ?? "") ?? [];
  return [...rows.slice(0, LINES_MAX), style().dim(`${indent}(${more} more lines: ${how})`)];
}

export function foldedText(text: string, how: string): string {
  return folded(text.split("\n"), how).join("\n");
}
