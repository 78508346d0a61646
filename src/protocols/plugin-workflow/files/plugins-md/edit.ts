import { canonicalTag, type EntryFields, type TimelineEntry } from "../entry-fields.ts";
import type { Edited } from "../../../../files/edited.ts";
import type { Markdown } from "../../../../files/markdown.ts";
import { lastFilled } from "../../../../files/markdown.ts";
import {
  checkPluginName,
  type LocatedRegistry,
  type LocatedRow,
  locateNotes,
  locateRegistry,
} from "./plugins-md.ts";
import type { Problem } from "../../../../files/problem.ts";
import { sameStatus } from "../plugin-status.ts";
import { checkChanges, type RegistryChanges } from "../registry-changes.ts";
import { escapeCell } from "../../../../files/table.ts";
import { type Edit, applyEdits, insertLines, oneLine, tryEdits } from "../../../../files/text.ts";

export type { NewPlugin } from "./add.ts";
export { addPlugin, removePlugin } from "./add.ts";
export type { RegistryChanges } from "../registry-changes.ts";

/**
 * Changes row and entry together; if there are problems, nothing is changed. A table-only registry has only rows.
 */
export function editRegistry(text: string, plugin: string, changes: RegistryChanges): Edited {
  const located = locateRegistry(text);
  const problems = [...checkChanges(changes), ...checkPlaces(located, plugin)];
  if (problems.length > 0) return { text, problems };
  const row = located.rows.find(({ name }) => name === plugin);
  const entry = located.entries.find(({ name }) => name === plugin);
  const cells = row === undefined ? [] : cellEdits(row, changes);
  if (cells === undefined) return { text, problems: [shortRow(plugin, located, row)] };
  if (entry === undefined) return { text: applyEdits(text, cells), problems: [] };
  const { heading, fields } = entry;
  const range = { from: heading.at + 1, until: heading.until };
  const lines = entryEdits({ text, markdown: located.markdown, fields, ...range }, changes);
  const after = tryEdits(text, [...cells, ...lines]);
  return after === undefined
    ? { text, problems: [sameLine(plugin)] }
    : { text: after, problems: [] };
}

/** Changes status, version and timeline in `plugins/<P>/NOTES.md`. */
export function editNotes(text: string, changes: RegistryChanges): Edited {
  const problems = checkChanges(changes);
  if (problems.length > 0) return { text, problems };
  const { markdown, fields } = locateNotes(text);
  const known = fields.fields.has("Last Updated");
  const kept = known || changes.lastUpdated !== undefined ? changes : { ...changes, undated: true };
  const scope = {
    text,
    markdown,
    fields,
    from: Math.min(1, markdown.lines.length),
    until: markdown.lines.length,
  };
  return { text: applyEdits(text, entryEdits(scope, kept)), problems: [] };
}

function checkPlaces({ rows, entries }: LocatedRegistry, plugin: string): Problem[] {
  const bad = checkPluginName(plugin);
  if (bad !== undefined) return [bad];
  const counts = [rows, entries].map(
    (places) => places.filter(({ name }) => name === plugin).length,
  );
  const [inTable = 0, inEntries = 0] = counts;
  const tableOnly = rows.length > 0 && entries.length === 0;
  if (inTable === 1 && (inEntries === 1 || (tableOnly && inEntries === 0))) return [];
  const message = `Cannot change ${plugin} in the registry: it has ${inTable} rows and ${inEntries} full entries`;
  const fix = "Give it exactly one row and one entry, then try again";
  return [{ code: "registry-missing", line: 0, message, fix, rule: "PW-044", severity: "error" }];
}

function shortRow(
  plugin: string,
  { markdown }: LocatedRegistry,
  row: LocatedRow | undefined,
): Problem {
  const message = `Cannot change ${plugin} in the registry: its row has fewer cells than the table`;
  const fix = "Give the row a cell for each column";
  const line = row === undefined ? 0 : markdown.firstLine + row.row.at;
  return { code: "registry-drift", line, message, fix, rule: "PW-045", severity: "error" };
}

function sameLine(plugin: string): Problem {
  const message = `Cannot change ${plugin} in the registry: one line is both its row and a field of its entry`;
  const fix = "Put the table and the entry on lines of their own";
  return { code: "registry-drift", line: 0, message, fix, rule: "PW-045", severity: "error" };
}

function cellEdits({ row, columns }: LocatedRow, changes: RegistryChanges): Edit[] | undefined {
  const wanted: [number, string | undefined][] = [
    [columns.status, changes.status],
    [columns.version, changes.version],
    [columns.lastUpdated, dateOf(changes)],
  ];
  const edits: Edit[] = [];
  for (const [column, value] of wanted) {
    if (value === undefined || column < 0) continue;
    const cell = row.cells[column];
    if (cell === undefined) return undefined;
    if (sameStatus(cell.text, value)) continue;
    const text = cell.start === cell.end ? ` ${escapeCell(value)} ` : escapeCell(value);
    edits.push({ start: cell.start, end: cell.end, text });
  }
  return edits;
}

