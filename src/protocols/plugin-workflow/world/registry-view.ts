import { showJson } from "../../../core/values/json.ts";
import type { Note, Workflow } from "../../../core/state/state.ts";
import { formatStatus, parseStatus, sameStatus } from "../files/plugin-status.ts";
import { canonicalTag, isStep } from "../files/entry-fields.ts";
import { addPlugin, keepFirst, removePlugin } from "../files/plugins-md/add.ts";
import { editNotes, editRegistry } from "../files/plugins-md/edit.ts";
import type { RegistryChanges } from "../files/plugins-md/edit.ts";
import { findPlugin, parseNotes } from "../files/plugins-md/plugins-md.ts";
import type { PluginPlaces, RegistryEntry } from "../files/plugins-md/plugins-md.ts";
import { isVersion } from "../files/registry-changes.ts";
import type { Rendered, View } from "../../../ports/family.ts";
import { REGISTRY, notesOf } from "../table/paths.ts";
import { BEGUN, positionOf, progressDate } from "../table/position.ts";
import { carryPlugin, registryParts } from "./registry-carry.ts";

/** `PLUGINS.md`: this workflow owns its row and its entry. The rest of the file is left alone. */
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

/** `NOTES.md`: holds the entry if the registry is only a table. */
export function notesView(state: Workflow): View {
  return {
    path: notesOf(state.id),
    shared: false,
    render: (text) => {
      if (text === null || isRemoved(state)) return { kind: "absent" };
      return {
        kind: "text",
        text: editAll(text, changesOf(state, parseNotes(text, state.id)), editNotes),
      };
    },
    drift: (text) => {
      const notes = text === null ? undefined : parseNotes(text, state.id);
      if (notes?.status === undefined || isRemoved(state)) return [];
      return entryDrift(state, `${notesOf(state.id)}: the entry`, notes);
    },
  };
}

function renderRegistry(state: Workflow, text: string | null): Rendered {
  if (isRemoved(state)) {
    return text === null
      ? { kind: "absent" }
      : { kind: "text", text: removePlugin(text, state.id).text };
  }
  // A person is being asked about this difference, and must be able to see it.
  if (text !== null && isAsked(state, "registry-drift")) return { kind: "text", text };
  const added = ensurePlugin(state, text === null ? null : keepFirst(text, state.id));
  const { entry } = findPlugin(added, state.id);
  const edit = (now: string, changes: RegistryChanges): ReturnType<typeof editNotes> =>
    editRegistry(now, state.id, changes);
  return { kind: "text", text: editAll(added, changesOf(state, entry), edit) };
}

function isAsked({ decisions }: Workflow, question: string): boolean {
  return Object.values(decisions).some((one) => one.question === question && one.status === "open");
}

/** Makes sure that row and entry exist. A table-only registry keeps its entries elsewhere. */
function ensurePlugin(state: Workflow, text: string | null): string {
  const lacks = text === null || lacksEntry(state, findPlugin(text, state.id));
  if (text !== null && !lacks && findPlugin(text, state.id).row !== undefined) return text;
  const { type = null, brief = "" } = state.vars;
  // For a plugin older than its journal, no creation date is made up.
  const begun = state.notes.find(({ list, text: said }) => list === "timeline" && said === BEGUN);
  return addPlugin(text ?? undefined, {
    name: state.id,
    ...(type === null ? {} : { type: showJson(type) }),
    ...(begun === undefined ? {} : { created: begun.at.slice(0, 10) }),
    date: progressDate(state),
    description: showJson(brief),
    entry: lacks,
  }).text;
}

/** In a table-only registry an entry is not missing, unless there was one. */
function lacksEntry({ vars }: Workflow, { entry, hasEntries }: PluginPlaces): boolean {
  const { entry: had = hasEntries } = vars;
  return entry === undefined && (hasEntries || had === true);
}

function changesOf(state: Workflow, entry: RegistryEntry | undefined): readonly RegistryChanges[] {
  const { gui_type: gui } = state.vars;
  const version = showJson(state.vars["version"] ?? "-");
  const notes = state.notes.filter((note) => note.list === "timeline" && !isWritten(entry, note));
  const known = knownTags(state);
  return [
    {
      isUnknown: (tag) => isStep(tag) && !known.has(canonicalTag(tag)),
      status: positionOf(state).registry,
      // Older files have `N/A` or similar; that stays until there is a version.
      ...(isVersion(version) ? { version } : {}),
      lastUpdated: progressDate(state),
      ...(gui === "headless" || gui === "webview" ? { guiType: gui } : {}),
      ...aheadOf(state, entry),
    },
    ...notes.map(({ tag, text, at }) => ({
      timeline: { date: at.slice(0, 10), text, ...(tag === "" ? {} : { tag }) },
    })),
  ];
}

