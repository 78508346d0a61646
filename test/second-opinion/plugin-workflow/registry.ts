/** `PLUGINS.md`: the five rules of the state contract, and the consistency check, read as its scripts read them. */
import { type Objection, isDate, objection, unless } from "../opinion.ts";
import { proseOf } from "../markdown.ts";
import type { PluginFiles } from "./files.ts";

export interface Places {
  /** The cells of every row of this plugin. */
  readonly rows: readonly (readonly string[])[];
  /** The lines of every entry, headings left out. */
  readonly entries: readonly (readonly string[])[];
}

/** A row begins with the name in its first cell, an entry with the name as its heading. */
export function placesOf(registry: string, name: string): Places {
  const lines = proseOf(registry);
  const rows = lines
    .filter((line) => line.startsWith(`| ${name} |`))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  const entries = lines.flatMap((line, index) => {
    if (line !== `### ${name}`) return [];
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((other) => /^#{1,3} /.test(other));
    return [end === -1 ? rest : rest.slice(0, end)];
  });
  return { rows, entries };
}

/** The full entry is what counts: its first `**Status:**` within ten lines. */
export function statusOf({ entries: [entry = []] }: Places): string {
  return valueOf(entry.slice(0, 10), "Status");
}

export function valueOf(entry: readonly string[], field: string): string {
  const head = `**${field}:**`;
  return (
    entry
      .find((line) => line.startsWith(head))
      ?.slice(head.length)
      .trim() ?? ""
  );
}

export interface TimelineLine {
  readonly text: string;
  readonly date: string;
  /** `Stage 3.1`; empty where the line has none. */
  readonly tag: string;
}

export function timelineOf({ entries: [entry = []] }: Places): readonly TimelineLine[] {
  const from = entry.indexOf("**Lifecycle Timeline:**");
  if (from === -1) return [];
  const rest = entry.slice(from + 1);
  const end = rest.findIndex((line) => !line.startsWith("- "));
  return (end === -1 ? rest : rest.slice(0, end)).map((text) => {
    const [, date = "", tag = ""] = /^- \*\*(\S+?)(?: \((.*?)\))?:\*\*/.exec(text) ?? [];
    return { text, date, tag };
  });
}

export function judgeRegistry({ name, registry }: PluginFiles): readonly Objection[] {
  const places = placesOf(registry, name);
  return [...judgeConsistency(places), ...judgeDates(places), ...judgeTimeline(places)];
}

/** Letters, digits and blanks alone are compared, as the published script does. */
function normalized(status: string): string {
  return status.replaceAll(/[^a-zA-Z0-9 ]/g, "").trim();
}

export function isSameStatus(one: string, other: string): boolean {
  return normalized(one) === normalized(other);
}

/** Whatever the places say is put together: one that is there twice agrees with nothing. */
function judgeConsistency({ rows, entries }: Places): readonly Objection[] {
  const row = rows.map((cells) => cells[1] ?? "").join(" ");
  const statuses = entries.map((entry) => valueOf(entry.slice(0, 10), "Status"));
  const entry = statuses.join(" ");
  return [
    ...unless(
      isSameStatus(row, entry),
      "registry:drift",
      `the row says "${row}", the entry "${entry}"`,
    ),
    ...statuses
      .filter((status) => !isStatus(status))
      .map((status) => objection("registry:status", `"${status}" is no status`)),
  ];
}

function judgeDates({ rows, entries: [entry] }: Places): readonly Objection[] {
  if (entry === undefined || rows.length === 0) return [];
  const row = rows[0]?.[3] ?? "";
  const date = valueOf(entry, "Last Updated");
  return unless(row === date, "registry:date", `the row was updated ${row}, the entry ${date}`);
}

/** Oldest first, each with its date and, but for what came before the stages, its stage. */
function judgeTimeline(places: Places): readonly Objection[] {
  const lines = timelineOf(places);
  const odd = lines.filter(
    ({ date, tag }, index) =>
      !isDate(date) || !(/^Stage \d+(?:\.\d+)?$/.test(tag) || (tag === "" && index === 0)),
  );
  const back = lines.filter(
    ({ date }, index) => date !== "" && date < (lines[index - 1]?.date ?? ""),
  );
  return [
    ...odd.map(({ text }) => objection("registry:line", `"${text}" is no timeline entry`)),
    ...back.map(({ text }) => objection("registry:order", `"${text}" is out of order`)),
  ];
}

const STATUSES: readonly string[] = [
  "💡 Ideated",
  "💡 Ideated (Draft Params)",
  "✅ Working",
  "📦 Installed",
];

/** As the state contract lists them, phases of stages 3 and 4 among them. */
export function isStatus(status: string): boolean {
  return STATUSES.includes(status) || /^🚧 Stage (?:[0235]|[34](?:\.\d+)?)$/u.test(status);
}
