/** Long texts and lists are folded, and `--full` shows them: a question must not scroll out of sight above itself. */
import { fit } from "./fit.ts";
import { style } from "./style.ts";

const LINES_MAX = 12;
/** A text without line ends is long too. */
const COLUMNS = 80;
let full = false;

/** Chosen once, when the program starts. */
export function useFull(wanted: boolean): void {
  full = wanted;
}

export function isFull(): boolean {
  return full;
}

/** The first lines, and how many there are more; `how` is what shows them all. */
export function folded(lines: readonly string[], how: string): readonly string[] {
  const rows = full ? lines : lines.flatMap((line) => fit(line, COLUMNS).split("\n"));
  // A single line is not worth a fold.
  if (full || rows.length <= LINES_MAX + 1) return lines;
  const more = rows.length - LINES_MAX;
  const [indent = ""] = /^ */.exec(rows[LINES_MAX] ?? "") ?? [];
  return [...rows.slice(0, LINES_MAX), style().dim(`${indent}(${more} more lines: ${how})`)];
}

export function foldedText(text: string, how: string): string {
  return folded(text.split("\n"), how).join("\n");
}
