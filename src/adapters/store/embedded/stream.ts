/**
 * One stream as this process knows it: its file, how far it was read, and the state folded from it.
 *
 *   openStream   from the snapshot, or from the file's first byte when there is none to trust
 *   catchUp      what other processes have written since
 *   closeStream  leaves a snapshot behind when this process has appended
 */
import { closeSync, constants, existsSync, fstatSync, openSync } from "node:fs";
import type { Damage, Head, JournalRecord } from "../../../ports/journal.ts";
import type { Count, OnRecord, Whole } from "./count.ts";
import { FILE_START, isHeadFalse, startCount } from "./count.ts";
import type { Store } from "./disk.ts";
import { errorCode, errorText } from "./disk.ts";
import type { StreamPaths } from "./paths.ts";
import { streamPaths } from "./paths.ts";
import type { Recent } from "./recent.ts";
import { RECENT_MAX, remember } from "./recent.ts";
import { readRecordAt, scan } from "./scan.ts";
import { blobsAt, joinRecord } from "./spill.ts";
import type { Snapshot, Witness } from "./snapshot.ts";
import { checkWitness, readSnapshot, truncated, writeSnapshot } from "./snapshot.ts";

export interface Stream<S> {
  readonly name: string;
  readonly paths: StreamPaths;
  /** Undefined while the stream has no file. */
  descriptor: number | undefined;
  readonly count: Count;
  state: S;
  at: string;
  readonly recent: Recent;
  /** Where the head's line starts; before the start of the file if there is no record. */
  headStart: number;
  /** Bytes before this position are on the disk and not only in memory. */
  synced: number;
  /** The directory entry of this file is on the disk, too. */
  entrySynced: boolean;
  saved: Saved;
  /** Why this process can no longer promise durable writes. */
  failure: Failure | undefined;
  /** Appends that are written and wait for their sync. */
  waiting: Waiter[];
}

/** How far the last snapshot goes, and whether this process has appended since. */
interface Saved {
  readonly seq: number;
  readonly offset: number;
  readonly appended: boolean;
}

export interface Failure {
  readonly message: string;
  /** A `.failed` file tells other processes too. Whoever repairs the disk removes it. */
  readonly marked: boolean;
}

/** Gets the failure when the sync did not succeed. */
export type Waiter = (failure: string | undefined) => void;

export function openStream<S>(store: Store<S>, name: string): Stream<S> {
  const paths = streamPaths(store.dir, name);
  const opened = openFile(store, paths.journal, 0);
  const read = readSnapshot(store, paths.snapshot);
  const { descriptor } = opened;
  const snapshot = descriptor === undefined ? undefined : trust(descriptor, read?.snapshot);
  const start = { name, paths, descriptor, snapshot };
  const stream = startStream(store, start);
  if (opened.damage !== undefined) stream.count.damage = opened.damage;
  else if (snapshot === undefined) readFile(store, stream, read?.witness);
  else catchUp(store, stream);
  if (!isHeadFalse(stream.count, stream.headStart)) return stream;
  return readBefore(store, startStream(store, start), stream.count.damage);
}

/** False if the file is no longer the one in the directory: the stream must be opened again. */
export function catchUp<S>(store: Store<S>, stream: Stream<S>): boolean {
  const { descriptor, count } = stream;
  if (descriptor === undefined) return false;
  const { size, nlink } = fstatSync(descriptor);
  if (nlink === 0 || isHeadFalse(count, stream.headStart)) return false;
  if (size < count.offset) {
    count.damage ??= truncated(count, size, `this process has read up to byte ${count.offset}`);
  } else if (size > count.offset && count.damage === undefined) {
    const onRecord: OnRecord = (record, offset) => keep(store, stream, record, offset);
    scan(descriptor, count, onRecord, size - count.offset);
  }
  return true;
}

/** Takes a counted record into memory. */
export function keep<S>(
  store: Store<S>,
  stream: Stream<S>,
  record: JournalRecord,
  offset: number,
): void {
  stream.state = store.fold.evolve(stream.state, record);
  place(stream, record, offset);
}

export function place<S>(stream: Stream<S>, record: JournalRecord, offset: number): void {
  stream.at = record.at;
  stream.headStart = offset;
  remember(stream.recent, record.id, { seq: record.seq, offset });
}

/** Only after a sync that covers the head: see snapshot.ts. */
export function saveSnapshot<S>(store: Store<S>, stream: Stream<S>): void {
  const { count, paths, at, recent, state, headStart } = stream;
  const { offset, line, head } = count;
  if (head.seq === 0 || stream.synced < offset) return;
  if (stream.failure !== undefined || count.damage !== undefined) return;
  const snapshot: Snapshot<S> = { offset, line, head, start: headStart, at, recent, state };
  const isWritten = writeSnapshot(store, paths.snapshot, snapshot);
  // If it could not be written, it counts as written: retrying with every append would cost more than the append.
  stream.saved = { seq: head.seq, offset, appended: !isWritten };
}

