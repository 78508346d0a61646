import { showJson } from "../../../core/json.ts";
import type { Note, Workflow } from "../../../core/state.ts";
import { formatStatus, parseStatus, sameStatus } from "../files/plugin-status.ts";
import { addPlugin, removePlugin } from "../files/plugins-md-add.ts";
import { editNotes, editRegistry } from "../files/plugins-md-edit.ts";
import type { RegistryChanges } from "../files/plugins-md-edit.ts";
import { findPlugin, parseNotes } from "../files/plugins-md.ts";
import type { RegistryEntry } from "../files/plugins-md.ts";
import { isVersion } from "../files/registry-changes.ts";
import type { Rendered, View } from "../../../ports/family.ts";
import { REGISTRY, notesOf } from "../table/paths.ts";
import { positionOf, progressDate } from "../table/position.ts";
import { carryPlugin, registryParts } from "./registry-carry.ts";

/** `PLUGINS.md`: this workflow owns its row and its entry, the rest of the file is prose to it. */
export function registryView(state: Workflow): View {
  return {
    path: REGISTRY,
    shared: true,
    render: (text) => renderRegistry(state, text),
    drift: (text) => driftOfRegistry(state, text),
    carry: (head, shown) => carry(state, head, shown),
    reads: registryParts,
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
  const { entry } = findPlugin(added, state.id);
  const edit = (now: string, changes: RegistryChanges): ReturnType<typeof editNotes> =>
    editRegistry(now, state.id, changes);
  return { kind: "text", text: editAll(added, changesOf(state, entry), edit) };
}

/** Row and entry exist; a registry that is only a table keeps its entries elsewhere. */
function ensurePlugin(state: Workflow, text: string | null): string {
  if (text !== null) {
    const { row, entry, hasEntries } = findPlugin(text, state.id);
    if (row !== undefined && (entry !== undefined || !hasEntries)) return text;
  }
  return addPlugin(text ?? undefined, {
    name: state.id,
    type: showJson(state.vars["type"] ?? "Audio Effect"),
    date: state.startedAt.slice(0, 10),
    description: showJson(state.vars["brief"] ?? ""),
  }).text;
}

function changesOf(state: Workflow, entry: RegistryEntry | undefined): readonly RegistryChanges[] {
  const { gui_type: gui } = state.vars;
  const version = showJson(state.vars["version"] ?? "-");
  const notes = state.notes.filter((note) => note.list === "timeline" && !isWritten(entry, note));
  return [
    {
      status: positionOf(state).registry,
      // Older files say `N/A` and the like; that stays until there is a version.
      ...(isVersion(version) ? { version } : {}),
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
  const { row, entry, hasEntries } = findPlugin(text, state.id);
  return [
    row === undefined
      ? `${REGISTRY} has no row for ${state.id}`
      : differs("the row", row.status, expected),
    entry === undefined
      ? hasEntries
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
function carry(state: Workflow, head: string, shown: string): string {
  const carried = carryPlugin(state.id, head, shown);
  if (carried !== undefined) return carried;
  const rendered = renderRegistry(state, head);
  return rendered.kind === "text" ? rendered.text : shown;
}
