/**
 * The folded state of a stream at one record, so that opening does not depend on the length of its history. Only
 * a cache: without a usable snapshot, the file is read in full.
 * It is also a witness of the journal's length, because a hash chain cannot show that its end is missing. So it
 * must never be written before the sync that covers it: after a power loss it would accuse a journal that has
 * lost nothing.
 */
import { parseJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Damage, Head } from "../../../ports/journal.ts";
import type { Count, Spot } from "./count.ts";
import type { Store } from "./disk.ts";
import { readIfThere, replaceCache } from "./disk.ts";
import { seal, unseal } from "./line.ts";
import type { Recent } from "./recent.ts";
import { recentFromJson, recentToJson } from "./recent.ts";

/** What was once in the file: `head` started at `start`, and the file had at least `offset` bytes. */
export interface Witness extends Spot {
  readonly head: Head;
  readonly start: number;
}

export interface Snapshot<S> extends Witness {
  readonly at: string;
  readonly recent: Recent;
  readonly state: S;
}

export interface ReadSnapshot<S> {
  readonly witness: Witness;
  /** Undefined if the snapshot was made by another fold. */
  readonly snapshot: Snapshot<S> | undefined;
}

export function writeSnapshot<S>(store: Store<S>, path: string, snapshot: Snapshot<S>): boolean {
  const { offset, line, head, start, at, recent, state } = snapshot;
  const value: SnapshotFile<S> = {
    format: FORMAT,
    fold: store.fold.version,
    offset,
    line,
    start,
    seq: head.seq,
    head: head.hash,
    at,
    recent: recentToJson(recent),
    state,
  };
  return replaceCache(store, "snapshot", path, seal(JSON.stringify(value)));
}

export function readSnapshot<S>(store: Store<S>, path: string): ReadSnapshot<S> | undefined {
  const bytes = readIfThere(path);
  const sealed = bytes === undefined ? undefined : unseal(bytes);
  if (sealed === undefined || !sealed.text.startsWith(`{"format":${FORMAT},`)) return undefined;
  const parsed: unknown = parseJson(sealed.text);
  if (!isSnapshot<S>(parsed)) return undefined;
  // The state itself is not checked here, only that the same fold version wrote it. `verify` folds again.
  const { fold, offset, line, start, seq, head, at, state } = parsed;
  const witness: Witness = { offset, line, start, head: { seq, hash: head } };
  const recent = recentFromJson(parsed.recent);
  if (fold !== store.fold.version || recent === undefined) {
    return { witness, snapshot: undefined };
  }
  return { witness, snapshot: { ...witness, at, recent, state } };
}

/** Anybody can write a file with a correct hash. */
function isSnapshot<S>(value: unknown): value is SnapshotFile<S> {
  if (typeof value !== "object" || value === null) return false;
  const numbers = ["offset", "line", "start", "seq"];
  const fields = new Map(Object.entries(value));
  return (
    numbers.every((name) => Number.isSafeInteger(fields.get(name)) && fields.get(name) >= 0) &&
    ["fold", "head", "at"].every((name) => typeof fields.get(name) === "string") &&
    typeof fields.get("state") === "object" &&
    fields.get("state") !== null
  );
}

/** Compares a complete count with what a witness has seen. */
export function checkWitness(
  count: Count,
  witness: Witness,
  found: { size: number; witnessed: boolean },
): Damage | undefined {
  if (count.damage !== undefined || found.witnessed) return count.damage;
  const { head, offset } = witness;
  const seen = `a snapshot has seen record ${head.seq} there`;
  if (found.size < offset) return truncated(count, found.size, `${seen}, up to byte ${offset}`);
  const line = witness.line - 1;
  return {
    code: "journal-broken",
    offset: witness.start,
    line,
    message: `cannot find record ${head.seq} in the journal: line ${line} (byte ${witness.start}) has changed, ${seen}`,
  };
}

export function truncated(count: Count, size: number, why: string): Damage {
  return {
    code: "journal-truncated",
    offset: size,
    line: count.line,
    message: `cannot trust the journal's end: the file stops at byte ${size} after record ${count.head.seq}, but ${why}`,
  };
}

interface SnapshotFile<S> {
  readonly format: number;
  readonly fold: string;
  readonly offset: number;
  readonly line: number;
  readonly start: number;
  readonly seq: number;
  readonly head: string;
  readonly at: string;
  readonly recent: Json;
  readonly state: S;
}

const FORMAT = 1;
