import type { PluginFinding } from "./finding.ts";
import { parseStatus, sameStatus } from "../plugin-status.ts";
import { checkOrder } from "../plugins-md/plugins-md.ts";
import type { RegistryEntry, RegistryRow } from "../plugins-md/plugins-md.ts";

/** One plugin's rows and entries in the registry. */
export interface RegistryPlaces {
  readonly plugin: string;
  readonly rows: readonly RegistryRow[];
  readonly entries: readonly RegistryEntry[];
  /** The file that has or should have the entry: `PLUGINS.md`, or NOTES.md for a table-only registry. */
  readonly entryFile: string;
}

/**
 * Checks that row and entry exist once each and agree on status, version and date, and that the timeline is in
 * order.
 */
export function verifyRegistry(places: RegistryPlaces): PluginFinding[] {
  const { rows, entries } = places;
  const row = rows[0];
  const entry = entries[0];
  if (row === undefined || entry === undefined) return missing(places, row, entry);
  return [
    ...repeated(places),
    ...statusFindings(places, row, entry),
    ...valueFindings(places, row, entry),
    ...orderFindings(places, entry),
  ];
}

function missing(
  places: RegistryPlaces,
  row: RegistryRow | undefined,
  entry: RegistryEntry | undefined,
): PluginFinding[] {
  const { plugin, entryFile } = places;
  const about = { code: "registry-missing", rule: "PW-044" } as const;
  if (row !== undefined) {
    const message = `${plugin} has a table row but no full entry`;
    const fix =
      entryFile === "PLUGINS.md"
        ? `Add the section \`### ${plugin}\` to PLUGINS.md`
        : `Add ${entryFile} with a Status line and a timeline`;
    return [
      { ...about, file: "PLUGINS.md", line: row.line, message, fix },
      ...unknownStatus(plugin, row.status, row.line),
    ];
  }
  if (entry !== undefined) {
    const message = `${plugin} has a full entry but no table row`;
    const fix = `Add a row for ${plugin} to the table in PLUGINS.md`;
    return [{ ...about, file: entryFile, line: entry.line, message, fix }];
  }
  const message = `${plugin} has a handoff but neither a row nor an entry in PLUGINS.md`;
  const fix = `Add ${plugin} to PLUGINS.md, or remove its handoff`;
  return [{ ...about, file: "PLUGINS.md", line: 0, message, fix }];
}

function repeated({ plugin, rows, entries, entryFile }: RegistryPlaces): PluginFinding[] {
  const about = { code: "registry-drift", rule: "PW-026" } as const;
  const fix = `Keep one row and one entry for ${plugin}`;
  const twice = [
    ...rows.slice(1).map(({ line }) => ({
      line,
      file: "PLUGINS.md",
      message: `${plugin} has another table row`,
    })),
    ...entries
      .slice(1)
      .map(({ line }) => ({ line, file: entryFile, message: `${plugin} has another full entry` })),
  ];
  return twice.map((one) => ({ ...about, ...one, fix }));
}

function statusFindings(
  { plugin, entryFile }: RegistryPlaces,
  row: RegistryRow,
  entry: RegistryEntry,
): PluginFinding[] {
  const about = { code: "registry-drift", file: entryFile, line: entry.statusLine } as const;
  if (entry.status === undefined) {
    const message = `The entry of ${plugin} has no Status line`;
    const fix = `Add \`**Status:** ${row.status ?? "💡 Ideated"}\` below its heading`;
    return [{ ...about, message, fix, rule: "PW-040" }];
  }
  const unknown = unknownStatus(plugin, entry.status, entry.statusLine).map((one) => ({
    ...one,
    file: entryFile,
  }));
  if (sameStatus(row.status ?? "", entry.status)) return unknown;
  const message = `${plugin} is \`${show(row.status)}\` in the table and \`${show(entry.status)}\` in its entry`;
  const fix =
    entryFile === "PLUGINS.md"
      ? "Copy the entry's status into the table row; the entry counts"
      : `Copy the row's status into ${entryFile}`;
  return [
    ...unknown,
    { ...about, file: "PLUGINS.md", line: row.line, message, fix, rule: "PW-027" },
  ];
}

function unknownStatus(plugin: string, status: string | undefined, line: number): PluginFinding[] {
  if (status === undefined || parseStatus(status).id !== "unknown") return [];
  const message = `\`${show(status)}\` is no status of this workflow (${plugin})`;
  const fix =
    "Use `💡 Ideated`, `🚧 Stage N`, `🚧 Stage N.M`, `🚧 Improving`, `✅ Working` or `📦 Installed`";
  return [{ code: "registry-drift", file: "PLUGINS.md", line, message, fix, rule: "PW-033" }];
}

function valueFindings(
  { plugin, entryFile }: RegistryPlaces,
  row: RegistryRow,
  entry: RegistryEntry,
): PluginFinding[] {
  const pairs = [
    { name: "version", row: version(row.version), entry: version(entry.version), rule: "PW-167" },
    { name: "last update", row: row.lastUpdated, entry: entry.lastUpdated, rule: "PW-029" },
  ];
  return pairs.flatMap((pair) => {
    if (pair.row === undefined || pair.entry === undefined || pair.row === pair.entry) return [];
    const message = `The ${pair.name} of ${plugin} is ${show(pair.row)} in the table and ${show(pair.entry)} in its entry`;
    const fix = `Make row and entry (${entryFile}) agree`;
    return [
      {
        code: "registry-drift",
        file: "PLUGINS.md",
        line: row.line,
        message,
        fix,
        rule: pair.rule,
      } as const,
    ];
  });
}

function orderFindings({ entryFile }: RegistryPlaces, entry: RegistryEntry): PluginFinding[] {
  return checkOrder(entry).map(({ line, message, fix, rule }) => {
    return { code: "registry-drift", file: entryFile, line, message, fix, rule };
  });
}

/** `-`, `N/A` and an empty cell all mean that there is no release. */
function version(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return /^(?:-|–|—|n\/a|)$/i.test(text) ? "-" : text.replace(/^v(?=\d)/, "");
}

function show(text: string | undefined): string {
  if (text === undefined) return "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
