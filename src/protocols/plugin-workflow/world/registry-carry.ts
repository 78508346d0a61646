import { lastFilled } from "../../../files/markdown.ts";
import { eolOf } from "../../../files/text.ts";
import type { Part } from "../../../ports/family.ts";
import { locateRegistry } from "../files/plugins-md/plugins-md.ts";

/**
 * Puts one plugin's row and entry, as shown, into the committed registry, and nothing else. A new plugin goes to
 * the same place as in the shown file, so that both texts become equal once every plugin is committed. Undefined
 * if one of the texts has no such place.
 */
export function carryPlugin(id: string, head: string, shown: string): string | undefined {
  const [to, from] = [spansOf(head), spansOf(shown)];
  const eol = eolOf(head);
  const row = carrySpan(id, { to: to.rows, from: from.rows, shown, gap: eol });
  const entry = carrySpan(id, { to: to.entries, from: from.entries, shown, gap: eol + eol });
  if (row === undefined || entry === undefined) return undefined;
  const [last, first] = row.start > entry.start ? [row, entry] : [entry, row];
  return [last, first].reduce(
    (text, { start, end, by }) => text.slice(0, start) + inLines(by, eol) + text.slice(end),
    head,
  );
}

/** Converts line endings to those of the file. */
function inLines(text: string, eol: string): string {
  return text.replaceAll(/\r\n|\n|\r/g, eol);
}

/** Every plugin's rows, then every plugin's entries, in order. */
export function registryParts(text: string): readonly Part[] {
  const { rows, entries } = spansOf(text);
  return [...rows, ...entries].map(({ name, start, end }) => ({
    owner: name,
    text: text.slice(start, end),
  }));
}

interface Span {
  readonly name: string;
  readonly start: number;
  /** Before the newline that ends it. */
  readonly end: number;
}

interface Carry {
  readonly to: readonly Span[];
  readonly from: readonly Span[];
  readonly shown: string;
  readonly gap: string;
}

interface Change {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

function carrySpan(id: string, { to, from, shown, gap }: Carry): Change | undefined {
  const at = from.findIndex((one) => one.name === id);
  const source = from[at];
  if (source === undefined) return undefined;
  const text = shown.slice(source.start, source.end);
  const same = to.find((one) => one.name === id);
  if (same !== undefined) return { start: same.start, end: same.end, by: text };
  const isThere = ({ name }: Span): boolean => to.some((one) => one.name === name);
  const before = from.slice(0, at).findLast(isThere);
  const after = before === undefined ? from.slice(at + 1).find(isThere) : undefined;
  const neighbour = to.find((one) => one.name === (before ?? after)?.name);
  if (neighbour === undefined) return undefined;
  const place = before === undefined ? neighbour.start : neighbour.end;
  return { start: place, end: place, by: before === undefined ? text + gap : gap + text };
}

function spansOf(text: string): {
  readonly rows: readonly Span[];
  readonly entries: readonly Span[];
} {
  const { rows, entries, markdown } = locateRegistry(text);
  const span = (name: string, first: number, last: number): Span => ({
    name,
    start: markdown.lines[first]?.start ?? text.length,
    end: markdown.lines[last]?.end ?? text.length,
  });
  return {
    rows: rows.map(({ name, row }) => span(name, row.at, row.at)),
    entries: entries.map(({ name, heading: { at, until } }) =>
      span(name, at, lastFilled(markdown, at + 1, until) - 1),
    ),
  };
}
