/**
 * Group commit. Appends are written at once and acknowledged together: one sync, started after their
 * writes, covers all of them. The sync is the synchronous one, because with a single writer the way
 * through the thread pool costs more than it saves.
 *
 * A failed sync is never tried again. The kernel drops the pages it could not write, and the second
 * sync of the same file answers "all is well" about records that are gone.
 */
import { fdatasyncSync } from "node:fs";
import type { Store } from "./disk.ts";
import { createWhole, errorText } from "./disk.ts";
import { syncDirectory } from "../durable.ts";
import { journalsDir } from "./paths.ts";
import type { Stream } from "./stream.ts";
import { isSnapshotDue, saveSnapshot } from "./stream.ts";

export interface Syncs<S> {
  /** Resolves when everything written to the stream so far is on the disk, or with the failure. */
  readonly covered: (stream: Stream<S>) => Promise<string | undefined>;
  /** Sync at once every stream that has unsynced appends. */
  readonly flush: () => void;
  /** Another appender has begun: let the next sync wait for its write, so that one sync covers both. */
  readonly noteRequest: () => void;
}

export function createSyncs<S>(store: Store<S>): Syncs<S> {
  const due = new Set<Stream<S>>();
  let requests = 0;
  let flushes = 0;
  function schedule(): void {
    flushes += 1;
    const before = requests;
    // Every few flushes go through the event loop, or a busy writer would starve timers and sockets.
    if (flushes % FLUSHES_PER_TURN_MAX === 0) setImmediate(flush);
    // A single appender syncs at once. With several, wait for the next tick: by then every appender that
    // was ready has written, and one sync covers them all.
    else queueMicrotask(() => (requests === before ? flush() : process.nextTick(flush)));
  }
  function flush(): void {
    for (const stream of due) syncStream(store, stream);
    due.clear();
  }
  function covered(stream: Stream<S>): Promise<string | undefined> {
    if (due.size === 0) schedule();
    due.add(stream);
    return new Promise((resolve) => {
      stream.waiting.push(resolve);
    });
  }
  function noteRequest(): void {
    requests += 1;
  }
  return { covered, flush, noteRequest };
}

/** A head that another process wrote but has not synced must not be shown: power loss undoes it. */
export function coverHead<S>(store: Store<S>, stream: Stream<S>): void {
  if (store.readOnly || stream.waiting.length > 0 || stream.descriptor === undefined) return;
  if (stream.headStart >= stream.synced) syncStream(store, stream);
}

function syncStream<S>(store: Store<S>, stream: Stream<S>): void {
  const waiting = stream.waiting;
  stream.waiting = [];
  trySync(store, stream);
  for (const resolve of waiting) resolve(stream.failure?.message);
  if (isSnapshotDue(stream)) saveSnapshot(store, stream);
}

function trySync<S>(store: Store<S>, stream: Stream<S>): void {
  const { descriptor, failure, count } = stream;
  if (failure !== undefined) return;
  if (descriptor === undefined) throw new Error("cannot sync a stream that is closed");
  const end = count.offset;
  try {
    syncFile(store, stream, descriptor);
    stream.synced = end;
  } catch (error) {
    markFailed(store, stream, errorText(error));
  }
}

function syncFile<S>(store: Store<S>, stream: Stream<S>, descriptor: number): void {
  store.onStep("sync");
  fdatasyncSync(descriptor);
  if (!stream.entrySynced) {
    store.onStep("sync-entry");
    syncDirectory(journalsDir(store.dir));
    stream.entrySynced = true;
  }
}

function markFailed<S>(store: Store<S>, stream: Stream<S>, why: string): void {
  const message =
    `cannot promise that this stream's records reach the disk: ${why}. ` +
    `Check the disk and the journal file ${stream.paths.journal}.`;
  let marked = false;
  try {
    store.onStep("mark-failed");
    createWhole(store.dir, stream.paths.failed, `${why}\n`);
    marked = true;
  } catch {
    // The mark could not be written either. This process remembers the failure; another one will meet it itself.
  }
  stream.failure = { message, marked };
}

const FLUSHES_PER_TURN_MAX = 16;
