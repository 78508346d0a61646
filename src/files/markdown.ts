import { rememberTexts } from "./memo.ts";
import { type Line, linesOf } from "./text.ts";

/**
 * Block structure of the state files: headings, sections, list items, with offsets.
 *
 * A line scanner and not a Markdown library, because these texts come from agents: micromark takes
 * 65 s for 50 kB of `1. 1. 1. …` and 20 s for alternating `a` / `---` lines; this takes one pass.
 * It knows what can hide or fake structure: fences, indented code, comments and raw HTML, quotes,
 * list items with all their content. Two departures from CommonMark, both on purpose: only `#`
 * makes a heading (`---` below a line is meant as a rule in these files), and a heading right
 * below an HTML tag is a heading.
 */
export interface Markdown {
  /** Number, from 1, of `lines[0]` in the file. */
  readonly firstLine: number;
  readonly lines: readonly Line[];
  readonly kinds: readonly LineKind[];
  readonly headings: readonly Heading[];
  /** Items of top-level lists only. */
  readonly items: readonly Item[];
}

export type LineKind =
  | "blank"
  | "heading"
  | "fence"
  | "code"
  | "html"
  | "quote"
  | "rule"
  | "item"
  | "nested"
  | "text";

export interface Heading {
  readonly level: number;
  /** Without marks, as written. */
  readonly text: string;
  /** Index into `lines`. */
  readonly at: number;
  /** Index of the first line that no longer belongs to the section. */
  readonly until: number;
}

export interface Item {
  /** Index of its first line, and of the first line after it (without blank lines at its end). */
  readonly at: number;
  readonly until: number;
  /** Offset of the text after the marker. */
  readonly textStart: number;
  /** The first line's text. */
  readonly text: string;
}

export function readMarkdown(text: string, from = 0): Markdown {
  return readFrom(text, from);
}

const readFrom = rememberTexts((text: string, from: number): Markdown => {
  const lines = linesOf(text, from);
  const kinds = classify(text, lines);
  const firstLine = from === 0 ? 1 : linesOf(text.slice(0, from)).length + 1;
  return {
    firstLine,
    lines,
    kinds,
    headings: findHeadings(text, lines, kinds),
    items: findItems(text, lines, kinds),
  };
});

/** The items that begin in lines `[from, until)`. */
export function itemsBetween(markdown: Markdown, from: number, until: number): readonly Item[] {
  const { items } = markdown;
  return items.slice(lowerBound(items, from), lowerBound(items, until));
}

/** Index after the last line of `[from, until)` that is not blank; `from` if all are. */
export function lastFilled(markdown: Markdown, from: number, until: number): number {
  let index = until;
  while (index > from && markdown.kinds[index - 1] === "blank") index -= 1;
  return index;
}

