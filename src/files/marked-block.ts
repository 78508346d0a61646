import { eolOf, linesOf } from "./text.ts";

/** The first and last line of our block in a text that belongs to somebody else. */
export interface Marks {
  readonly begin: string;
  readonly end: string;
}

interface Found {
  readonly start: number;
  readonly end: number;
}

/**
 * Inserts a block into a text, or replaces it where it is. A new one goes to the end after an empty line. The
 * text keeps its line ending, and stays without a final one if it had none. Undefined if the marks do not pair
 * up.
 */
export function putBlock(text: string, marks: Marks, lines: readonly string[]): string | undefined {
  const found = findBlock(text, marks);
  if (found === "broken") return undefined;
  const eol = eolOf(text);
  const block = [marks.begin, ...lines, marks.end].join(eol);
  if (found !== undefined) return `${text.slice(0, found.start)}${block}${text.slice(found.end)}`;
  if (text === "") return `${block}${eol}`;
  return /[\r\n]$/.test(text) ? `${text}${eol}${block}${eol}` : `${text}${eol}${eol}${block}`;
}

/** The text without the block and the empty line added with it. Undefined if the marks do not pair up. */
export function takeBlock(text: string, marks: Marks): string | undefined {
  const found = findBlock(text, marks);
  if (found === "broken") return undefined;
  if (found === undefined) return text;
  const before = text.slice(0, found.start);
  const after = text.slice(found.end);
  const isLast = after === "" && before !== "";
  const kept = before.replace(isLast ? /(?:\r\n|\n|\r){2}$/ : /(?<=\n|\r)(?:\r\n|\n|\r)$/, "");
  return `${kept}${after.replace(/^(?:\r\n|\n|\r)/, "")}`;
}

function findBlock(text: string, { begin, end }: Marks): Found | "broken" | undefined {
  const lines = linesOf(text);
  const at = (mark: string): readonly number[] =>
    lines.flatMap((line, index) =>
      text.slice(line.start, line.end).trim() === mark ? [index] : [],
    );
  const [[first, again], [last, more]] = [at(begin), at(end)];
  if (first === undefined && last === undefined) return undefined;
  const [from, to] = [lines[first ?? -1], lines[last ?? -1]];
  const paired = again === undefined && more === undefined && (first ?? 0) < (last ?? -1);
  if (!paired || from === undefined || to === undefined) return "broken";
  return { start: from.start, end: to.end };
}
