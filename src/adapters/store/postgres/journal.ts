/**
 * The journal in PostgreSQL: the lines of the embedded one, as rows. An append is one call of a function there, which
 * locks the head of the stream, and nothing else. Within one process what concerns one stream is done one after the other.
 */
import type { Appended, Entry, Fold, Head, Journal, Loaded } from "../../../ports/journal.ts";
import { LINE_BYTES_MAX } from "../embedded/line.ts";
import { RECORD_BYTES_MAX, splitRecord } from "../embedded/spill.ts";
import type { Database } from "./database.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { createQueue } from "./queue.ts";
import type { Queue } from "./queue.ts";
import { createAway } from "./away.ts";
import { nameOf, streamNamed } from "./lines.ts";
import { find, readAfter } from "./read.ts";
import { createList } from "./list.ts";
import type { Cache, Stream } from "./stream.ts";
import { catchUp, emptyStream, readCopy, writeCopy } from "./stream.ts";
import type { Bell } from "./wakes.ts";
import { verifyStream } from "./verify.ts";

export interface JournalOptions<S> {
  readonly fold: Fold<S>;
  /** Where copies of what was read are kept. */
  readonly copies: Pick<Cache<S>, "dir" | "readOnly">;
  readonly bell: Pick<Bell, "ring" | "rung">;
}

const OPEN_MAX = 256;

interface Open<S> {
  readonly database: Database;
  readonly cache: Cache<S>;
  readonly known: Map<string, Stream<S>>;
  readonly onAppend: () => void;
  readonly queue: Queue;
}

export function createJournal<S>(database: Database, options: JournalOptions<S>): Journal<S> {
  const { fold, copies, bell } = options;
  const cache: Cache<S> = { ...copies, fold };
  const open: Open<S> = {
    database,
    cache,
    known: new Map(),
    onAppend: bell.ring,
    queue: createQueue(database),
  };
  const away = createAway(cache);
  const inTurn = createTurns();
  const list = createList(database, fold, async (name) => await fresh(open, name));
  return {
    load: (name) =>
      inTurn(name, async () =>
        toLoaded(
          await away.or(
            async () => await fresh(open, name),
            // What was never seen here reads as empty: nothing can be recorded on it, and it is said.
            () => open.known.get(name) ?? readCopy(cache, name) ?? emptyStream(fold, name),
          ),
        ),
      ),
    append: (name, expected, entry) =>
      inTurn(
        name,
        async () =>
          await away.or(
            async () => await inLine(open, name, expected, entry),
            () => undefined,
          ),
      ),
    read: async (name, afterSeq = 0, countMax = Infinity) =>
      await away.or(
        async () => await readAfter(database, name, Math.max(afterSeq, 0), countMax),
        () => [],
      ),
    find: async (name, id) => await find(database, name, id),
    list: () => away.or(list, () => away.list()),
    notices: away.notices,
    streams: async () => {
      const rows = await database.query("SELECT name FROM @.streams WHERE seq > 0");
      return rows.map((row) => streamNamed(row["name"]));
    },
    verify: (name, watch) =>
      inTurn(
        name,
        async () =>
          await verifyStream(database, cache, name, { open: open.known.get(name), watch }),
      ),
    close: async () => {
      for (const stream of open.known.values()) writeCopy(cache, stream);
      open.known.clear();
      await bell.rung();
      await database.close();
    },
  };
}

/** The stream as the server has it now. */
async function fresh<S>(open: Open<S>, name: string): Promise<Stream<S>> {
  const { known, cache, queue } = open;
  const before = known.get(name) ?? readCopy(cache, name) ?? emptyStream(cache.fold, name);
  // What was damaged may have been mended: it is read again from where it was whole.
  const { damage: _, ...whole } = before;
  const stream = await catchUp(queue.via(name), cache, whole);
  remember(open, stream);
  return stream;
}

function remember<S>({ known, cache }: Open<S>, stream: Stream<S>): void {
  known.delete(stream.name);
  known.set(stream.name, stream);
  if (known.size <= OPEN_MAX) return;
  for (const [name, oldest] of known) {
    writeCopy(cache, oldest);
    known.delete(name);
    return;
  }
}

function toLoaded<S>({ head, state, damage }: Stream<S>): Loaded<S> {
  return { head, state, ...(damage === undefined ? {} : { damage }) };
}