/** Dates later than the last record come from a clock that ran ahead, and are corrected. */
function aheadOf(
  { notes, updatedAt, startedAt }: Workflow,
  entry: RegistryEntry | undefined,
): Pick<RegistryChanges, "redates" | "created"> {
  const today = updatedAt.slice(0, 10);
  const late = (entry?.timeline ?? []).filter((line) => line.date > today);
  const redates = late.flatMap(({ text, tag, date: from }) => {
    const own = notes.find(
      (note) =>
        note.list === "timeline" && (tag === undefined ? note.text === text : note.tag === tag),
    );
    return own === undefined ? [] : [{ text, from, to: own.at.slice(0, 10) }];
  });
  const isLate = (entry?.created ?? "") > today;
  return {
    ...(redates.length === 0 ? {} : { redates }),
    ...(isLate ? { created: startedAt.slice(0, 10) } : {}),
  };
}

/** Whether a line with this tag exists, whatever words the agent chose. */
function isWritten(entry: RegistryEntry | undefined, note: Note): boolean {
  const lines = entry?.timeline ?? [];
  const tagOf = (tag: string | undefined): string => canonicalTag(tag ?? "");
  return lines.some((line) =>
    note.tag === "" ? line.text === note.text : tagOf(line.tag) === tagOf(note.tag),
  );
}

function editAll(
  text: string,
  changes: readonly RegistryChanges[],
  edit: (text: string, changes: RegistryChanges) => ReturnType<typeof editNotes>,
): string {
  return changes.reduce((now, change) => edit(now, change).text, text);
}

function driftOfRegistry(state: Workflow, text: string | null): readonly string[] {
  if (text === null) return isRemoved(state) ? [] : [`${REGISTRY} is missing`];
  const places = findPlugin(text, state.id);
  const { row, entry, rows, entries } = places;
  if (isRemoved(state)) {
    const left = rows + entries;
    return left === 0 ? [] : [`${REGISTRY} still has ${state.id}`];
  }
  const drift = [
    rows > 1 ? `${REGISTRY} has ${rows} rows for ${state.id}` : undefined,
    entries > 1 ? `${REGISTRY} has ${entries} entries for ${state.id}` : undefined,
    row === undefined ? `${REGISTRY} has no row for ${state.id}` : undefined,
    lacksEntry(state, places) ? `${REGISTRY} has no entry for ${state.id}` : undefined,
  ].filter((one) => one !== undefined);
  return [
    ...drift,
    ...(row === undefined ? [] : fieldDrift(state, `${REGISTRY}: the row`, row)),
    ...(entry === undefined ? [] : entryDrift(state, `${REGISTRY}: the entry`, entry)),
  ];
}

/** Where a row or entry disagrees on status or version. Older files have no version, or words for none. */
function fieldDrift(
  state: Workflow,
  where: string,
  found: { readonly status: string | undefined; readonly version: string | undefined },
): readonly string[] {
  const expected = positionOf(state).registry;
  const version = showJson(state.vars["version"] ?? "-");
  const { status } = found;
  const said = found.version?.replace(/^v(?=\d)/, "") ?? "";
  return [
    ...(status !== undefined && sameStatus(canonical(status), expected)
      ? []
      : [`${where} says ${status ?? "nothing"}, the journal says ${expected}`]),
    ...(isVersion(said) && isVersion(version) && said !== version
      ? [`${where} says version ${said}, the journal says ${version}`]
      : []),
  ];
}

/** A line about a step that the journal does not know is false, and a missing one hides a step. */
function entryDrift(state: Workflow, where: string, entry: RegistryEntry): readonly string[] {
  const tags = entry.timeline.flatMap(({ tag }) => (tag === undefined ? [] : [canonicalTag(tag)]));
  const known = knownTags(state);
  return [
    ...fieldDrift(state, where, entry),
    ...tags
      .filter((tag) => isStep(tag) && !known.has(tag))
      .map((tag) => `${where} claims ${tag}, which the journal does not know`),
    ...[...known]
      .filter((tag) => isStep(tag) && !tags.includes(tag))
      .map((tag) => `${where} has no line about ${tag}`),
  ];
}

function knownTags({ notes }: Workflow): ReadonlySet<string> {
  return new Set(
    notes.filter((note) => note.list === "timeline").map((note) => canonicalTag(note.tag)),
  );
}

function isRemoved(state: Workflow): boolean {
  return state.units["."]?.at === "removed";
}

/** The numeric form of a status, because milestone words mean the same. */
export function canonical(text: string): string {
  const { id, stage, phase } = parseStatus(text);
  if (id === "unknown") return text;
  return formatStatus({ id: id === "working-headless" ? "working" : id, stage, phase }) ?? text;
}

/** Updates this plugin's row and entry in the committed registry, and nothing else. */
function carry(state: Workflow, head: string, shown: string): string {
  const carried = carryPlugin(state.id, head, shown);
  if (carried !== undefined) return carried;
  const rendered = renderRegistry(state, head);
  return rendered.kind === "text" ? rendered.text : shown;
}
