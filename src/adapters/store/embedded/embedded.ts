/**
 * The embedded journal: one append-only file for each stream, shared by all processes of one machine
 * without a mutex. This file keeps the streams that are open and puts the parts together:
 *
 *   append   append.ts (write, read back) -> sync.ts (group commit) -> snapshot.ts
 *   load     stream.ts (snapshot and tail) -> count.ts (which lines are records)
 *   list     list.ts        verify   verify.ts        line.ts, paths.ts   the formats
 */
import type {
  Damage,
  Entry,
  Fold,
  Head,
  Journal,
  JournalRecord,
  Loaded,
} from "../../../ports/journal.ts";
import { createFile, isNew, writeRecord } from "./append.ts";
import type { Written } from "./append.ts";
import { FILE_START, startCount } from "./count.ts";
import type { Refused } from "./directory.ts";
import { openDirectory } from "./directory.ts";
import type { Step, Store } from "./disk.ts";
import type { ListIndex } from "./list.ts";
import { listStreams, namesOf, readIndex } from "./list.ts";
import { createOpenStreams } from "./open-streams.ts";
import { movedAway, movedTo } from "./moved.ts";
import { findSeq } from "./recent.ts";
import { readRecordAt, scan } from "./scan.ts";
import type { Stream } from "./stream.ts";
import { coverHead, createSyncs } from "./sync.ts";
import { verifyStream } from "./verify.ts";

export type Opened<S> = { readonly kind: "open"; readonly journal: Journal<S> } | Refused;

export interface EmbeddedOptions<S> {
  readonly dir: string;
  /** The state must be plain JSON, because snapshots contain it. */
  readonly fold: Fold<S>;
  /** Creates and changes no file, for a sandbox that may only read. Appends fail with `disk`. */
  readonly readOnly?: boolean;
  /** For moving the store: allows reading although the store is marked as moved. */
  readonly moving?: boolean;
  /** For tests: called before every system call whose order matters. */
  readonly onStep?: (step: Step) => void;
}

export async function openEmbeddedJournal<S>(options: EmbeddedOptions<S>): Promise<Opened<S>> {
  const { dir, fold, readOnly = false, moving = false, onStep = () => {} } = options;
  const refused = openDirectory(dir, readOnly);
  if (refused !== undefined) return refused;
  const journal = createJournal({ dir, fold, readOnly, onStep });
  return { kind: "open", journal: moving ? journal : hereOnly(dir, journal) };
}

/** A process that had the store open while it was moved gets an error with its next call. */
function hereOnly<S>(dir: string, journal: Journal<S>): Journal<S> {
  const here = (): Journal<S> => {
    const to = movedTo(dir);
    if (to !== undefined) throw movedAway(to);
    return journal;
  };
  return {
    ...journal,
    load: async (stream) => await here().load(stream),
    read: async (...of) => await here().read(...of),
    find: async (...of) => await here().find(...of),
    list: async () => await here().list(),
    streams: async () => await here().streams(),
    verify: async (...of) => await here().verify(...of),
  };
}

function createJournal<S>(store: Store<S>): Journal<S> {
  const syncs = createSyncs(store);
  const streams = createOpenStreams(store, syncs);
  let index: ListIndex | undefined;
  return {
    load: async (name) => toLoaded(covered(store, streams.get(name))),
    append: async (name, expected, entry) => {
      const stream = streams.get(name);
      const written = write(store, stream, expected, entry);
      if (written.kind === "conflict" || written.kind === "failed") return written;
      const { kind, record, state } = written;
      // The record of a repeated command may come from another process that has not synced it yet.
      const isSynced = kind === "repeated" && written.offset < stream.synced;
      const failure = isSynced ? undefined : await syncs.covered(stream);
      if (failure !== undefined) return { kind: "failed", code: "disk", message: failure };
      return { kind, record, state };
    },
    read: async (name, afterSeq = 0, countMax = Infinity) => {
      const stream = covered(store, streams.get(name));
      return readAfter(stream, afterSeq, Math.min(stream.count.head.seq, afterSeq + countMax));
    },
    find: async (name, id) => {
      const { recent, descriptor, count } = covered(store, streams.get(name));
      const offset = recent.get(id)?.offset;
      if (offset === undefined || descriptor === undefined) return undefined;
      const record = readRecordAt(descriptor, offset);
      const whole = record?.id === id ? count.whole(record) : undefined;
      return typeof whole === "string" ? undefined : whole;
    },
    list: async () => {
      index ??= readIndex(store);
      return listStreams(store, index, (name) => {
        const { count, at, state } = streams.get(name);
        return { seq: count.head.seq, at, summary: store.fold.summary(state) };
      });
    },
    streams: async () => namesOf(store),
    verify: async (name, watch) => verifyStream(store, name, { open: streams.peek(name), watch }),
    close: async () => {
      syncs.flush();
      streams.close();
    },
  };
}

function covered<S>(store: Store<S>, stream: Stream<S>): Stream<S> {
  coverHead(store, stream);
  return stream;
}

function toLoaded<S>(stream: Stream<S>): Loaded<S> {
  const { count, state } = stream;
  const damage = count.damage ?? failureToDamage(stream);
  return { head: count.head, state, ...(damage !== undefined && { damage }) };
}

function failureToDamage<S>(stream: Stream<S>): Damage | undefined {
  const { failure, count } = stream;
  if (failure === undefined) return undefined;
  const { offset, line } = count;
  return { code: "journal-unreadable", offset, line, message: failure.message };
}

function write<S>(store: Store<S>, stream: Stream<S>, expected: Head, entry: Entry): Written<S> {
  const creates =
    stream.descriptor === undefined &&
    stream.count.damage === undefined &&
    stream.failure === undefined &&
    !store.readOnly &&
    isNew(expected);
  const failed = creates ? createFile(store, stream) : undefined;
  return failed ?? writeRecord(store, stream, { expected, entry });
}

function readAfter<S>(
  stream: Stream<S>,
  afterSeq: number,
  lastSeq: number,
): readonly JournalRecord[] {
  const { descriptor, recent, count } = stream;
  const records: JournalRecord[] = [];
  if (descriptor === undefined || afterSeq >= lastSeq) return records;
  const start = findStart(descriptor, findSeq(recent, afterSeq)?.offset);
  scan(descriptor, startCount(start, count.hashesMax, count.whole), (record) => {
    if (record.seq > afterSeq && record.seq <= lastSeq) records.push(record);
  });
  return records;
}

/** Starts at the requested record if its place is remembered, so that a watcher need not read the whole file. */
function findStart(descriptor: number, offset: number | undefined): typeof FILE_START {
  const record = offset === undefined ? undefined : readRecordAt(descriptor, offset);
  if (offset === undefined || record === undefined) return FILE_START;
  // The scan sees this record's own line again and calls it void, because it knows no hash before it.
  return { offset, line: 0, head: { seq: record.seq, hash: record.hash } };
}
