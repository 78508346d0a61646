import type { Edited } from "../../../../files/edited.ts";
import {
  checkPluginName,
  type ColumnName,
  type LocatedRegistry,
  type LocatedTable,
  isTableOnly,
  locateRegistry,
} from "./plugins-md.ts";
import type { Problem } from "../../../../files/problem.ts";
import { lastFilled } from "../../../../files/markdown.ts";
import { checkChanges } from "../registry-changes.ts";
import { escapeCell } from "../../../../files/table.ts";
import { type Edit, applyEdits, eolOf, insertLines, oneLine } from "../../../../files/text.ts";

export interface NewPlugin {
  readonly name: string;
  /** Default: `💡 Ideated`. */
  readonly status?: string;
  /** Default: `-`. */
  readonly version?: string;
  readonly type?: string;
  /** `YYYY-MM-DD`: when it was last updated. */
  readonly date: string;
  /** If known; also the date of the first timeline line. */
  readonly created?: string;
  readonly description: string;
  /** Whether to add a full entry. By default, as the other plugins in the registry. */
  readonly entry?: boolean;
}

/**
 * Adds a plugin's row and full entry, or whichever is missing, and creates the file if necessary. If both exist,
 * this is a warning and changes nothing (PW-034).
 */
export function addPlugin(text: string | undefined, plugin: NewPlugin): Edited {
  const bad = [
    checkPluginName(plugin.name) ?? [],
    checkChanges({ ...plugin, lastUpdated: plugin.date }),
  ].flat();
  if (bad.length > 0) return { text: text ?? "", problems: bad };
  const current = text ?? EMPTY_REGISTRY;
  const located = locateRegistry(current);
  const hasRow = located.rows.some(({ name }) => name === plugin.name);
  const hasEntry = located.entries.some(({ name }) => name === plugin.name);
  const needsEntry = !hasEntry && (plugin.entry ?? !isTableOnly(current));
  if (hasRow && !needsEntry) return { text: current, problems: [exists(plugin.name)] };
  const whole = withTable(current, located);
  const edits = [
    ...(hasRow ? [] : rowEdit(whole, plugin)),
    ...(needsEntry ? [entryEdit(whole, plugin)] : []),
  ];
  const after = applyEdits(whole, edits);
  return isThere(after, plugin.name, needsEntry)
    ? { text: after, problems: [] }
    : { text: current, problems: [SWALLOWED] };
}

/** The text with only the first row and the first entry of a plugin. */
export function keepFirst(text: string, plugin: string): string {
  return applyEdits(text, cutEdits(text, plugin, 1));
}

/** Removes a plugin's rows and entries, except for the first `kept` of each. */
function cutEdits(text: string, plugin: string, kept: number): Edit[] {
  const { markdown, rows, entries } = locateRegistry(text);
  const own = entries.filter(({ name }) => name === plugin).slice(kept);
  const sections = own.map(({ heading }) => heading);
  const inSection = (at: number): boolean => sections.some((one) => one.at <= at && at < one.until);
  const ranges = [
    ...rows
      .filter(({ name }) => name === plugin)
      .slice(kept)
      .filter(({ row }) => !inSection(row.at))
      .map(({ row }) => ({ at: row.at, until: row.at + 1 })),
    ...sections,
  ];
  return ranges.map(({ at, until }): Edit => {
    const start = markdown.lines[at]?.start ?? text.length;
    return { start, end: markdown.lines[until - 1]?.next ?? text.length, text: "" };
  });
}

/** Removes the row and the entry. A plugin that has neither is a warning. */
export function removePlugin(text: string, plugin: string): Edited {
  const edits = cutEdits(text, plugin, 0);
  if (edits.length > 0) return { text: applyEdits(text, edits), problems: [] };
  const message = `${plugin.slice(0, 80)} is not in the registry`;
  const fix = "Nothing is left to do";
  return {
    text,
    problems: [
      { code: "registry-missing", line: 0, message, fix, rule: "PW-044", severity: "warning" },
    ],
  };
}