/** Text without Markdown emphasis and code marks, and without spaces around it. */
export function plain(text: string): string {
  return text.replace(/\*\*|__|[*`]/g, "").trim();
}

interface Scan {
  kinds: LineKind[];
  /** The open fence or raw HTML block, as a test for its last line. */
  open: { kind: LineKind; ends: (line: string) => boolean } | undefined;
  /** Column where the content of the current list item begins; 0 outside lists. */
  itemColumn: number;
}

function classify(text: string, lines: readonly Line[]): LineKind[] {
  const scan: Scan = { kinds: [], open: undefined, itemColumn: 0 };
  for (const { start, end } of lines) scan.kinds.push(kindOf(text.slice(start, end), scan));
  return scan.kinds;
}

function kindOf(line: string, scan: Scan): LineKind {
  if (scan.open !== undefined) {
    const { kind, ends } = scan.open;
    if (ends(line)) scan.open = undefined;
    return kind;
  }
  if (line.trim() === "") return "blank";
  const indent = indentOf(line);
  if (scan.itemColumn > 0 && indent >= scan.itemColumn) return "nested";
  const previous = scan.kinds.at(-1);
  const inParagraph = previous === "text" || previous === "item" || previous === "nested";
  if (indent >= 4) return inParagraph ? continuation(previous) : outside(scan, "code");
  return blockStart(line, scan) ?? (inParagraph ? continuation(previous) : outside(scan, "text"));
}

/** A plain line below a list item belongs to the item, even without indentation. */
function continuation(previous: LineKind | undefined): LineKind {
  return previous === "text" ? "text" : "nested";
}

function outside(scan: Scan, kind: LineKind): LineKind {
  scan.itemColumn = 0;
  return kind;
}

function blockStart(line: string, scan: Scan): LineKind | undefined {
  const body = line.trimStart();
  // Most lines are plain text. Checking their first character avoids the slower expressions below.
  if (!BLOCK_STARTS.has(body.charCodeAt(0))) return undefined;
  if (HEADING.test(body)) return outside(scan, "heading");
  if (isRule(body)) return outside(scan, "rule");
  if (body.startsWith(">")) return outside(scan, "quote");
  const marker = MARKER.exec(body);
  if (marker !== null) {
    scan.itemColumn = indentOf(line) + contentColumn(marker[0], body);
    return "item";
  }
  scan.open = fence(body) ?? rawHtml(body);
  if (scan.open === undefined) return undefined;
  const { kind, ends } = scan.open;
  if (kind === "html" && ends(line)) scan.open = undefined;
  return outside(scan, kind);
}

function fence(body: string): Scan["open"] {
  const run = /^(?:`{3,}|~{3,})/.exec(body)?.[0];
  if (run === undefined) return undefined;
  const mark = run.charAt(0);
  if (mark === "`" && body.includes("`", run.length)) return undefined;
  const ends = (line: string): boolean => {
    const rest = line.trim();
    return indentOf(line) < 4 && rest.length >= run.length && rest === mark.repeat(rest.length);
  };
  return { kind: "fence", ends };
}

function rawHtml(body: string): Scan["open"] {
  if (body.startsWith("<!--")) return { kind: "html", ends: (line) => line.includes("-->") };
  if (!/^<(?:pre|script|style|textarea)(?:[\s>]|$)/i.test(body)) return undefined;
  return { kind: "html", ends: (line) => /<\/(?:pre|script|style|textarea)>/i.test(line) };
}

function isRule(body: string): boolean {
  if (!"-*_".includes(body.charAt(0))) return false;
  const marks = body.replace(/[ \t]+/g, "");
  return marks.length >= 3 && marks === marks.charAt(0).repeat(marks.length);
}

/** One to four spaces after a marker belong to it; more begin indented code. */
function contentColumn(marker: string, body: string): number {
  const rest = body.slice(marker.length);
  const blanks = indentOf(rest);
  return marker.length + (rest.trim() === "" || blanks > 4 ? 1 : blanks);
}

function indentOf(line: string): number {
  let column = 0;
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === SPACE) column += 1;
    else if (code === TAB) column += 4 - (column % 4);
    else break;
  }
  return column;
}

const SPACE = 0x20;
const TAB = 0x09;
const BLOCK_STARTS: ReadonlySet<number> = new Set(
  Array.from("#-*_>+0123456789`~<", (char) => char.charCodeAt(0)),
);

const HEADING = /^#{1,6}(?=[ \t]|$)/;
const MARKER = /^(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)/;

function findHeadings(text: string, lines: readonly Line[], kinds: readonly LineKind[]): Heading[] {
  const headings: Heading[] = [];
  const until: number[] = [];
  const open: { index: number; level: number }[] = [];
  for (const [at, line] of lines.entries()) {
    if (kinds[at] !== "heading") continue;
    const source = text.slice(line.start, line.end).trim();
    const level = HEADING.exec(source)?.[0].length ?? 1;
    for (let top = open.at(-1); top !== undefined && top.level >= level; top = open.at(-1)) {
      until[top.index] = at;
      open.pop();
    }
    open.push({ index: headings.length, level });
    headings.push({ level, text: headingText(source, level), at, until: lines.length });
  }
  return headings.map((heading, index) => ({ ...heading, until: until[index] ?? heading.until }));
}

function headingText(source: string, level: number): string {
  const words = source.slice(level).trim();
  const hashes = trailingRun(words, "#");
  const before = words.slice(0, words.length - hashes);
  return hashes > 0 && (before === "" || /[ \t]$/.test(before)) ? before.trim() : words;
}

function trailingRun(text: string, char: string): number {
  let length = 0;
  while (length < text.length && text.charAt(text.length - 1 - length) === char) length += 1;
  return length;
}

function findItems(text: string, lines: readonly Line[], kinds: readonly LineKind[]): Item[] {
  const items: Item[] = [];
  for (const [at, line] of lines.entries()) {
    if (kinds[at] !== "item") continue;
    const source = text.slice(line.start, line.end);
    const body = source.trimStart();
    const words = body.slice(MARKER.exec(body)?.[0].length ?? 1);
    const textStart = line.end - words.trimStart().length;
    items.push({ at, until: itemEnd(kinds, at), textStart, text: words.trim() });
  }
  return items;
}

function itemEnd(kinds: readonly LineKind[], at: number): number {
  let until = at + 1;
  for (let index = until; kinds[index] === "nested" || kinds[index] === "blank"; index += 1) {
    if (kinds[index] === "nested") until = index + 1;
  }
  return until;
}

function lowerBound(items: readonly Item[], line: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.at ?? 0) < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
