import type { Event } from "../core/state/events.ts";
import { isJsonObject, showJson } from "../core/values/json.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { JournalRecord, StreamSummary } from "../ports/journal.ts";
import { StoreProblem } from "../ports/problem.ts";
import type { Problem } from "../ports/problem.ts";
import { eventsOf, idOf, protocolOf } from "./parts.ts";
import type { Parts } from "./parts.ts";

/** How long a change may go unnoticed if the system sends no signal. */
const LOOK_MS_MAX = 500;

/** How many records of one workflow are read into memory at once. */
const RECORDS_MAX = 1_000;

/** A subscriber's position: JSON to store and pass back, without looking inside. */
export interface Cursor extends JsonObject {
  readonly version: 1;
  /** The last number seen in every workflow. */
  readonly seen: Readonly<Record<string, number>>;
}

/** One record of one workflow: what one command did. */
export interface Recorded {
  readonly workflow: string;
  readonly protocol: string;
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  readonly session: string;
  readonly command: string;
  readonly events: readonly Event[];
  /** Where to continue after this one. */
  readonly cursor: Cursor;
}

export interface SubscribeOptions {
  /** Only this workflow, as its name or `<protocol>:<name>`. */
  readonly workflow?: string;
  readonly signal?: AbortSignal;
  /**
   * Called when the store becomes unreachable, and when it is back. In between nothing is delivered, and nothing
   * is lost.
   */
  readonly onStore?: (store: StoreSign) => void;
}

export type StoreSign =
  | { readonly state: "gone"; readonly problem: Problem }
  | { readonly state: "back" };

/**
 * Every record after a cursor, and every new one, once each and in order within each workflow, until stopped. A
 * cursor survives a restart. Without one, it starts with the first record.
 */