const EMPTY_REGISTRY = `# PLUGIN REGISTRY

## Plugin Registry

| Plugin Name | Status | Version | Last Updated |
|-------------|--------|---------|--------------|
`;

const EMPTY_TABLE = EMPTY_REGISTRY.split("\n").slice(2).join("\n");

function exists(name: string): Problem {
  const message = `${name} is in the registry already; nothing is changed`;
  const fix = "Change its status instead, or choose another name";
  return { code: "registry-exists", line: 0, message, fix, rule: "PW-034", severity: "warning" };
}

function withTable(text: string, { tables }: LocatedRegistry): string {
  if (tables.length > 0) return text;
  const eol = eolOf(text);
  const ended = text === "" || /[\r\n]$/.test(text) ? "" : eol;
  return `${text}${ended}${text === "" ? "" : eol}${EMPTY_TABLE.replaceAll("\n", eol)}`;
}

function rowEdit(text: string, plugin: NewPlugin): Edit[] {
  const { markdown, tables } = locateRegistry(text);
  const place = tables.at(-1);
  if (place === undefined) return [];
  const offset = markdown.lines[place.table.until - 1]?.next ?? text.length;
  return [insertLines(text, offset, [rowLine(place, plugin)])];
}

function isThere(text: string, plugin: string, withEntry: boolean): boolean {
  const { rows, entries } = locateRegistry(text);
  return (
    rows.some(({ name }) => name === plugin) &&
    (!withEntry || entries.some(({ name }) => name === plugin))
  );
}

const SWALLOWED: Problem = {
  code: "registry-missing",
  line: 0,
  message: "Cannot add to the registry: a code fence or comment in it is never closed",
  fix: "Close it, then try again",
  rule: "PW-043",
  severity: "error",
};

function rowLine({ table, columns }: LocatedTable, plugin: NewPlugin): string {
  const values: Record<ColumnName, string> = {
    name: plugin.name,
    status: plugin.status ?? "💡 Ideated",
    version: plugin.version ?? "-",
    type: oneLine(plugin.type ?? "-"),
    lastUpdated: plugin.date,
  };
  const cells = table.header.cells.map((_, index) => {
    const column = COLUMN_NAMES.find((name) => columns[name] === index);
    return column === undefined ? "-" : escapeCell(values[column]);
  });
  return `| ${cells.join(" | ")} |`;
}

const COLUMN_NAMES: readonly ColumnName[] = ["name", "status", "version", "type", "lastUpdated"];

/** After the last entry, or after the table. */
function entryEdit(text: string, plugin: NewPlugin): Edit {
  const { markdown, entries, tables } = locateRegistry(text);
  const last = entries.at(-1)?.heading;
  const until =
    last === undefined ? (tables.at(-1)?.table.until ?? markdown.lines.length) : last.until;
  const at = lastFilled(markdown, 0, until);
  const next = markdown.lines[at - 1]?.next ?? text.length;
  const gap = at < markdown.lines.length && markdown.kinds[at] !== "blank" ? [""] : [];
  return insertLines(text, next, ["", ...entryLines(plugin), ...gap]);
}

function entryLines(plugin: NewPlugin): string[] {
  const text = oneLine(plugin.description);
  const description = text.replace(/^(?=[#>`~<*_+=|\\-]|\d{1,9}[.)])/, "\\");
  return [
    `### ${plugin.name}`,
    `**Status:** ${plugin.status ?? "💡 Ideated"}`,
    `**Version:** ${plugin.version ?? "-"}`,
    ...(plugin.created === undefined ? [] : [`**Created:** ${plugin.created}`]),
    ...(plugin.type === undefined ? [] : [`**Type:** ${oneLine(plugin.type)}`]),
    "",
    ...(plugin.created === undefined && description === ""
      ? []
      : ["**Description:**", description, ""]),
    "**Lifecycle Timeline:**",
    ...(plugin.created === undefined ? [] : [`- **${plugin.created}:** Creative brief created`]),
    "",
    `**Last Updated:** ${plugin.date}`,
  ];
}
