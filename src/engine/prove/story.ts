import type { Event } from "../../core/state/events.ts";
import { ROOT } from "../../core/state/state.ts";
import { member, showJson } from "../../core/values/json.ts";
import type { Found } from "../engine.ts";
import { tell } from "./audit.ts";
import type { AuditEntry } from "./audit.ts";

/**
 * The events of each record that matter to people, in order and in the words of their protocol, without
 * bookkeeping.
 */
export function storiesOf(
  found: Found,
  entries: readonly Pick<AuditEntry, "events">[],
): readonly (readonly string[])[] {
  return entries.map(({ events }) => {
    const sealed = events.flatMap((one) =>
      one.type === "artifact.sealed" ? [`${one.artifact} (${shortDigest(one.digest)})`] : [],
    );
    return [
      ...events.filter(isNews).flatMap((one) => storyLines(found, one)),
      ...(sealed.length === 0 ? [] : [`sealed ${sealed.join(", ")}`]),
    ].map(shortened);
  });
}

/** Enough of a digest to recognise a file; the JSON answer has all of it. */
function shortDigest(digest: string | null): string {
  return digest === null ? "absent" : digest.replace("sha256:", "").slice(0, DIGEST_CHARS);
}

/** A kept text can be read only by its whole digest. */
function shortened(line: string): string {
  return line.replaceAll(/(?<!kept as (?:blob )?)\b[0-9a-f]{64}\b/g, shortDigest);
}

const DIGEST_CHARS = 12;

function storyLines({ family: { words }, state }: Found, event: Event): readonly string[] {
  const called = (name: string): string => member(words.called, name) ?? name;
  if (event.type === "unit.opened") return [tell({ ...event, at: called(event.at) })];
  if (event.type === "unit.moved")
    return [tell({ ...event, from: called(event.from), to: called(event.to) })];
  if (event.type === "dispatch.ended")
    return [
      tell({ ...event, notes: [] }),
      ...words
        .remarks(event.notes)
        .filter(({ tone }) => tone !== "dim")
        .map(({ text }) => text),
    ];
  if (event.type === "finding.recorded") return [verdict(event)];
  if (event.type !== "effect.settled") return [tell(event)];
  const kind = member(state.effects, event.effect)?.kind ?? event.effect;
  if (event.status !== "done") return [`${kind} ${event.status}`];
  const { oid } = event.detail;
  const commit = typeof oid === "string" ? ` ${oid.slice(0, COMMIT_CHARS)}` : "";
  return [`${member(words.called, kind) ?? `${kind} done`}${commit}`];
}

const COMMIT_CHARS = 7;

function verdict({ kind, unit, by, value }: Extract<Event, { type: "finding.recorded" }>): string {
  const [what = "", of = unit === ROOT ? "" : unit] = kind.split(/:(.*)/s);
  return `${what}${of === "" ? "" : ` of ${of}`}: ${showJson(value)} (${by === "engine" ? "Holdpoint" : by})`;
}

function isNews(event: Event): boolean {
  if (event.type === "work.left") return event.changed !== undefined;
  if (event.type === "note.added") return event.text !== "";
  if (event.type === "unit.moved") return event.from !== event.to || event.reason !== "";
  return !BOOKKEEPING.includes(event.type);
}

const BOOKKEEPING: readonly Event["type"][] = [
  "vars.changed",
  "budget.spent",
  "budget.reset",
  "lease.taken",
  "lease.ended",
  "policy.agreed",
  "artifact.sealed",
  "effect.wanted",
  "effect.aimed",
  "refusal.noted",
];
