import { cite } from "../../core/table/cite.ts";
import type { Command } from "../../core/state/commands.ts";
import type { Event } from "../../core/state/events.ts";
import { evolveAll } from "../../core/state/evolve.ts";
import type { Remark, Workflow } from "../../core/state/state.ts";
import type { Family, View } from "../../ports/family.ts";
import type { FileRead } from "../../ports/workspace.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { refusedSince } from "./refused.ts";
import { isUnmoved, readBlob, renderView } from "../show/render.ts";

type Edit = Extract<Event, { type: "edit.refused" }>;

interface Recorded {
  readonly family: Family;
  readonly command: Command;
  readonly evidence?: boolean;
}

/**
 * Adds to a record's events what was refused since the last record, and the edits that this record overwrites.
 */
export async function recordedWith(
  parts: Parts,
  { family, command, evidence = false }: Recorded,
  state: Workflow,
  { events, at }: { readonly events: readonly Event[]; readonly at: string },
): Promise<readonly Event[]> {
  if (events.length === 0) return [];
  const refused = await refusedSince(parts, family, state);
  // The command that refuses an edit already reports it.
  if (command.type === "edit.refuse") return [...events, ...refused];
  const after = evolveAll(state, events, { seq: state.seq + 1, at });
  const overwritten = await overwrittenBy(parts, family, { before: state, after, evidence });
  return [...events, ...refused, ...overwritten];
}

/**
 * Finds what somebody wrote into the state files since they were last shown and the next showing will remove. It
 * is kept as a blob, and recorded with the step that overwrites it. Edits that agree with the step are not
 * included.
 */
export async function overwrittenBy(
  parts: Parts,
  family: Family,
  {
    before,
    after,
    evidence = false,
  }: { readonly before: Workflow; readonly after: Workflow; readonly evidence?: boolean },
): Promise<readonly Edit[]> {
  const shown = await parts.shown.read(streamOf(family, after.id));
  // Another process may be starting this workflow at the same time; the journal decides which one succeeds.
  if (shown === undefined || before.seq === 0) return [];
  const earlier = family.views(before);
  const found = await Promise.all(
    family.views(after).map(async (view): Promise<readonly Edit[]> => {
      const last = shown.views[view.path];
      if (evidence && (await isUnmoved(parts, view, last))) return [];
      const file = await parts.workspace.read(view.path);
      const was = earlier.find((one) => one.path === view.path);
      const told = await overwrittenIn(parts, view, { file, last, was });
      if (file.kind !== "text" || told.length === 0) return [];
      const blob = await parts.blobs.put(file.text);
      const reasons = told.map((one) => cite(family.protocol, one));
      return [{ type: "edit.refused", view: view.path, blob, reasons }];
    }),
  );
  return found.flat();
}

interface EditedFile {
  readonly file: FileRead;
  /** The blob that was last shown; null where the file was removed. */
  readonly last: string | null | undefined;
  /** The view before the step, if there was one. */
  readonly was?: View | undefined;
}

/** The same for one file: what is wrong with it, or else which of its lines are lost. */
export async function overwrittenIn(
  parts: Pick<Parts, "blobs">,
  view: View,
  { file, last, was }: EditedFile,
): Promise<readonly Remark[]> {
  if (file.kind !== "text" || last === undefined || file.digest === `sha256:${last}`) return [];
  const base = last === null ? "" : ((await readBlob(parts, last)) ?? "");
  const rendered = await renderView(parts, view, file.text, last);
  const [old, own, next] = [
    linesOf(base),
    linesOf(file.text),
    rendered.kind === "text" ? linesOf(rendered.text) : new Set<string>(),
  ];
  const gone = [...own].filter((line) => !old.has(line) && !next.has(line));
  const putBack = [...old].some((line) => next.has(line) && !own.has(line));
  const known = new Set(view.drift(last === null ? null : base));
  const wrongBefore = new Set(was?.drift(file.text));
  const drift = view
    .drift(file.text)
    .filter((one) => wrongBefore.has(one) || ((putBack || gone.length > 0) && !known.has(one)));
  const told = drift.length > 0 ? drift : gone.map((line) => `${view.path} said ${clip(line)}`);
  return told
    .slice(0, TOLD_MAX)
    .map((message) => ({ code: "state-mismatch", message, rule: "core" }));
}

/** How many lines are reported and recorded for one file. The kept text has all of them. */
const TOLD_MAX = 5;
const LINE_CHARS_MAX = 120;

/** The lines that carry meaning: ignores space around a line and a comma at its end. */
function linesOf(text: string): ReadonlySet<string> {
  return new Set(text.split(/\r\n|\n|\r/).flatMap((line) => line.trim().replace(/,$/, "") || []));
}

function clip(line: string): string {
  return JSON.stringify(line.length > LINE_CHARS_MAX ? `${line.slice(0, LINE_CHARS_MAX)}…` : line);
}

/** The message to users about such an edit. */
export function tellEdit({ blob, reasons }: Pick<Edit, "blob" | "reasons">): readonly string[] {
  return reasons.map(
    ({ message }) => `${message}; it does not count (the edited text is blob ${blob})`,
  );
}

/**
 * After a crash or a slow editor, a text may have been left beside its place. It is restored, or kept and named.
 */
export async function keepLeftAside(parts: Parts): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const left of await parts.workspace.recover()) {
    if (left.kind === "restored") continue;
    const file = await parts.workspace.bytes(left.aside);
    if (file.kind === "absent") continue;
    if (file.kind === "unreadable") {
      warnings.push(
        `${left.aside} is no older ${left.path}: look at it, and remove it (${file.code})`,
      );
      continue;
    }
    const blob = await parts.blobs.put(file.bytes);
    await parts.workspace.forget(left.aside);
    warnings.push(`an edit of an older ${left.path} is kept as blob ${blob}`);
  }
  return warnings;
}