/** Whoever lost is told so at the front of the line, with what there is by then: nobody is before him when he comes back. */
async function inLine<S>(
  open: Open<S>,
  name: string,
  expected: Head,
  entry: Entry,
): Promise<Appended<S>> {
  const { queue } = open;
  let answer: Appended<S>;
  try {
    answer = await append(open, name, expected, entry);
  } finally {
    queue.leave(name);
  }
  if (answer.kind !== "conflict") return answer;
  await queue.wait(name);
  const { head, damage } = await fresh(open, name);
  if (damage === undefined) return { kind: "conflict", head };
  return { kind: "failed", code: "damaged", message: damage.message };
}

async function append<S>(
  open: Open<S>,
  name: string,
  expected: Head,
  entry: Entry,
): Promise<Appended<S>> {
  const known = open.known.get(name);
  const stream =
    known !== undefined && known.damage === undefined && isSame(known.head, expected)
      ? known
      : await fresh(open, name);
  if (stream.damage !== undefined)
    return { kind: "failed", code: "damaged", message: stream.damage.message };
  return await appendTo(open, stream, expected, entry);
}

async function appendTo<S>(
  open: Open<S>,
  stream: Stream<S>,
  expected: Head,
  entry: Entry,
): Promise<Appended<S>> {
  const { cache, onAppend, queue } = open;
  const database = queue.via(stream.name);
  const { fold } = cache;
  const { line, blobs } = splitRecord(expected, entry);
  const { record } = line;
  const size = line.bytes.length;
  const isLarge = size > LINE_BYTES_MAX;
  const fits = isSame(stream.head, expected);
  // Folded before it is written: a record on which the fold throws would block every load.
  const state = fits && !isLarge ? fold.evolve(stream.state, record) : stream.state;
  const { key, name } = nameOf(stream.name);
  if (isLarge && (await find(database, stream.name, entry.id)) === undefined) return tooLarge(size);
  for (const text of fits && !isLarge ? blobs : [])
    await database.query("SELECT @.put_blob($1)", [Buffer.from(text)]);
  const summary = JSON.stringify(fold.summary(state));
  // As bytes: they are what the hash is of.
  const text = fits && !isLarge ? line.bytes.subarray(1, -1) : "";
  const [row] = await database.query(APPEND, [
    key,
    name,
    expected.seq,
    expected.hash,
    JSON.stringify(entry.id),
    entry.at,
    text,
    fold.version,
    summary,
  ]);
  if (row === undefined) throw new Error("the store answered nothing");
  const kind = String(row["kind"]);
  if (kind === "conflict")
    return { kind, head: { seq: Number(row["seq"]), hash: String(row["hash"]) } };
  if (kind === "moved") throw movedTo(String(row["line"]));
  const isOwn = kind === "repeated" && String(row["line"]).endsWith(`"hash":"${record.hash}"}`);
  // Asked again after the connection was lost: the record is this very one.
  if (kind === "appended" || isOwn) {
    const head = { seq: record.seq, hash: record.hash };
    remember(open, { ...stream, head, state, at: entry.at, moved: true });
    onAppend();
    return { kind: "appended", record, state };
  }
  const stored = await find(database, stream.name, entry.id);
  const now = await fresh(open, stream.name);
  if (stored === undefined)
    return {
      kind: "failed",
      code: "damaged",
      message:
        now.damage?.message ?? `cannot read record ${String(row["seq"])} of ${stream.name} again`,
    };
  return { kind: "repeated", record: stored, state: now.state };
}

const APPEND = "SELECT kind, seq, hash, line FROM @.append($1, $2, $3, $4, $5, $6, $7, $8, $9)";

export function movedTo(where: string): StoreProblem {
  return new StoreProblem({
    code: "store-moved",
    message: `The store has moved to ${where}; nothing is recorded here any more`,
    fix: "Use the store there: see `store` in the configuration, and HOLDPOINT_STORE.",
  });
}

function tooLarge<S>(size: number): Appended<S> {
  const message =
    `cannot record ${size} bytes in one record: the limit is ${RECORD_BYTES_MAX}. ` +
    `Keep large content in a file and record its digest.`;
  return { kind: "failed", code: "too-large", message };
}

function isSame(one: Head, other: Head): boolean {
  return one.seq === other.seq && one.hash === other.hash;
}

/** Inside one process, what concerns one stream is done in the order it was asked for. */
function createTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(name, ended);
    try {
      return await mine;
    } finally {
      if (last.get(name) === ended) last.delete(name);
    }
  };
}
