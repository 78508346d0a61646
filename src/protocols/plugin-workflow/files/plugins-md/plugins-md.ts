import { type EntryFields, readEntryFields, type TimelineEntry } from "../entry-fields.ts";
import { type Heading, type Markdown, plain, readMarkdown } from "../../../../files/markdown.ts";
import { rememberTexts } from "../../../../files/memo.ts";
import type { Problem } from "../../../../files/problem.ts";
import { findTables, type Table, type TableRow } from "../../../../files/table.ts";
import { textStart } from "../../../../files/text.ts";

/**
 * The registry `PLUGINS.md`: a table row and a full entry a plugin. The entry is authoritative.
 *
 *   | Plugin Name | Status | Version | Last Updated |
 *   |-------------|--------|---------|--------------|
 *   | TapeDelay | 🚧 Stage 2 | - | 2025-11-13 |
 *
 *   ### TapeDelay
 *   **Status:** 🚧 Stage 2
 *   **Version:** -
 *   **Created:** 2025-11-10
 *   **Type:** Audio Effect
 *   ...
 *   **Lifecycle Timeline:**
 *   - **2025-11-10:** Creative brief created
 *   - **2025-11-13 (Stage 2):** Foundation complete
 *
 *   **Last Updated:** 2025-11-13
 *
 * Columns are found by name, so further ones (Type) do no harm. A registry without entries is
 * table-only: the entry of a plugin is then its `plugins/<Plugin>/NOTES.md`.
 */
export interface Registry {
  /** In file order. By mistake, a name may occur twice. */
  readonly rows: readonly RegistryRow[];
  readonly entries: readonly RegistryEntry[];
}

export interface RegistryRow {
  readonly name: string;
  /** Status as written in the cell, Markdown marks included. */
  readonly status: string | undefined;
  readonly version: string | undefined;
  readonly type: string | undefined;
  readonly lastUpdated: string | undefined;
  readonly line: number;
}

export interface RegistryEntry {
  readonly name: string;
  readonly status: string | undefined;
  readonly version: string | undefined;
  readonly created: string | undefined;
  readonly type: string | undefined;
  readonly lastUpdated: string | undefined;
  readonly gui: string | undefined;
  readonly timeline: readonly TimelineEntry[];
  readonly line: number;
  /** Line of the Status field, or of the heading if there is none. */
  readonly statusLine: number;
}

export type { TimelineEntry } from "../entry-fields.ts";

export interface ParsedRegistry {
  readonly value: Registry;
  readonly problems: readonly Problem[];
}

/** All problems are warnings: rows that name no plugin, timelines out of order. */
export function parseRegistry(text: string): ParsedRegistry {
  return parseWhole(text, undefined);
}

const parseWhole = rememberTexts((text: string): ParsedRegistry => {
  const located = locateRegistry(text);
  const rows = located.rows.map((row) => toRow(row, located.markdown));
  const entries = located.entries.map((entry) => toEntry(entry, located.markdown));
  return {
    value: { rows, entries },
    problems: [...located.problems, ...entries.flatMap(checkOrder)],
  };
});

/** One plugin in the registry. Only its own entry is parsed, because there may be thousands of others. */
export interface PluginPlaces {
  readonly row: RegistryRow | undefined;
  readonly entry: RegistryEntry | undefined;
  /** True if the registry has full entries, so that a plugin without one lacks it. */
  readonly hasEntries: boolean;
  /** How many there are of each; more than one is a mistake. */
  readonly rows: number;
  readonly entries: number;
}

export function findPlugin(text: string, plugin: string): PluginPlaces {
  const { rows, entries, markdown } = locateRegistry(text);
  const ownRows = rows.filter(({ name }) => name === plugin);
  const ownEntries = entries.filter(({ name }) => name === plugin);
  const [[row], [entry]] = [ownRows, ownEntries];
  return {
    row: row && toRow(row, markdown),
    entry: entry && toEntry(entry, markdown),
    hasEntries: entries.length > 0,
    rows: ownRows.length,
    entries: ownEntries.length,
  };
}

/** Rows but no entries: the entries are in NOTES.md files. */
export function isTableOnly(text: string): boolean {
  const { rows, entries } = locateRegistry(text);
  return rows.length > 0 && entries.length === 0;
}

/** Reads the same fields from `plugins/<P>/NOTES.md`. */
export function parseNotes(text: string, plugin: string): RegistryEntry {
  const { markdown, fields } = locateNotes(text);
  return { ...toFields(fields, markdown, markdown.firstLine), name: plugin, line: 1 };
}

/** Undefined for a valid name. */
export function checkPluginName(name: string): Problem | undefined {
  if (PLUGIN_NAME.test(name)) return undefined;
  return {
    code: "plugin-name",
    line: 0,
    message: `Cannot use ${JSON.stringify(name.slice(0, 80))} as a plugin name`,
    fix: "Use a letter, then at most 63 letters, digits, `_` or `-`",
    rule: "PW-168",
    severity: "error",
  };
}

const PLUGIN_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** The same rows and entries with their positions, for writing. */
export interface LocatedRegistry {
  readonly markdown: Markdown;
  readonly tables: readonly LocatedTable[];
  readonly rows: readonly LocatedRow[];
  readonly entries: readonly LocatedEntry[];
  readonly problems: readonly Problem[];
}

export interface LocatedTable {
  readonly table: Table;
  readonly columns: Columns;
}

