/** What has changed since an open question was last asked, for whoever reads it a second time. */
import { decodeText } from "../../core/values/bytes.ts";
import type { Evidence } from "../../core/decide/answer.ts";
import type { Event } from "../../core/state/events.ts";
import type { Bound, Decision } from "../../core/state/state.ts";
import { canonicalJson, member, parseJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import { object, text } from "../../core/values/json-read.ts";
import { readingKey, readMeasured, TIP } from "../../core/values/measured.ts";
import type { Change } from "../../core/values/measured.ts";
import type { Found } from "../../engine/engine.ts";
import { ASKED_BYTES_MAX, boundPaths, reportedIn, reportOf } from "../../engine/look/asked.ts";
import { changeSince } from "../../engine/look/measure.ts";
import { eventsOf, openWorld, streamOf } from "../../engine/parts.ts";
import type { Parts } from "../../engine/parts.ts";
import { diffCounts } from "../../files/diff.ts";

export interface Again {
  readonly decision: string;
  /** When it was last asked. */
  readonly before: string;
  readonly files: readonly AgainFile[];
  /** How many more files have changed. */
  readonly more: number;
  /** What people and agents have said since. */
  readonly said: readonly string[];
  /** Why it is not known which files have changed. */
  readonly unknown?: string;
}

export interface AgainFile {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
  /** Lines, if both texts could be read. */
  readonly added?: number;
  readonly removed?: number;
}

/** How far back to look. A question last asked longer ago counts as new. */
const RECORDS_MAX = 500;
const QUESTIONS_MAX = 5;
const FILES_MAX = 200;
const SAID_MAX = 40;

export async function againIn(parts: Parts, found: Found): Promise<readonly Again[]> {
  const open = Object.values(found.state.decisions).filter((one) => one.status === "open");
  const all: Again[] = [];
  for (const decision of open.slice(0, QUESTIONS_MAX)) {
    const again = await againOf(parts, found, decision);
    if (again !== undefined) all.push(again);
  }
  return all;
}

type Dated = Event & { readonly seq: number; readonly at: string; readonly used: Evidence };
type Asked = Extract<Dated, { type: "decision.asked" }>;

async function againOf(parts: Parts, found: Found, decision: Decision): Promise<Again | undefined> {
  const { askedSeq } = decision;
  const from = Math.max(0, askedSeq - RECORDS_MAX);
  const records = await parts.journal.read(
    streamOf(found.family, found.state.id),
    from,
    askedSeq - from,
  );
  const events = records.flatMap((record) =>
    eventsOf(record).map((event): Dated => ({
      ...event,
      seq: record.seq,
      at: record.at,
      used: object(record.body["used"]),
    })),
  );
  const before = askedBefore(found, decision, events);
  if (before === undefined) return undefined;
  const since = events.filter(({ seq }) => seq > before.seq);
  const { files, unknown } = await filesSince(parts, found, { decision, before, events });
  return {
    decision: decision.id,
    before: before.at,
    files: files.slice(0, FILES_MAX),
    more: Math.max(0, files.length - FILES_MAX),
    said: since.flatMap((event) => wordsIn(found, event)).slice(-SAID_MAX),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

/** The last time the same question was asked about the same thing and settled. */
function askedBefore(
  { family }: Found,
  { question, unit, about, askedSeq }: Decision,
  events: readonly Dated[],
): Asked | undefined {
  const same = events.filter(
    (event): event is Asked =>
      event.type === "decision.asked" &&
      event.question === question &&
      event.unit === unit &&
      event.seq < askedSeq,
  );
  const asked = same.filter(({ decision, seq }) =>
    events.some(
      (event) =>
        event.type === "decision.settled" && event.decision === decision && event.seq >= seq,
    ),
  );
  const wanted = canonicalJson(about);
  const [last] = asked.slice(-1);
  const isMany =
    member(family.protocol.questions, question)?.by !== undefined ||
    same.filter(({ seq }) => seq === last?.seq).length > 1;
  return isMany ? asked.findLast((one) => canonicalJson(one.about) === wanted) : last;
}

interface Between {
  readonly decision: Decision;
  readonly before: Asked;
  readonly events: readonly Dated[];
}

/**
 * Compares files by their bytes with the last reading before the question, and with those the question was bound
 * to.
 */
async function filesSince(
  parts: Parts,
  found: Found,
  { decision, before, events }: Between,
): Promise<{ readonly files: readonly AgainFile[]; readonly unknown?: string }> {
  const { family, state } = found;
  const at = family.checks.at(state, decision.unit);
  const reading = events.findLast(
    (event): event is Extract<Dated, { baseline: Bound }> =>
      (event.type === "work.left" || event.type === "dispatch.sent") &&
      event.seq <= before.seq &&
      family.checks.at(state, event.unit) === at &&
      typeof event.baseline[readingKey(event.unit)] === "string",
  );
  const changes = new Map<string, Change>();
  let unknown: string | undefined;
  // What a waiting report had changed was already there when the question was asked.
  for (const event of events.filter(({ seq }) => seq > (reading?.seq ?? 0) && seq <= before.seq)) {
    const change = await wholeFact(parts, reportOf(event, event.used));
    for (const [path, [was, then]] of Object.entries(reportedIn(found, event, change)))
      changes.set(path, [then, was]);
  }
  if (reading !== undefined) {
    const measured = readMeasured(await changeSince(openWorld(parts), reading, state, family));
    if (typeof measured === "string") unknown = measured;
    else
      for (const [path, change] of Object.entries(measured?.files ?? {}))
        noteChange(changes, at === "" ? path : `${at}/${path}`, change);
  }
  // For files the question was bound to, the digest is known exactly. An earlier reading would miss edits in
  // between.
  for (const path of boundPaths(before.bound)) {
    const was = text(before.bound[`digest:${path}`]) || null;
    const now = (await parts.workspace.digest(path)) ?? null;
    if (was === now) changes.delete(path);
    else changes.set(path, [was, now]);
  }
  const tip = text(reading?.baseline[TIP]);
  const known = [...changes].slice(0, FILES_MAX);
  const counted = await Promise.all(
    known.map(async ([path, change]) => await counts(parts, { path, at, tip }, change)),
  );
  const rest = [...changes].slice(FILES_MAX).map(([path, change]) => named(path, change));
  return { files: [...counted, ...rest], ...(unknown === undefined ? {} : { unknown }) };
}

/** Loads a long fact, which its record holds only as a digest. */
async function wholeFact({ blobs }: Parts, fact: Json | undefined): Promise<Json> {
  const digest = text(object(fact)["sha256"]);
  if (digest === "") return fact ?? null;
  const kept = await blobs.get(digest);
  return kept.kind === "found" ? (parseJson(new TextDecoder().decode(kept.bytes)) ?? null) : null;
}

/**
 * What was there when the question was asked counts as before. A file that is the same as then has not changed.
 */
function noteChange(changes: Map<string, Change>, path: string, [was, now]: Change): void {
  const [then = was] = changes.get(path) ?? [];
  if (then === now) changes.delete(path);
  else changes.set(path, [then, now]);
}

function named(path: string, [was, now]: Change): AgainFile {
  return { path, change: was === null ? "added" : now === null ? "deleted" : "modified" };
}

async function counts(
  parts: Parts,
  { path, at, tip }: { readonly path: string; readonly at: string; readonly tip: string },
  [was, now]: Change,
): Promise<AgainFile> {
  const file = named(path, [was, now]);
  const inTree = at === "" ? path : path.slice(at.length + 1);
  const old = was === null ? "" : await textBefore(parts, { path: inTree, tip }, was);
  const current = now === null ? undefined : await parts.workspace.bytes(path);
  const fresh =
    current === undefined ? "" : current.kind === "bytes" ? asText(current.bytes) : undefined;
  return old === undefined || fresh === undefined ? file : { ...file, ...diffCounts(old, fresh) };
}

/** Finds a text by its digest: in a stored copy, or in the commit checked out at the time. */
async function textBefore(
  { blobs, git, sha256 }: Parts,
  { path, tip }: { readonly path: string; readonly tip: string },
  was: string,
): Promise<string | undefined> {
  const digest = was.replace(/^(?:\w |sha256:)/, "");
  const kept = /^[0-9a-f]{64}$/.test(digest) ? await blobs.get(digest) : undefined;
  if (kept?.kind === "found") return asText(kept.bytes);
  const bytes = tip === "" ? undefined : await git.show(tip, path);
  const committed = bytes === undefined ? undefined : asText(bytes);
  return committed !== undefined && sha256(committed) === digest ? committed : undefined;
}

function asText(bytes: Uint8Array): string | undefined {
  return bytes.length > ASKED_BYTES_MAX ? undefined : decodeText(bytes);
}

function wordsIn({ state }: Found, event: Dated): readonly string[] {
  if (event.type === "decision.settled")
    return event.status === "answered" && event.by !== "engine"
      ? [`${event.by} answered ${event.decision}: ${event.text.trim() || event.option}`]
      : [];
  if (event.type === "note.added")
    return event.list === "other" ? [`said about ${event.tag}: ${event.text}`] : [];
  if (event.type !== "dispatch.ended") return [];
  const words = text(event.claim["summary"]) || text(event.claim["description"]);
  const role = member(state.dispatches, event.dispatch)?.role ?? event.dispatch;
  return words === "" ? [] : [`${role} reported ${event.outcome}: ${words}`];
}