function dateOf({ lastUpdated, timeline }: RegistryChanges): string | undefined {
  return lastUpdated ?? timeline?.date;
}

interface Scope {
  readonly text: string;
  readonly markdown: Markdown;
  readonly fields: EntryFields;
  /** The lines of the entry, without its heading. */
  readonly from: number;
  readonly until: number;
}

/** Sets fields in place. New fields go to the top of the entry or just below it, the date to its end. */
function entryEdits(
  scope: Scope,
  changes: RegistryChanges & { readonly undated?: boolean },
): Edit[] {
  const { markdown, fields, from, until } = scope;
  const head: string[] = [];
  const edits: Edit[] = [];
  const set = (name: string, value: string | undefined, list: string[]): void => {
    const field = fields.fields.get(name);
    if (value === undefined || sameStatus(field?.value ?? "", value)) return;
    if (field === undefined) list.push(`**${name}:** ${value}`);
    else
      edits.push({
        start: field.start,
        end: field.end,
        text: field.value === "" ? ` ${value}` : value,
      });
  };
  const tail: string[] = [];
  set("Status", changes.status, head);
  set("Version", changes.version, head);
  if (fields.fields.has("Created")) set("Created", changes.created, head);
  edits.push(...redate(scope, changes.redates));
  const anchor = headEnd(scope);
  const behind: string[] = [];
  set("GUI Type", changes.guiType, anchor === undefined ? head : behind);
  set("Last Updated", changes.undated === true ? undefined : dateOf(changes), tail);
  const event = changes.timeline === undefined ? undefined : timelineLine(fields, changes.timeline);
  edits.push(...unknownLines(scope, changes));
  const last = fields.fields.get("Last Updated");
  const end = lastFilled(markdown, from, until);
  if (behind.length > 0 && anchor !== undefined) edits.push(insertBefore(scope, anchor, behind));
  if (head.length > 0)
    edits.push(insertBefore(scope, from, [...head, ...(startsFilled(scope) ? [""] : [])]));
  if (event !== undefined && fields.timeline !== undefined)
    edits.push(insertBefore(scope, fields.timeline.until, [event]));
  else if (event !== undefined) {
    const block = ["**Lifecycle Timeline:**", event];
    edits.push(
      last === undefined
        ? insertBefore(scope, end, ["", ...block])
        : insertBefore(scope, last.at, [...block, ""]),
    );
  }
  if (tail.length > 0) edits.push(insertBefore(scope, end, ["", ...tail]));
  return edits;
}

function unknownLines(
  { text, markdown, fields }: Scope,
  { isUnknown = () => false }: RegistryChanges,
): Edit[] {
  const gone = (fields.timeline?.entries ?? []).filter(
    ({ tag }) => tag !== undefined && isUnknown(tag),
  );
  return gone.map(({ at, until }) => ({
    start: markdown.lines[at]?.start ?? text.length,
    end: markdown.lines[until - 1]?.next ?? text.length,
    text: "",
  }));
}

function redate(
  { text, markdown, fields }: Scope,
  redates: RegistryChanges["redates"] = [],
): Edit[] {
  return (fields.timeline?.entries ?? []).flatMap((entry): Edit[] => {
    const to = redates.find((one) => one.text === entry.text && one.from === entry.date)?.to;
    const line = markdown.lines[entry.line - markdown.firstLine];
    const start = line === undefined ? -1 : text.indexOf(entry.date, line.start);
    return to === undefined || start < 0
      ? []
      : [{ start, end: start + entry.date.length, text: to }];
  });
}

/** The line after the fields at the top of an entry, if they are plain lines and not list items. */
function headEnd({ text, markdown, fields }: Scope): number | undefined {
  const lines = ["Status", "Version", "Created", "Type"].flatMap((name) => {
    const at = fields.fields.get(name)?.at;
    const line = at === undefined ? undefined : markdown.lines[at];
    return at !== undefined && line !== undefined && text.startsWith("**", line.start) ? [at] : [];
  });
  return lines.length === 0 ? undefined : Math.max(...lines) + 1;
}

function startsFilled({ markdown, from, until }: Scope): boolean {
  return from < until && markdown.kinds[from] !== "blank";
}

/** Inserts whole lines before line `at`, or after the last one. */
function insertBefore({ text, markdown }: Scope, at: number, lines: readonly string[]): Edit {
  return insertLines(text, markdown.lines[at]?.start ?? text.length, lines);
}

/** The edit that adds an event; undefined if the timeline has one with this tag and this date or text. */
function timelineLine(
  fields: EntryFields,
  event: NonNullable<RegistryChanges["timeline"]>,
): string | undefined {
  const text = oneLine(event.text);
  const same = (one: TimelineEntry): boolean => {
    if (event.tag === undefined)
      return one.tag === undefined && one.date === event.date && one.text === text;
    return (
      one.tag !== undefined &&
      canonicalTag(one.tag) === event.tag &&
      (one.date === event.date || one.text === text)
    );
  };
  if (fields.timeline?.entries.some(same) === true) return undefined;
  return `- **${event.date}${event.tag === undefined ? "" : ` (${event.tag})`}:** ${text}`;
}