export type Columns = Readonly<Record<ColumnName, number>>;
export type ColumnName = "name" | "status" | "version" | "type" | "lastUpdated";

export interface LocatedRow {
  readonly name: string;
  readonly row: TableRow;
  readonly columns: Columns;
}

export interface LocatedEntry {
  readonly name: string;
  readonly heading: Heading;
  readonly fields: EntryFields;
}

export function locateRegistry(text: string): LocatedRegistry {
  return locateWhole(text, undefined);
}

const locateWhole = rememberTexts((text: string): LocatedRegistry => {
  const markdown = readMarkdown(text, textStart(text));
  const problems: Problem[] = [];
  const tables = findTables(text, markdown).flatMap((table) => {
    const columns = columnsOf(table);
    return columns === undefined ? [] : [{ table, columns }];
  });
  const rows = tables.flatMap(({ table, columns }) =>
    table.rows.flatMap((row) => {
      const name = plain(row.cells[columns.name]?.text ?? "");
      if (PLUGIN_NAME.test(name)) return [{ name, row, columns }];
      problems.push(notAPlugin(name, markdown.firstLine + row.at));
      return [];
    }),
  );
  const known = new Set(rows.map((row) => row.name));
  return { markdown, tables, rows, entries: locateEntries(text, markdown, known), problems };
});

export function locateNotes(text: string): { markdown: Markdown; fields: EntryFields } {
  const markdown = readMarkdown(text, textStart(text));
  return { markdown, fields: readEntryFields(text, markdown, 0, markdown.lines.length) };
}

/** A third-level heading is a plugin's if the table has that name, or if its section has a plugin's fields. */
function locateEntries(
  text: string,
  markdown: Markdown,
  known: ReadonlySet<string>,
): LocatedEntry[] {
  return markdown.headings.flatMap((heading) => {
    const name = plain(heading.text);
    if (heading.level !== 3 || !PLUGIN_NAME.test(name)) return [];
    const entry = locateEntry(name, heading, () =>
      readEntryFields(text, markdown, heading.at + 1, heading.until),
    );
    const isEntry = known.has(name) || ENTRY_FIELDS.some((one) => entry.fields.fields.has(one));
    return isEntry ? [entry] : [];
  });
}

/** An entry whose fields are only parsed when first used. */
function locateEntry(name: string, heading: Heading, read: () => EntryFields): LocatedEntry {
  let fields: EntryFields | undefined;
  return {
    name,
    heading,
    get fields() {
      fields ??= read();
      return fields;
    },
  };
}

const ENTRY_FIELDS: readonly string[] = ["Status", "Version", "Created", "Last Updated"];

function columnsOf(table: Table): Columns | undefined {
  const names = table.header.cells.map((cell) => plain(cell.text).toLowerCase());
  const find = (...wanted: string[]): number => names.findIndex((name) => wanted.includes(name));
  const columns: Columns = {
    name: find("plugin name", "plugin", "name"),
    status: find("status"),
    version: find("version"),
    type: find("type"),
    lastUpdated: find("last updated", "updated"),
  };
  return columns.name < 0 || columns.status < 0 ? undefined : columns;
}

function toRow({ name, row, columns }: LocatedRow, markdown: Markdown): RegistryRow {
  const cell = (column: number): string | undefined => row.cells[column]?.text;
  return {
    name,
    status: cell(columns.status),
    version: cell(columns.version),
    type: cell(columns.type),
    lastUpdated: cell(columns.lastUpdated),
    line: markdown.firstLine + row.at,
  };
}

function toEntry({ name, heading, fields }: LocatedEntry, markdown: Markdown): RegistryEntry {
  const line = markdown.firstLine + heading.at;
  return { ...toFields(fields, markdown, line), name, line };
}

function toFields(
  located: EntryFields,
  markdown: Markdown,
  line: number,
): Omit<RegistryEntry, "name" | "line"> {
  const { fields, timeline } = located;
  const value = (name: string): string | undefined => fields.get(name)?.value;
  const status = fields.get("Status");
  return {
    status: status === undefined || status.value === "" ? undefined : status.value,
    version: value("Version"),
    created: value("Created"),
    type: value("Type"),
    lastUpdated: value("Last Updated"),
    gui: value("GUI Type") ?? value("GUI"),
    timeline: timeline?.entries ?? [],
    statusLine: status === undefined ? line : markdown.firstLine + status.at,
  };
}

/** Checks that the timeline is oldest first, and reports the first line dated before the one above it. */
export function checkOrder(entry: RegistryEntry): Problem[] {
  const { timeline } = entry;
  const late = timeline.find((one, index) => one.date < (timeline[index - 1]?.date ?? ""));
  if (late === undefined) return [];
  const message = `The timeline of ${entry.name} has ${late.date} below a later date`;
  const fix = "Order the timeline from the oldest to the newest event";
  return [
    {
      code: "registry-timeline",
      line: late.line,
      message,
      fix,
      rule: "PW-030",
      severity: "warning",
    },
  ];
}

function notAPlugin(name: string, line: number): Problem {
  const message = `The row ${JSON.stringify(name.slice(0, 80))} names no plugin`;
  const fix = "Use a letter, then at most 63 letters, digits, `_` or `-`";
  return { code: "registry-row", line, message, fix, rule: "PW-168", severity: "warning" };
}