export function subscribe(
  parts: Parts,
  cursor: Json | undefined,
  options: SubscribeOptions = {},
): AsyncIterableIterator<Recorded> {
  const stop = new AbortController();
  const { signal } = options;
  if (signal?.aborted === true) stop.abort();
  signal?.addEventListener("abort", () => stop.abort(), { signal: stop.signal });
  const records = follow(parts, readCursor(cursor), {
    workflow: options.workflow,
    signal: stop.signal,
    reached: reaching(parts, options.onStore ?? (() => undefined)),
  });
  return {
    next: () => records.next(),
    // The generator's own `return` would wait for the next record, which may never come.
    return: async () => {
      stop.abort();
      return await records.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The position of a subscriber that has seen everything so far. */
export async function cursorNow({ journal }: Pick<Parts, "journal">): Promise<Cursor> {
  const streams = await journal.list();
  const problem = journal.away?.();
  // A local copy may be long out of date, so it must not serve as a position.
  if (problem !== undefined) throw new StoreProblem(problem, true);
  return { version: 1, seen: Object.fromEntries(streams.map(({ stream, seq }) => [stream, seq])) };
}

/** Throws if a cursor is unreadable; otherwise everything would silently be repeated, or nothing delivered. */
function readCursor(value: Json | undefined): ReadonlyMap<string, number> {
  if (value === undefined) return new Map();
  const seen = isJsonObject(value) && value["version"] === 1 ? value["seen"] : undefined;
  const entries = isJsonObject(seen) ? Object.entries(seen) : undefined;
  const numbers = entries?.flatMap(([stream, seq]) =>
    typeof seq === "number" && Number.isSafeInteger(seq) && seq >= 0
      ? [[stream, seq] as const]
      : [],
  );
  if (numbers === undefined || numbers.length !== entries?.length)
    throw new TypeError(
      `Cannot go on from ${JSON.stringify(value).slice(0, 80)}: it is no cursor. Give back the cursor of a record, or none to begin with the first one.`,
    );
  return new Map(numbers);
}

interface Following {
  readonly workflow: string | undefined;
  readonly signal: AbortSignal;
  readonly reached: Reached;
}

/** Asks the store; undefined while it is unreachable or busy. An answer from a local copy counts as none. */
export type Reached = <T>(ask: () => Promise<T>) => Promise<T | undefined>;

/** For repeated asking: reports once that the store is unreachable, and once that it is back. */
export function reaching(
  { journal }: Pick<Parts, "journal">,
  tell: (store: StoreSign) => void,
): Reached {
  let isGone = false;
  const gone = (problem: Problem): undefined => {
    if (!isGone) tell({ state: "gone", problem });
    isGone = true;
  };
  return async (ask) => {
    try {
      const answer = await ask();
      const problem = journal.away?.();
      if (problem !== undefined) return gone(problem);
      if (isGone) tell({ state: "back" });
      isGone = false;
      return answer;
    } catch (error) {
      if (!(error instanceof StoreProblem) || !(error.gone || error.problem.code === "store-busy"))
        throw error;
      return gone(error.problem);
    }
  };
}

async function* follow(
  parts: Parts,
  start: ReadonlyMap<string, number>,
  { workflow, signal, reached }: Following,
): AsyncGenerator<Recorded, undefined> {
  const seen = new Map(start);
  const wake = parts.wakes.open();
  try {
    while (!signal.aborted) {
      const isNews = ({ stream, seq }: StreamSummary): boolean =>
        seq > (seen.get(stream) ?? 0) && isMeant(stream, workflow);
      const listed = (await reached(() => parts.journal.list())) ?? [];
      assertAhead(listed, seen);
      const news = listed.filter(isNews);
      const before = new Map(seen);
      for (const { stream } of news) yield* recordsOf(parts, stream, { seen, signal, reached });
      // There may be more than one read returns. A damaged journal gives nothing until it is repaired.
      const hasMore = news.some(
        (one) => isNews(one) && seen.get(one.stream) !== before.get(one.stream),
      );
      if (!hasMore) await wake.wait(LOOK_MS_MAX, signal);
    }
    return undefined;
  } finally {
    wake.close();
  }
}

/**
 * Throws if records that a subscriber has seen are gone: new ones with the same numbers would never be delivered.
 */
function assertAhead(listed: readonly StreamSummary[], seen: ReadonlyMap<string, number>): void {
  for (const { stream, seq } of listed) {
    const last = seen.get(stream) ?? 0;
    if (seq < last)
      throw new StoreProblem({
        code: "store-behind",
        message: `The journal of ${stream} ends with record ${seq}, and this cursor has seen record ${last}: the store was restored from an older backup, or somebody has cut it`,
        fix: "Verify all workflows to see what is missing; then begin again without a cursor, or with a new one.",
      });
  }
}

async function* recordsOf(
  { journal }: Parts,
  stream: string,
  { seen, signal, reached }: Omit<Following, "workflow"> & { readonly seen: Map<string, number> },
): AsyncGenerator<Recorded, undefined> {
  const others = Object.fromEntries(seen);
  const after = seen.get(stream) ?? 0;
  for (const record of (await reached(() => journal.read(stream, after, RECORDS_MAX))) ?? []) {
    if (signal.aborted) return;
    // The position is updated before the record is delivered, so that a subscriber who stops here continues after
    // it.
    seen.set(stream, record.seq);
    yield recordedOf(stream, record, others);
  }
}

function isMeant(stream: string, workflow: string | undefined): boolean {
  return workflow === undefined || stream === workflow || idOf(stream) === workflow;
}

function recordedOf(
  stream: string,
  record: JournalRecord,
  others: Readonly<Record<string, number>>,
): Recorded {
  const { seq, at, body } = record;
  return {
    workflow: idOf(stream),
    protocol: protocolOf(stream),
    seq,
    at,
    actor: showJson(body["actor"]),
    session: showJson(body["session"]),
    command: showJson(body["command"]),
    events: eventsOf(record),
    // Computed only on request: with thousands of workflows it is larger than the record.
    get cursor() {
      return { version: 1 as const, seen: { ...others, [stream]: seq } };
    },
  };
}