export function isSnapshotDue<S>(stream: Stream<S>): boolean {
  const { count, saved } = stream;
  return (
    count.head.seq - saved.seq >= SNAPSHOT_RECORDS || count.offset - saved.offset >= SNAPSHOT_BYTES
  );
}

export function closeStream<S>(store: Store<S>, stream: Stream<S>): void {
  if (stream.descriptor === undefined) return;
  if (stream.saved.appended) saveSnapshot(store, stream);
  closeSync(stream.descriptor);
  stream.descriptor = undefined;
}

/** Opened for writing even to read: on overlayfs, a read-only descriptor stays on the old copy of the file. */
export function openFile<S>(
  store: Store<S>,
  path: string,
  create: number,
): { descriptor: number | undefined; damage?: Damage } {
  const { O_RDONLY, O_RDWR, O_APPEND, O_NONBLOCK, O_NOFOLLOW } = constants;
  try {
    const flags = store.readOnly ? O_RDONLY : O_RDWR | O_APPEND | create;
    // O_NONBLOCK, because opening a pipe in place of the journal would block forever.
    const descriptor = openSync(path, flags | O_NONBLOCK | O_NOFOLLOW, 0o644);
    if (fstatSync(descriptor).isFile()) return { descriptor };
    closeSync(descriptor);
    return unreadable(path, "it is not a regular file");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { descriptor: undefined };
    return unreadable(
      path,
      errorCode(error) === "ELOOP" ? "it is a symbolic link" : errorText(error),
    );
  }
}

function unreadable(path: string, why: string): { descriptor: undefined; damage: Damage } {
  const message = `cannot open the journal file ${path}: ${why}`;
  return {
    descriptor: undefined,
    damage: { code: "journal-unreadable", offset: 0, line: 0, message },
  };
}

/** A snapshot is used only if the record it was made at is still in its place. */
function trust<S>(descriptor: number, snapshot: Snapshot<S> | undefined): Snapshot<S> | undefined {
  if (snapshot === undefined || fstatSync(descriptor).size < snapshot.offset) return undefined;
  try {
    return readRecordAt(descriptor, snapshot.start)?.hash === snapshot.head.hash
      ? snapshot
      : undefined;
  } catch {
    // The following full read meets the same error and reports it.
    return undefined;
  }
}

function startStream<S>(
  store: Store<S>,
  start: Pick<Stream<S>, "name" | "paths" | "descriptor"> & { snapshot: Snapshot<S> | undefined },
): Stream<S> {
  const { name, paths, descriptor, snapshot } = start;
  const offset = snapshot?.offset ?? 0;
  return {
    name,
    paths,
    descriptor,
    count: startCount(snapshot ?? FILE_START, RECENT_MAX, wholeIn(store)),
    state: snapshot === undefined ? store.fold.initial(name) : snapshot.state,
    at: snapshot?.at ?? "",
    recent: snapshot?.recent ?? new Map(),
    headStart: snapshot?.start ?? -1,
    synced: offset,
    entrySynced: snapshot !== undefined,
    saved: { seq: snapshot?.head.seq ?? 0, offset, appended: false },
    failure: existsSync(paths.failed) ? failedBefore(paths.failed) : undefined,
    waiting: [],
  };
}

export function wholeIn<S>({ dir }: Store<S>): Whole {
  const blobs = blobsAt(dir);
  return (record) => joinRecord(record, blobs);
}

/** Folds only what is before the damage. */
function readBefore<S>(store: Store<S>, stream: Stream<S>, damage: Damage | undefined): Stream<S> {
  stream.count.stopAt = damage?.offset ?? 0;
  catchUp(store, stream);
  stream.count.damage = damage;
  return stream;
}

function readFile<S>(store: Store<S>, stream: Stream<S>, witness: Witness | undefined): void {
  const { descriptor, count } = stream;
  let witnessed = witness === undefined;
  if (descriptor !== undefined) {
    scan(descriptor, count, (record, offset) => {
      if (isSame(record, witness?.head)) witnessed = true;
      keep(store, stream, record, offset);
    });
  }
  if (witness === undefined) return;
  const size = descriptor === undefined ? 0 : fstatSync(descriptor).size;
  count.damage = checkWitness(count, witness, { size, witnessed });
}

export function isSame(a: Head, b: Head | undefined): boolean {
  return b !== undefined && a.seq === b.seq && a.hash === b.hash;
}

function failedBefore(path: string): Failure {
  const message =
    `cannot promise that this stream's records reach the disk: a sync failed earlier (${path}). ` +
    `Check the disk, copy the journal file to a fresh file in its place, then remove that file.`;
  return { message, marked: true };
}

const SNAPSHOT_RECORDS = 256;
const SNAPSHOT_BYTES = 1024 * 1024;
