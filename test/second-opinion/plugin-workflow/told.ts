/** An agent's word about the state it keeps, planted: what it says it wrote, and what it left out. */
import { type Objection, today } from "../opinion.ts";
import type { Ground } from "./plants.ts";

/** What each of the thirteen checks is called in the notes to a report. */
const NOTES: readonly (readonly [check: RegExp, note: string])[] = [
  [/^validity:exists/, "handoff_missing"],
  [/^validity:yaml/, "handoff_invalid"],
  [/^handoff:section/, "sections_missing"],
  [/^handoff:contract_checksums|^validity:checksum/, "checksums_missing"],
  [/^handoff:plugin/, "fields_missing"],
  [/^validity:stage/, "stage_mismatch"],
  [/^validity:phase/, "phase_mismatch"],
  [/^handoff:status|^validity:status/, "status_mismatch"],
  [/^validity:date/, "date_not_current"],
  [/^validity:(?:row|entry)/, "plugins_md_not_updated"],
  [/^registry:drift/, "registry_drift"],
  [/^validity:timeline/, "timeline_missing"],
  [/^validity:completed/, "completed_missing"],
];

export function notesOf(objections: readonly Objection[]): readonly string[] {
  const notes = objections.flatMap(({ check }) =>
    NOTES.filter(([pattern]) => pattern.test(check)).map(([, note]) => note),
  );
  return [...new Set(notes)].toSorted();
}

export interface Told {
  readonly name: string;
  readonly spoil: (ground: Ground) => void;
}

const HANDOFF = "plugins/TapeDelay/.continue-here.md";

function inHandoff(name: string, from: string | RegExp, to: string): Told {
  return { name, spoil: ({ edit }) => edit(HANDOFF, (text) => text.replace(from, to)) };
}

function inRegistry(name: string, from: string | RegExp, to: string): Told {
  return { name, spoil: ({ edit }) => edit("PLUGINS.md", (text) => text.replace(from, to)) };
}

/** Stage 3 is written in every place, but for one. */
export const TOLD: readonly Told[] = [
  { name: "everything", spoil: () => undefined },
  { name: "no handoff", spoil: ({ remove }) => remove(HANDOFF) },
  inHandoff("a handoff that cannot be read", "status: complete", "status: [complete"),
  inHandoff("no plugin", /^plugin:.*\n/m, ""),
  inHandoff("the stage before", "stage: 3", "stage: 2"),
  inHandoff("a phase", "phase: null", 'phase: "3.1"'),
  inHandoff("a status", "status: complete", "status: in_progress"),
  inHandoff("a date", `last_updated: ${today()}`, "last_updated: 2020-01-01"),
  inHandoff("a checksum", /^ {2}architecture:.*\n/m, ""),
  inHandoff("a section", /^## Testing Checklist[^]*?(?=^## )/m, ""),
  inHandoff("a bullet", /^- \*\*Stage 3:.*\n/m, ""),
  inRegistry("the row", "| 🚧 Stage 3 |", "| 🚧 Stage 2 |"),
  inRegistry("the entry", "**Status:** 🚧 Stage 3", "**Status:** 🚧 Stage 2"),
  inRegistry("the timeline", /^- .*\(Stage 3\).*\n/m, ""),
];
