import type { Json, JsonObject } from "../core/values/json.ts";
import type { Problem } from "./problem.ts";

/**
 * The journal: the append-only, hash-chained record of one workflow, and the only truth.
 *
 * What every adapter promises (test/conformance/journal.ts states it as tests):
 *   S1  an acknowledged append survives `kill -9` and power loss
 *   S2  two writers never both append the same sequence number
 *   S3  a dead process never blocks a live one
 *   S4  reading needs no mutex and never sees half a record
 *   S5  any changed or broken byte is detected and named; everything before it stays readable
 */
export interface Journal<S> {
  /** Folds a stream into its state. A stream that does not exist yet has the genesis head. */
  readonly load: (stream: string) => Promise<Loaded<S>>;
  /**
   * Appends one durable record at the expected head. For an `entry.id` that was appended before, returns the
   * stored record. If the store cannot be reached, this throws a `StoreProblem`, as all methods do.
   */
  readonly append: (stream: string, expected: Head, entry: Entry) => Promise<Appended<S>>;
  /** Every valid record after `afterSeq`, oldest first, `countMax` at most: for audit, watchers and refolding. */
  readonly read: (
    stream: string,
    afterSeq?: number,
    countMax?: number,
  ) => Promise<readonly JournalRecord[]>;
  /** The record of a command's id, if it is among the last thousand or so. */
  readonly find: (stream: string, id: string) => Promise<JournalRecord | undefined>;
  /** All streams with their summaries, without opening each file. */
  readonly list: () => Promise<readonly StreamSummary[]>;
  /**
   * The names of all streams, from what is really stored. The list is a cache, and could be manipulated to hide
   * one.
   */
  readonly streams: () => Promise<readonly string[]>;
  /**
   * Reads every byte of a stream again without trusting a snapshot, folds it from the first record on, and
   * compares. `watch` gets each record with the state before it. If there is damage, the last records it got may
   * be invalid.
   */
  readonly verify: (stream: string, watch?: Watch<S>) => Promise<JournalReport>;
  /**
   * What every caller should be told, a sentence each: for example that the answer comes from a copy, and how old
   * it is.
   */
  readonly notices?: () => readonly string[];
  /** Why the last answer came from a copy: the store could not be reached. Followers then see nothing new. */
  readonly away?: () => Problem | undefined;
  readonly close: () => Promise<void>;
}

export type Watch<S> = (record: JournalRecord, before: S) => void;

export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** What a caller wants recorded. `id` is the command's id and makes the append idempotent. */
export interface Entry {
  readonly id: string;
  readonly at: string;
  readonly body: JsonObject;
}

export interface JournalRecord extends Entry {
  readonly seq: number;
  readonly prev: string;
  readonly hash: string;
}

export interface Loaded<S> {
  readonly head: Head;
  readonly state: S;
  /** Set if the stream is readable only up to here. Appends are refused until it is repaired. */
  readonly damage?: Damage;
}

export type Appended<S> =
  | { readonly kind: "appended"; readonly record: JournalRecord; readonly state: S }
  | { readonly kind: "repeated"; readonly record: JournalRecord; readonly state: S }
  | { readonly kind: "conflict"; readonly head: Head }
  | { readonly kind: "failed"; readonly code: JournalFailure; readonly message: string };

/**
 * `damaged`: the chain is broken. `too-large`: the record is over the limit. `disk`: the write or the sync failed
 * (full, read-only, I/O error). `busy`: lost too many races in a row. `moved`: the journal is kept elsewhere now.
 */
export type JournalFailure = "damaged" | "too-large" | "disk" | "busy" | "moved";

export interface Damage {
  /**
   * `journal-blob`: something that a record keeps outside its line is missing or changed. `journal-event`: the
   * line is intact, but no fold understands it. `snapshot-false`: the records are intact, but the cached snapshot
   * differs.
   */
  readonly code:
    | "journal-broken"
    | "journal-truncated"
    | "journal-unreadable"
    | "journal-blob"
    | "journal-event"
    | "snapshot-false";
  readonly offset: number;
  readonly line: number;
  readonly message: string;
}

export interface JournalReport {
  readonly records: number;
  /** Lines that never became records, from lost races and torn writes. Harmless; they are only counted. */
  readonly void: number;
  readonly torn: number;
  readonly head: Head;
  readonly damage?: Damage;
}

export interface StreamSummary {
  readonly stream: string;
  readonly seq: number;
  readonly at: string;
  readonly summary: Json;
}

/** How records become state. `version` changes when `evolve` does, which invalidates older snapshots. */
export interface Fold<S> {
  readonly version: string;
  readonly initial: (stream: string) => S;
  readonly evolve: (state: S, record: JournalRecord) => S;
  readonly summary: (state: S) => Json;
}

export const GENESIS: Head = { seq: 0, hash: "0".repeat(64) };
