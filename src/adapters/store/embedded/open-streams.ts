/**
 * The streams that this process holds open. The least recently used is closed first, because file descriptors are
 * limited.
 */
import { existsSync } from "node:fs";
import type { Store } from "./disk.ts";
import type { Stream } from "./stream.ts";
import { catchUp, closeStream, openStream } from "./stream.ts";
import type { Syncs } from "./sync.ts";

export interface OpenStreams<S> {
  /** Caught up with the current file. */
  readonly get: (name: string) => Stream<S>;
  readonly peek: (name: string) => Stream<S> | undefined;
  readonly close: () => void;
}

export function createOpenStreams<S>(store: Store<S>, syncs: Syncs<S>): OpenStreams<S> {
  const open = new Map<string, Stream<S>>();
  let newest: Stream<S> | undefined;
  let closed = false;

  function get(name: string): Stream<S> {
    if (closed) throw new Error("cannot use a journal that is closed");
    syncs.noteRequest();
    const known = open.get(name);
    if (known !== undefined) {
      if (isCurrent(store, known)) {
        if (known !== newest) moveToEnd(known);
        return known;
      }
      open.delete(name);
      syncs.flush();
      closeStream(store, known);
    }
    if (open.size >= OPEN_MAX) closeOldest();
    const stream = openStream(store, name);
    // Kept even without a file: the caller may be about to append the first record.
    moveToEnd(stream);
    return stream;
  }

  function moveToEnd(stream: Stream<S>): void {
    open.delete(stream.name);
    open.set(stream.name, stream);
    newest = stream;
  }

  function closeOldest(): void {
    syncs.flush();
    for (const [name, stream] of open) {
      closeStream(store, stream);
      open.delete(name);
      return;
    }
  }

  function close(): void {
    closed = true;
    for (const stream of open.values()) closeStream(store, stream);
    open.clear();
  }

  return { get, peek: (name) => open.get(name), close };
}

/** False if the file was created, replaced or repaired since it was opened. The stream is then opened again. */
function isCurrent<S>(store: Store<S>, stream: Stream<S>): boolean {
  if (stream.failure?.marked === true && !existsSync(stream.paths.failed)) return false;
  // It was caught up by its own append a moment ago. Asking the disk again would cost concurrent appenders most
  // of what sharing a sync saves, and reading back shows who came first anyway.
  if (stream.waiting.length > 0) return true;
  return catchUp(store, stream);
}

const OPEN_MAX = 128;
