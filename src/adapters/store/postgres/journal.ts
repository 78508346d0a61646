/**
 * The journal in PostgreSQL: the lines of the embedded one, as rows. An append is one call of a function there, which
 * locks the head of the stream, and nothing else. Within one process what concerns one stream is done one after the other.
 */
import type {
  Appended,
  Entry,
  Fold,
  Head,
  Journal,
  JournalRecord,
  Loaded,
} from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import { LINE_BYTES_MAX } from "../embedded/line.ts";
import { RECORD_BYTES_MAX, splitRecord } from "../embedded/spill.ts";
import type { Database } from "./database.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { createAway } from "./away.ts";
import { PAGE, chain, nameOf, streamNamed } from "./lines.ts";
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
}

export function createJournal<S>(database: Database, options: JournalOptions<S>): Journal<S> {
  const { fold, copies, bell } = options;
  const cache: Cache<S> = { ...copies, fold };
  const open: Open<S> = { database, cache, known: new Map(), onAppend: bell.ring };
  const away = createAway(cache);
  const inTurn = createTurns();
  const list = createList(database, fold, async (name) => await fresh(open, name));
  return {
    load: (name) =>
      inTurn(name, async () =>
        toLoaded(
          await away.or(
            async () => await fresh(open, name),
            () => open.known.get(name) ?? readCopy(cache, name),
          ),
        ),
      ),
    append: (name, expected, entry) =>
      inTurn(
        name,
        async () =>
          await away.or(
            async () => await append(open, name, expected, entry),
            () => undefined,
          ),
      ),
    read: async (name, afterSeq = 0, countMax = Infinity) =>
      await readAfter(database, name, Math.max(afterSeq, 0), countMax),
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
  const { known, cache, database } = open;
  const before = known.get(name) ?? readCopy(cache, name) ?? emptyStream(cache.fold, name);
  // What was damaged may have been mended: it is read again from where it was whole.
  const { damage: _, ...whole } = before;
  const stream = await catchUp(database, cache, whole);
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
  const { database, cache, onAppend } = open;
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
  const text = fits && !isLarge ? unsealed(line.bytes) : "";
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

/** The line without its newlines and its hash: the server adds the hash itself. */
function unsealed(bytes: Buffer): string {
  const text = bytes.toString("utf8", 1, bytes.length - 1);
  return `${text.slice(0, text.lastIndexOf(',"hash":"'))}}`;
}

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

async function find(
  database: Database,
  stream: string,
  id: string,
): Promise<JournalRecord | undefined> {
  const rows = await database.query(FIND, [nameOf(stream).key, JSON.stringify(id)]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const head = {
    seq: Number(row["seq"]) - 1,
    hash: typeof row["prev"] === "string" ? row["prev"] : GENESIS.hash,
  };
  const { records } = await chain(database, stream, head, rows);
  return records[0];
}

const FIND = `SELECT e.seq, e.id, e.line,
  (SELECT substring(right(b.line, 66) for 64) FROM @.events b WHERE b.stream = e.stream AND b.seq = e.seq - 1) AS prev
  FROM @.streams s JOIN @.events e ON e.stream = s.id
  WHERE s.key = $1 AND hashtextextended(e.id, 0) = hashtextextended($2::text, 0) AND e.id = $2::text`;

async function readAfter(
  database: Database,
  stream: string,
  afterSeq: number,
  countMax: number,
): Promise<readonly JournalRecord[]> {
  const records: JournalRecord[] = [];
  const { key } = nameOf(stream);
  let head: Head | undefined = afterSeq === 0 ? GENESIS : undefined;
  for (;;) {
    const at = head?.seq ?? afterSeq;
    const count = Math.min(PAGE, countMax - records.length);
    if (count <= 0) return records;
    const rows = await database.query(READ, [key, at, at + count]);
    const [first] = rows;
    if (head === undefined && (first === undefined || Number(first["seq"]) !== afterSeq))
      return records;
    head ??= { seq: afterSeq, hash: String(first?.["line"]).slice(0, 64) };
    const behind = rows.filter((row) => Number(row["seq"]) > at);
    const page = await chain(database, stream, head, behind);
    records.push(...page.records);
    head = page.records.at(-1) ?? head;
    if (page.damage !== undefined || behind.length < count) return records;
  }
}

const READ = `SELECT e.seq, e.id, CASE WHEN e.seq = $2::bigint THEN right(e.line, 66) ELSE e.line END AS line
  FROM @.streams s JOIN @.events e ON e.stream = s.id
  WHERE s.key = $1 AND e.seq >= $2::bigint AND e.seq <= least($3::bigint, s.seq) ORDER BY e.seq`;

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
