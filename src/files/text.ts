/**
 * Texts as they are on disk: byte order mark, line endings, lines, and edits at offsets.
 * A codec never writes a whole file. It finds the ranges it owns and replaces those, so that every other
 * character stays as its author left it.
 */

/** Replaces `text[start, end)` by `text`. An empty range inserts. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** One line: its content is `[start, end)`, its line ending `[end, next)`. */
export interface Line {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/** Edits may come in any order but must not overlap; insertions at one place keep their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  let at = 0;
  for (const edit of ordered) {
    if (edit.start < at || edit.end < edit.start) throw new RangeError("Edits overlap");
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

/**
 * Like `applyEdits`, but undefined if edits overlap: in a malformed text, two places that we own may be the same.
 */
export function tryEdits(text: string, edits: readonly Edit[]): string | undefined {
  const ordered = edits.toSorted((a, b) => a.start - b.start || a.end - b.end);
  const overlap = ordered.some((edit, index) => edit.start < (ordered[index - 1]?.end ?? 0));
  return overlap ? undefined : applyEdits(text, ordered);
}

/** Inserts whole lines at the start of a line, or after the last line, which may lack its line ending. */
export function insertLines(text: string, offset: number, lines: readonly string[]): Edit {
  const eol = eolOf(text);
  const ended = offset === 0 || /[\r\n]$/.test(text.slice(offset - 1, offset));
  const block = lines.join(eol);
  return { start: offset, end: offset, text: ended ? `${block}${eol}` : `${eol}${block}` };
}

/** The line ending a file uses: that of its first line, else `\n`. */
export function eolOf(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
}

/** The lines of `text` from `from` on. A final line ending does not open another line. */
export function linesOf(text: string, from = 0): Line[] {
  // Nearly every text has no `\r`, and splitting at a single character is much faster than with an expression.
  if (!text.includes("\r", from)) return plainLines(text, from);
  const lines: Line[] = [];
  const ending = /\r\n|\n|\r/g;
  ending.lastIndex = from;
  let start = from;
  for (let match = ending.exec(text); match !== null; match = ending.exec(text)) {
    lines.push({ start, end: match.index, next: ending.lastIndex });
    start = ending.lastIndex;
  }
  if (start < text.length) lines.push({ start, end: text.length, next: text.length });
  return lines;
}

function plainLines(text: string, from: number): Line[] {
  const lines: Line[] = [];
  let start = from;
  for (let end = text.indexOf("\n", start); end >= 0; end = text.indexOf("\n", start)) {
    lines.push({ start, end, next: end + 1 });
    start = end + 1;
  }
  if (start < text.length) lines.push({ start, end: text.length, next: text.length });
  return lines;
}

/** Line number, from 1, of an offset. */
export function lineAt(lines: readonly Line[], offset: number): number {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lines[middle]?.start ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** Where the text begins: after a byte order mark, if there is one. */
export function textStart(text: string): number {
  return text.startsWith(BYTE_ORDER_MARK) ? 1 : 0;
}

/** The text without the byte order mark that some editors and shells add. */
export function textBody(text: string): string {
  return text.slice(textStart(text));
}

const BYTE_ORDER_MARK = "\uFEFF";

/** Turns any text into one line: line breaks and the spaces around them become one space. */
export function oneLine(text: string): string {
  const lines = text.split(/[\r\n\u2028\u2029]+/).map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}
