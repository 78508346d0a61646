/** A journal in memory, for tests. It writes the same lines and gives the same answers as the embedded one. */
import { compareTexts } from "../../../core/values/json.ts";
import type {
  Appended,
  Entry,
  Fold,
  Head,
  Journal,
  JournalRecord,
  StreamSummary,
} from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import { encodeLine } from "./line.ts";
import { RECORD_BYTES_MAX } from "./spill.ts";

interface Kept<S> {
  readonly records: readonly JournalRecord[];
  readonly head: Head;
  readonly state: S;
}

export function createMemoryJournal<S>(fold: Fold<S>): Journal<S> {
  const streams = new Map<string, Kept<S>>();
  function find(stream: string): Kept<S> {
    return streams.get(stream) ?? { records: [], head: GENESIS, state: fold.initial(stream) };
  }
  return {
    load: async (stream) => {
      const { head, state } = find(stream);
      return { head, state };
    },
    append: async (stream, expected, entry) => {
      const { answer, next } = decideAppend(fold, find(stream), { expected, entry });
      if (next !== undefined) streams.set(stream, next);
      return answer;
    },
    read: async (stream, afterSeq = 0, countMax = Infinity) =>
      find(stream).records.slice(Math.max(afterSeq, 0)).slice(0, countMax),
    find: async (stream, id) => find(stream).records.find((record) => record.id === id),
    list: async () =>
      Array.from(streams, ([stream, kept]) => summarize(fold, stream, kept)).sort((a, b) =>
        compareTexts(a.stream, b.stream),
      ),
    streams: async () => [...streams.keys()].sort(compareTexts),
    verify: async (stream, watch) => {
      const { records, head } = find(stream);
      records.reduce((state, record) => {
        watch?.(record, state);
        return fold.evolve(state, record);
      }, fold.initial(stream));
      return { records: records.length, void: 0, torn: 0, head };
    },
    close: async () => {},
  };
}

function decideAppend<S>(
  fold: Fold<S>,
  kept: Kept<S>,
  request: { readonly expected: Head; readonly entry: Entry },
): { readonly answer: Appended<S>; readonly next?: Kept<S> } {
  const { expected, entry } = request;
  const { head, records } = kept;
  const repeated = records.find((record) => record.id === entry.id);
  if (repeated !== undefined) {
    return { answer: { kind: "repeated", record: repeated, state: kept.state } };
  }
  if (expected.seq !== head.seq || expected.hash !== head.hash) {
    return { answer: { kind: "conflict", head } };
  }
  const { bytes, record } = encodeLine(head, entry);
  if (bytes.length > RECORD_BYTES_MAX) {
    const message = `cannot record ${bytes.length} bytes in one record: the limit is ${RECORD_BYTES_MAX}`;
    return { answer: { kind: "failed", code: "too-large", message } };
  }
  const state = fold.evolve(kept.state, record);
  const next = {
    records: [...records, record],
    head: { seq: record.seq, hash: record.hash },
    state,
  };
  return { answer: { kind: "appended", record, state }, next };
}

function summarize<S>(fold: Fold<S>, stream: string, kept: Kept<S>): StreamSummary {
  const { head, records, state } = kept;
  return { stream, seq: head.seq, at: records.at(-1)?.at ?? "", summary: fold.summary(state) };
}
