import { itemsBetween, type Markdown, plain } from "../../../files/markdown.ts";

/**
 * The fields and the timeline of one plugin, in a full entry of `PLUGINS.md` or in `NOTES.md`.
 *
 *   **Status:** 🚧 Stage 2                      - **Current Status:** 🚧 Stage 2
 *   **Lifecycle Timeline:**                     ## Lifecycle Timeline
 *   - **2025-11-10:** Creative brief created
 *   - **2025-11-13 (Stage 2):** Foundation complete
 */
export interface EntryFields {
  /** By name. If a name occurs twice, the first line counts. */
  readonly fields: ReadonlyMap<string, EntryField>;
  readonly timeline: TimelineBlock | undefined;
}

export interface EntryField {
  readonly value: string;
  /** Offsets of the value, without surrounding spaces. */
  readonly start: number;
  readonly end: number;
  /** Index of its line. */
  readonly at: number;
}

export interface TimelineBlock {
  /** Index of the label's line, and of the first line after the list. */
  readonly at: number;
  readonly until: number;
  readonly entries: readonly TimelineEntry[];
}

export interface TimelineEntry {
  readonly date: string;
  /** `Stage 3.1`, `v1.0.0`, or undefined for an event before the workflow. */
  readonly tag: string | undefined;
  readonly text: string;
  readonly line: number;
  /** Index of its line, and of the first line after it. */
  readonly at: number;
  readonly until: number;
}

/** Reads lines `[from, until)`. */
export function readEntryFields(
  text: string,
  markdown: Markdown,
  from: number,
  until: number,
): EntryFields {
  const fields = new Map<string, EntryField>();
  let label: number | undefined;
  for (let at = from; at < until; at += 1) {
    if (label === undefined && isTimelineLabel(text, markdown, at)) label = at;
    const field = fieldAt(text, markdown, at);
    if (field !== undefined && !fields.has(field.name)) fields.set(field.name, field.field);
  }
  const timeline = label === undefined ? undefined : readTimeline(text, markdown, label, until);
  return { fields, timeline };
}

/** `Stage 4 Phase 4.1` is `Stage 4.1`, `Stage 4 COMPLETE` is `Stage 4`. */
export function canonicalTag(tag: string): string {
  const phase = /^Stage (\d+) Phase \1\.(\d+)/.exec(tag);
  if (phase !== null) return `Stage ${phase[1]}.${phase[2]}`;
  return /^(Stage \d+(?:\.\d+)?)(?: complete)?$/i.exec(tag)?.[1] ?? tag;
}

/** Tags that the workflow itself writes when a step is done. */
export function isStep(tag: string): boolean {
  return /^(?:Stage \d|v\d)/.test(tag);
}

function fieldAt(
  text: string,
  markdown: Markdown,
  at: number,
): { name: string; field: EntryField } | undefined {
  const kind = markdown.kinds[at];
  const line = markdown.lines[at];
  if (line === undefined || (kind !== "text" && kind !== "item" && kind !== "nested"))
    return undefined;
  const source = text.slice(line.start, line.end);
  const match = FIELD.exec(source);
  if (match === null) return undefined;
  const rest = source.slice(match[0].length);
  const start = line.start + match[0].length + (rest.length - rest.trimStart().length);
  const value = rest.trim();
  const name = (match[1] ?? "").trim().replace(/^Current Status$/, "Status");
  return {
    name,
    field: {
      value,
      start: value === "" ? line.start + match[0].length : start,
      end: value === "" ? line.start + match[0].length : start + value.length,
      at,
    },
  };
}

/** Only at the start of a line: `**Name:**` or `**Name**:`, possibly as a list item. A date is not a name. */
const FIELD = /^(?:[-+*] )?\*\*([A-Z][A-Za-z ]{0,40})(?::\*\*|\*\*:)/;

function isTimelineLabel(text: string, markdown: Markdown, at: number): boolean {
  const line = markdown.lines[at];
  const kind = markdown.kinds[at];
  if (line === undefined || kind === "fence" || kind === "code" || kind === "html") return false;
  if (line.end - line.start > 80) return false;
  const source = text.slice(line.start, line.end);
  if (!source.includes("Timeline")) return false;
  const words = plain(source.replace(/^#+/, "")).replace(/:$/, "");
  return words === "Lifecycle Timeline" || words === "Timeline";
}

function readTimeline(
  text: string,
  markdown: Markdown,
  label: number,
  limit: number,
): TimelineBlock {
  let until = label + 1;
  let end = until;
  while (until < limit && isListLine(text, markdown, until)) {
    until += 1;
    if (markdown.kinds[until - 1] !== "blank") end = until;
  }
  const items = itemsBetween(markdown, label + 1, end);
  const entries = items.flatMap((item) => {
    const match = TIMELINE.exec(item.text);
    if (match === null) return [];
    return [
      {
        date: match[1] ?? "",
        tag: match[2],
        text: match[3] ?? "",
        line: markdown.firstLine + item.at,
        at: item.at,
        until: item.until,
      },
    ];
  });
  return { at: label, until: end, entries };
}

const TIMELINE = /^\*\*(\d{4}-\d{2}-\d{2})(?: \(([^)]{1,80})\))?:\*\*[ \t]*(.*)$/;

/** A field right after the last bullet ends the list, although Markdown counts it as part of that bullet. */
function isListLine(text: string, markdown: Markdown, at: number): boolean {
  const kind = markdown.kinds[at];
  if (kind === "item" || kind === "blank") return true;
  return kind === "nested" && fieldAt(text, markdown, at) === undefined;
}
