import { type Heading, itemsBetween, lastFilled, type Markdown, readMarkdown } from "./markdown.ts";
import { type Edit, applyEdits, eolOf, insertLines } from "./text.ts";

/** Edits inside one Markdown section; everything outside its own list keeps its place. */

/** The placeholder of an empty section. It is removed when the first item is added. */
export const NOTHING_YET = "None yet.";

export interface OpenSection {
  readonly text: string;
  readonly markdown: Markdown;
  readonly heading: Heading;
  /** Index after the section's own lines: up to the next heading of any level. */
  readonly until: number;
}

export function openSection(
  text: string,
  from: number,
  wanted: (heading: Heading) => boolean,
): OpenSection | undefined {
  const markdown = readMarkdown(text, from);
  const index = markdown.headings.findIndex(wanted);
  const heading = markdown.headings[index];
  if (heading === undefined) return undefined;
  return {
    text,
    markdown,
    heading,
    until: markdown.headings[index + 1]?.at ?? markdown.lines.length,
  };
}

/** Adds list lines at the end of the section's last list, or as its first list. */
export function appendItems(section: OpenSection, items: readonly string[]): string {
  if (items.length === 0) return section.text;
  const { markdown, heading, until } = section;
  const last = itemsBetween(markdown, heading.at + 1, until).at(-1);
  if (last !== undefined) return insertAfterLine(section, last.until - 1, items);
  const placeholder = placeholderLine(section);
  if (placeholder !== undefined)
    return replaceLines(section, [{ at: placeholder, until: placeholder + 1 }], items);
  const filled = lastFilled(markdown, heading.at + 1, until);
  const spaced = filled > heading.at + 1 ? ["", ...items] : items;
  return insertAfterLine(section, filled - 1, spaced);
}

/** Puts `items` in the place of the section's list items; other text in the section stays. */
export function replaceItems(section: OpenSection, items: readonly string[]): string {
  const { markdown, heading, until } = section;
  const old = itemsBetween(markdown, heading.at + 1, until);
  return old.length === 0 ? appendItems(section, items) : replaceLines(section, old, items);
}

/** Replaces everything between the heading and the next one. */
export function replaceBody(section: OpenSection, body: readonly string[]): string {
  const { markdown, heading, until } = section;
  const filled = lastFilled(markdown, heading.at + 1, until);
  if (filled === heading.at + 1) return insertAfterLine(section, heading.at, ["", ...body]);
  let from = heading.at + 1;
  while (markdown.kinds[from] === "blank") from += 1;
  return replaceLines(section, [{ at: from, until: filled }], body);
}

/** Replaces the words of the heading itself. */
export function replaceHeading(section: OpenSection, words: string): string {
  const { text, markdown, heading } = section;
  const line = markdown.lines[heading.at];
  if (line === undefined) return text;
  const source = text.slice(line.start, line.end);
  const marks = /^ {0,3}#{1,6}/.exec(source)?.[0] ?? "#".repeat(heading.level);
  return applyEdits(text, [
    {
      start: line.start,
      end: line.start + source.trimEnd().length,
      text: `${marks} ${words}`.trimEnd(),
    },
  ]);
}

/** Paragraph text that cannot turn into structure: headings, fences, comments, rules. */
export function asProse(text: string): string[] {
  return text
    .split(/\r\n|\n|\r/)
    .map((line) => line.replace(/^(\s*)(?=#|`{3}|~{3}|<|-{3}|={3})/, "$1\\"));
}

function placeholderLine({ text, markdown, heading, until }: OpenSection): number | undefined {
  for (let at = heading.at + 1; at < until; at += 1) {
    const line = markdown.lines[at];
    if (line === undefined || markdown.kinds[at] === "blank") continue;
    return text.slice(line.start, line.end).trim() === NOTHING_YET ? at : undefined;
  }
  return undefined;
}

function insertAfterLine(
  { text, markdown }: OpenSection,
  at: number,
  lines: readonly string[],
): string {
  const line = markdown.lines[at];
  return line === undefined ? text : applyEdits(text, [insertLines(text, line.next, lines)]);
}

/** Replaces the first range by the new lines, and removes the other ranges. */
function replaceLines(
  { text, markdown }: OpenSection,
  ranges: readonly { readonly at: number; readonly until: number }[],
  lines: readonly string[],
): string {
  const eol = eolOf(text);
  const edits: Edit[] = ranges.flatMap((range, index) => {
    const first = markdown.lines[range.at];
    const last = markdown.lines[range.until - 1];
    if (first === undefined || last === undefined) return [];
    if (index > 0) return [{ start: first.start, end: last.next, text: "" }];
    const ending = lines.length === 0 ? "" : text.slice(last.end, last.next);
    return [{ start: first.start, end: last.next, text: `${lines.join(eol)}${ending}` }];
  });
  return applyEdits(text, edits);
}
