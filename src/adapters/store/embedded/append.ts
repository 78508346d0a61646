/**
 * One append, up to the point where only the sync is missing. There is no lock: the record is written at the end of
 * the file, and reading it back shows whether it or another came first.
 */
import { constants, writeSync } from "node:fs";
import type { Entry, Head, JournalFailure, JournalRecord } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import type { OnRecord } from "./count.ts";
import { countOwn } from "./count.ts";
import type { Store } from "./disk.ts";
import { makeStore } from "./directory.ts";
import { createWhole, errorCode, errorText } from "./disk.ts";
import type { Line } from "./line.ts";
import { LINE_BYTES_MAX } from "./line.ts";
import { movedTo } from "./moved.ts";
import { isAlone, readRecordAt, scan } from "./scan.ts";
import { RECORD_BYTES_MAX, encodeRecord } from "./spill.ts";
import type { Stream } from "./stream.ts";
import { catchUp, isSame, keep, openFile, place } from "./stream.ts";

export type Written<S> =
  | { readonly kind: "appended"; readonly record: JournalRecord; readonly state: S }
  | {
      readonly kind: "repeated";
      readonly record: JournalRecord;
      readonly state: S;
      readonly offset: number;
    }
  | { readonly kind: "conflict"; readonly head: Head }
  | { readonly kind: "failed"; readonly code: JournalFailure; readonly message: string };

export interface Request {
  readonly expected: Head;
  readonly entry: Entry;
}

/** Writes the record if the caught-up stream still has the head that the caller expects. */
export function writeRecord<S>(store: Store<S>, stream: Stream<S>, request: Request): Written<S> {
  const refused = checkStream(store, stream) ?? findRepeated(stream, request.entry.id);
  if (refused !== undefined) return refused;
  if (!isSame(stream.count.head, request.expected)) return conflict(stream);
  const line = encode(store, stream, request);
  if ("kind" in line) return line;
  // Fold the record before writing it: once written, a record on which the fold throws blocks every load.
  const state = store.fold.evolve(stream.state, line.record);
  const { descriptor } = stream;
  if (descriptor === undefined) return disk(stream, "it has no file");
  const failure = writeLine(store, stream, { line, descriptor });
  return failure ?? readBack(store, stream, { line, state, descriptor });
}

function encode<S>(store: Store<S>, stream: Stream<S>, request: Request): Line | Written<S> {
  try {
    const line = encodeRecord(store.dir, request.expected, request.entry);
    const { length } = line.bytes;
    return length > LINE_BYTES_MAX ? tooLarge(length) : line;
  } catch (error) {
    // Only writing a blob can fail with an error code here.
    if (errorCode(error) === "") throw error;
    return disk(stream, errorText(error));
  }
}

/** Creates the stream's file. If another process created it first, its records are read as usual. */
export function createFile<S>(store: Store<S>, stream: Stream<S>): Written<S> | undefined {
  const unmade = makeRoom(store.dir);
  if (unmade !== undefined) return disk(stream, unmade);
  try {
    store.onStep("create");
    if (stream.paths.name !== undefined) {
      createWhole(store.dir, stream.paths.name, JSON.stringify(stream.name));
    }
  } catch (error) {
    return disk(stream, errorText(error));
  }
  const { descriptor, damage } = openFile(store, stream.paths.journal, constants.O_CREAT);
  if (descriptor === undefined) return disk(stream, damage?.message ?? "no such directory");
  stream.descriptor = descriptor;
  catchUp(store, stream);
  return undefined;
}

function makeRoom(dir: string): string | undefined {
  try {
    makeStore(dir);
    return undefined;
  } catch (error) {
    return `${errorText(error)} (HOLDPOINT_DIR can name another place)`;
  }
}

export function isNew(expected: Head): boolean {
  return isSame(expected, GENESIS);
}

function checkStream<S>(store: Store<S>, stream: Stream<S>): Written<S> | undefined {
  if (store.readOnly) return disk(stream, "it was opened for reading only");
  const moved = movedTo(store.dir);
  if (moved !== undefined)
    return { kind: "failed", code: "moved", message: `the store has moved to ${moved}` };
  if (stream.failure !== undefined) {
    return { kind: "failed", code: "disk", message: stream.failure.message };
  }
  const damage = stream.count.damage;
  return damage && { kind: "failed", code: "damaged", message: damage.message };
}

function findRepeated<S>(stream: Stream<S>, id: string): Written<S> | undefined {
  const found = stream.recent.get(id);
  if (found === undefined || stream.descriptor === undefined) return undefined;
  const { offset } = found;
  const read = readRecordAt(stream.descriptor, offset);
  const record = read?.id === id ? stream.count.whole(read) : undefined;
  if (typeof record === "string") return { kind: "failed", code: "damaged", message: record };
  if (record !== undefined) return { kind: "repeated", record, state: stream.state, offset };
  const message = `cannot read record ${found.seq} of ${stream.name} again: byte ${offset} changed`;
  return { kind: "failed", code: "damaged", message };
}

function writeLine<S>(
  store: Store<S>,
  stream: Stream<S>,
  { line, descriptor }: { readonly line: Line; readonly descriptor: number },
): Written<S> | undefined {
  try {
    store.onStep("write");
    const size = writeSync(descriptor, line.bytes);
    // After a short write, never write the rest: another process may have appended after the first part.
    if (size < line.bytes.length) return disk(stream, `only ${size} bytes fit`);
  } catch (error) {
    return disk(stream, errorText(error));
  }
  return undefined;
}

function readBack<S>(
  store: Store<S>,
  stream: Stream<S>,
  mine: { readonly line: Line; readonly state: S; readonly descriptor: number },
): Written<S> {
  const { line, state, descriptor } = mine;
  const { record, bytes } = line;
  let won = false;
  const onRecord: OnRecord = (read, offset) => {
    if (read.hash !== record.hash) {
      keep(store, stream, read, offset);
      return;
    }
    won = true;
    stream.state = state;
    place(stream, read, offset);
  };
  store.onStep("readback");
  // Nearly always the file ends with exactly the bytes just written; then the record need not be decoded again.
  if (isAlone(descriptor, stream.count.offset, bytes)) countOwn(stream.count, line, onRecord);
  else scan(descriptor, stream.count, onRecord, bytes.length);
  if (won) {
    stream.saved = { ...stream.saved, appended: true };
    return { kind: "appended", record, state };
  }
  return checkStream(store, stream) ?? conflict(stream);
}

function conflict<S>(stream: Stream<S>): Written<S> {
  return { kind: "conflict", head: stream.count.head };
}

function tooLarge<S>(size: number): Written<S> {
  const message =
    `cannot record ${size} bytes in one record: the limit is ${RECORD_BYTES_MAX}. ` +
    `Keep large content in a file and record its digest.`;
  return { kind: "failed", code: "too-large", message };
}

function disk<S>(stream: Stream<S>, why: string): Written<S> {
  return { kind: "failed", code: "disk", message: `cannot write to ${stream.name}: ${why}` };
}
