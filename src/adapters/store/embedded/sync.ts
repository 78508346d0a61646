/**
 * Group commit: appends are written at once and acknowledged together, because one sync after their writes covers
 * all of them. The sync is synchronous: with a single writer, the thread pool costs more than it saves.
 * A failed sync is never retried. The kernel drops pages that it could not write, and a second sync would report
 * success for records that are lost.
 */
import { fdatasyncSync } from "node:fs";
import type { Store } from "./disk.ts";
import { createWhole, errorText } from "./disk.ts";
import { syncDirectory } from "../durable.ts";
import { journalsDir } from "./paths.ts";
import type { Stream } from "./stream.ts";
import { isSnapshotDue, saveSnapshot } from "./stream.ts";

export interface Syncs<S> {
  /** Resolves when everything written to the stream so far is on the disk, or with the error. */
  readonly covered: (stream: Stream<S>) => Promise<string | undefined>;
  /** Syncs every stream with unsynced appends at once. */
  readonly flush: () => void;
  /** Another append has begun: the next sync waits for its write, so that one sync covers both. */
  readonly noteRequest: () => void;
}

export function createSyncs<S>(store: Store<S>): Syncs<S> {
  const due = new Set<Stream<S>>();
  let requests = 0;
  let flushes = 0;
  function schedule(): void {
    flushes += 1;
    const before = requests;
    // Every few flushes go through the event loop; otherwise a busy writer would starve timers and sockets.
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

/**
 * A head that another process has written but not synced must not be shown, because a power loss would undo it.
 */
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
    // The mark could not be written either. This process remembers the failure; others will meet it themselves.
  }
  stream.failure = { message, marked };
}

const FLUSHES_PER_TURN_MAX = 16;
