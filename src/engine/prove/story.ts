import type { Event } from "../../core/state/events.ts";
import { tell } from "./audit.ts";
import type { AuditEntry } from "./audit.ts";

/** What people follow of each record, in order: without bookkeeping, and with deeds by their names. */
export function storiesOf(
  entries: readonly Pick<AuditEntry, "events">[],
): readonly (readonly string[])[] {
  const kinds = new Map(
    entries
      .flatMap(({ events }) => events)
      .flatMap((one) => (one.type === "effect.wanted" ? [[one.effect, one.kind] as const] : [])),
  );
  return entries.map(({ events }) => {
    const sealed = events.flatMap((one) =>
      one.type === "artifact.sealed" ? [`${one.artifact} (${shortDigest(one.digest)})`] : [],
    );
    return [
      ...events.filter(isNews).map((one) => storyLine(one, kinds)),
      ...(sealed.length === 0 ? [] : [`sealed ${sealed.join(", ")}`]),
    ];
  });
}

/** Enough of a digest to find the file by; all of it stands in the JSON answer. */
function shortDigest(digest: string | null): string {
  return digest === null ? "absent" : digest.replace("sha256:", "").slice(0, 12);
}

function storyLine(event: Event, kinds: ReadonlyMap<string, string>): string {
  const told = tell(event);
  if (event.type !== "effect.settled") return told;
  return told.replace(event.effect, kinds.get(event.effect) ?? event.effect);
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
