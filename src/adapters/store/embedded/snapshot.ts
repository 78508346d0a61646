/**
 * The folded state of a stream at one record, so that opening does not depend on the history's
 * length. A cache: a snapshot that is missing, damaged or of another fold costs a full read.
 *
 * It is also the witness of the journal's length, because a chain cannot see that its own tail is
 * gone. For that it must never be written before the sync that covers it: after a power loss it
 * would accuse a journal that has lost nothing.
 */
import type { Json } from "../../../core/json.ts";
import type { Damage, Head } from "../../../ports/journal.ts";
import type { Count, Spot } from "./count.ts";
import type { Store } from "./disk.ts";
import { readIfThere, replaceCache } from "./disk.ts";
import { seal, unseal } from "./line.ts";
import type { Recent } from "./recent.ts";
import { recentFromJson, recentToJson } from "./recent.ts";

/** What once was in the file: `head` started at `start`, and the file had at least `offset` bytes. */
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
  /** Missing when the snapshot was made by another fold. */
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
  // The state is not checked further: the bytes match their hash, and the same fold version wrote them.
  const value: SnapshotFile<S> = JSON.parse(sealed.text);
  const { offset, line, start, seq, head, at, state } = value;
  const witness: Witness = { offset, line, start, head: { seq, hash: head } };
  const recent = recentFromJson(value.recent);
  if (value.fold !== store.fold.version || recent === undefined) {
    return { witness, snapshot: undefined };
  }
  return { witness, snapshot: { ...witness, at, recent, state } };
}

/** Compares a whole count with what a witness has seen. */
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
