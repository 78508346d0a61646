import { showJson } from "../../core/json.ts";
import type { Note, Workflow } from "../../core/state.ts";
import { readMarkdown } from "../../files/markdown.ts";
import { formatStatus, parseStatus, sameStatus } from "../../files/plugin-status.ts";
import { addPlugin, removePlugin } from "../../files/plugins-md-add.ts";
import { editNotes, editRegistry } from "../../files/plugins-md-edit.ts";
import type { RegistryChanges } from "../../files/plugins-md-edit.ts";
import { parseNotes, parseRegistry } from "../../files/plugins-md.ts";
import type { RegistryEntry } from "../../files/plugins-md.ts";
import type { Rendered, View } from "../../ports/family.ts";
import { progressDate } from "./handoff-view.ts";
import { REGISTRY, notesOf } from "./paths.ts";
import { positionOf } from "./position.ts";

/** `PLUGINS.md`: this workflow owns its row and its entry, the rest of the file is prose to it. */
export function registryView(state: Workflow): View {
  return {
    path: REGISTRY,
    shared: true,
    render: (text) => renderRegistry(state, text),
    drift: (text) => driftOfRegistry(state, text),
    carry: (head, shown) => carryPlugin(state, head, shown),
  };
}

/** `NOTES.md`: where the entry lives in repositories whose registry is only a table. */
export function notesView(state: Workflow): View {
  return {
    path: notesOf(state.id),
    shared: false,
    render: (text) => {
      if (text === null || state.units["."]?.at === "removed") return { kind: "absent" };
      return {
        kind: "text",
        text: editAll(text, changesOf(state, parseNotes(text, state.id)), editNotes),
      };
    },
    drift: () => [],
  };
}

function renderRegistry(state: Workflow, text: string | null): Rendered {
  if (state.units["."]?.at === "removed") {
    return text === null
      ? { kind: "absent" }
      : { kind: "text", text: removePlugin(text, state.id).text };
  }
  const added = ensurePlugin(state, text);
  const entry = parseRegistry(added).value.entries.find((one) => one.name === state.id);
  const edit = (now: string, changes: RegistryChanges): ReturnType<typeof editNotes> =>
    editRegistry(now, state.id, changes);
  return { kind: "text", text: editAll(added, changesOf(state, entry), edit) };
}

/** Row and entry exist; a registry that is only a table keeps its entries elsewhere. */
function ensurePlugin(state: Workflow, text: string | null): string {
  if (text !== null) {
    const { rows, entries } = parseRegistry(text).value;
    const tableOnly = rows.length > 0 && entries.length === 0;
    const hasRow = rows.some((one) => one.name === state.id);
    const hasEntry = tableOnly || entries.some((one) => one.name === state.id);
    if (hasRow && hasEntry) return text;
  }
  return addPlugin(text ?? undefined, {
    name: state.id,
    type: showJson(state.vars["type"] ?? "Audio Effect"),
    date: state.startedAt.slice(0, 10),
    description: showJson(state.vars["brief"] ?? ""),
  }).text;
}

function changesOf(state: Workflow, entry: RegistryEntry | undefined): readonly RegistryChanges[] {
  const { gui_type: gui, version } = state.vars;
  const notes = state.notes.filter((note) => note.list === "timeline" && !isWritten(entry, note));
  return [
    {
      status: positionOf(state).registry,
      version: showJson(version ?? "-"),
      lastUpdated: progressDate(state),
      ...(gui === "headless" || gui === "webview" ? { guiType: gui } : {}),
    },
    ...notes.map(({ tag, text, at }) => ({
      timeline: { date: at.slice(0, 10), text, ...(tag === "" ? {} : { tag }) },
    })),
  ];
}

/** A line with this tag is there already, in whatever words the agent chose. */
function isWritten(entry: RegistryEntry | undefined, note: Note): boolean {
  const lines = entry?.timeline ?? [];
  return lines.some((line) => (note.tag === "" ? line.text === note.text : line.tag === note.tag));
}

function editAll(
  text: string,
  changes: readonly RegistryChanges[],
  edit: (text: string, changes: RegistryChanges) => ReturnType<typeof editNotes>,
): string {
  return changes.reduce((now, change) => edit(now, change).text, text);
}

function driftOfRegistry(state: Workflow, text: string | null): readonly string[] {
  const expected = positionOf(state).registry;
  if (state.units["."]?.at === "removed") return [];
  if (text === null) return [`${REGISTRY} is missing`];
  const { rows, entries } = parseRegistry(text).value;
  const row = rows.find((one) => one.name === state.id);
  const entry = entries.find((one) => one.name === state.id);
  return [
    row === undefined
      ? `${REGISTRY} has no row for ${state.id}`
      : differs("the row", row.status, expected),
    entry === undefined
      ? entries.length > 0
        ? `${REGISTRY} has no entry for ${state.id}`
        : undefined
      : differs("the entry", entry.status, expected),
  ].filter((one) => one !== undefined);
}

function differs(where: string, found: string | undefined, expected: string): string | undefined {
  if (found !== undefined && sameStatus(canonical(found), expected)) return undefined;
  return `${REGISTRY}: ${where} says ${found ?? "nothing"}, the journal says ${expected}`;
}

/** Milestone wording and the numbers mean the same. */
export function canonical(text: string): string {
  const { id, stage, phase } = parseStatus(text);
  if (id === "unknown") return text;
  return formatStatus({ id: id === "working-headless" ? "working" : id, stage, phase }) ?? text;
}

/** The committed registry with this plugin's row and entry brought up to date, and nobody else's. */
function carryPlugin(state: Workflow, head: string, shown: string): string {
  const target = partsOf(state, head);
  const source = partsOf(state, shown);
  if (target === undefined || source === undefined) {
    const rendered = renderRegistry(state, head);
    return rendered.kind === "text" ? rendered.text : shown;
  }
  const [first, second] = [
    { at: target.row, by: source.row },
    { at: target.entry, by: source.entry },
  ].toSorted((a, b) => b.at.start - a.at.start);
  return [first, second].reduce(
    (text, change) =>
      change === undefined
        ? text
        : text.slice(0, change.at.start) +
          shown.slice(change.by.start, change.by.end) +
          text.slice(change.at.end),
    head,
  );
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function partsOf(
  state: Workflow,
  text: string,
): { readonly row: Span; readonly entry: Span } | undefined {
  const { rows, entries } = parseRegistry(text).value;
  const row = rows.find((one) => one.name === state.id);
  const entry = entries.find((one) => one.name === state.id);
  if (row === undefined || entry === undefined) return undefined;
  const { headings, lines } = readMarkdown(text);
  const until = headings.find((one) => one.at === entry.line - 1)?.until ?? lines.length;
  return {
    row: { start: offsetOfLine(text, row.line), end: offsetOfLine(text, row.line + 1) },
    entry: { start: offsetOfLine(text, entry.line), end: offsetOfLine(text, until + 1) },
  };
}

function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let current = 1; current < line; current += 1) {
    const end = text.indexOf("\n", offset);
    if (end < 0) return text.length;
    offset = end + 1;
  }
  return offset;
}
