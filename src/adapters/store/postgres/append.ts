/** Appends a record, and finds out what happened if that fails. */
import type { Appended, Entry, Head, JournalRecord } from "../../../ports/journal.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { LINE_BYTES_MAX } from "../embedded/line.ts";
import type { Line } from "../embedded/line.ts";
import { movedAway } from "../embedded/moved.ts";
import { RECORD_BYTES_MAX, splitRecord } from "../embedded/spill.ts";
import type { Database } from "./database.ts";
import { nameOf } from "./lines.ts";
import type { Queue } from "./queue.ts";
import { find } from "./read.ts";
import type { Cache, Stream } from "./stream.ts";
import { catchUp, emptyStream, readCopy, writeCopy } from "./stream.ts";

const OPEN_MAX = 256;

export interface Open<S> {
  readonly database: Database;
  readonly cache: Cache<S>;
  readonly known: Map<string, Stream<S>>;
  /** Streams with new records that the list has not been told about. */
  readonly untold: Map<string, Stream<S>>;
  readonly onAppend: () => void;
  readonly queue: Queue;
}

/** The stream as the server has it now. */
export async function fresh<S>(open: Open<S>, name: string): Promise<Stream<S>> {
  const { known, cache, queue } = open;
  const before = known.get(name) ?? readCopy(cache, name) ?? emptyStream(cache.fold, name);
  // Damage may have been repaired, so it is read again from the last intact record.
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

/**
 * After losing a race, the caller gets the new head while its connection is first in line, so that it wins the
 * next attempt. If somebody lost here recently, everybody waits in line before trying.
 */
export async function inLine<S>(
  open: Open<S>,
  name: string,
  expected: Head,
  entry: Entry,
): Promise<Appended<S>> {
  const { queue } = open;
  const tried = async (): Promise<Appended<S>> => {
    try {
      return await append(open, name, expected, entry);
    } finally {
      queue.leave(name);
    }
  };
  if (queue.isAtFront(name) || !queue.isCrowded(name)) {
    const answer = await tried();
    if (answer.kind !== "conflict") return answer;
  }
  await queue.wait(name);
  const stream = await fresh(open, name);
  if (stream.damage === undefined && !isSame(stream.head, expected)) {
    const why = await lost(open, stream, entry.id);
    if (why.kind !== "conflict") queue.leave(name);
    return why;
  }
  const answer = await tried();
  return answer.kind === "conflict"
    ? { kind: "conflict", head: (await fresh(open, name)).head }
    : answer;
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
  const database = open.queue.via(stream.name);
  const { fold } = open.cache;
  const { line, blobs } = splitRecord(expected, entry);
  const { record } = line;
  const size = line.bytes.length;
  const isLarge = size > LINE_BYTES_MAX;
  if (isLarge && (await find(database, stream.name, entry.id)) === undefined) return tooLarge(size);
  if (isLarge || !isSame(stream.head, expected)) return await lost(open, stream, record.id);
  // Folded before writing: a record on which the fold throws would block every load.
  const state = fold.evolve(stream.state, record);
  for (const text of blobs) await database.query("SELECT @.put_blob($1)", [Buffer.from(text)]);
  const id = await write(database, stream, line);
  const after = { ...stream, head: { seq: record.seq, hash: record.hash }, state, at: entry.at };
  if (id !== undefined) return appended(open, { ...after, id, moved: true }, record);
  const answer = await lost(open, stream, record.id);
  // The connection was lost and the append repeated: the stored record is this very one.
  return answer.kind === "repeated" && answer.record.hash === record.hash
    ? appended(open, await fresh(open, stream.name), record)
    : answer;
}

function appended<S>(open: Open<S>, stream: Stream<S>, record: JournalRecord): Appended<S> {
  const { untold, onAppend } = open;
  remember(open, stream);
  untold.set(stream.name, stream);
  onAppend();
  return { kind: "appended", record, state: stream.state };
}

/** The stream's number if the line was written; undefined if the head has moved or the id was used before. */
async function write<S>(
  database: Pick<Database, "query">,
  { name: stream, id }: Stream<S>,
  { record: { seq, prev, hash }, said }: Line,
): Promise<string | undefined> {
  const members = [said.id, said.try, said.at, said.body, hash];
  try {
    if (id !== undefined && seq > 1) {
      await database.query(APPEND, [id, seq, prev, ...members]);
      return id;
    }
    const { key, name } = nameOf(stream);
    const [row] = await database.query(BEGIN, [key, name, ...members]);
    return String(row?.["id"]);
  } catch (error) {
    if (error instanceof StoreProblem && error.problem.code === "store-duplicate") return undefined;
    throw error;
  }
}

const APPEND = `INSERT INTO @.appends (stream, seq, prev, id, try, at, body, hash, command)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, hashtextextended($4, 0))`;
const BEGIN = "SELECT @.begin_stream($1, $2, $3, $4, $5, $6, $7) AS id";

/** Why nothing was appended. */
async function lost<S>(
  open: Open<S>,
  { name, head }: Stream<S>,
  command: string,
): Promise<Appended<S>> {
  const database = open.queue.via(name);
  const [row] = await database.query(LOST, [nameOf(name).key, JSON.stringify(command)]);
  const moved = row?.["moved_to"];
  if (typeof moved === "string") throw movedAway(moved);
  // The caller asks for the current head later, when it is first in line.
  if (row?.["seq"] == null) return { kind: "conflict", head };
  const stored = await find(database, name, command);
  const now = await fresh(open, name);
  if (stored !== undefined) return { kind: "repeated", record: stored, state: now.state };
  const why = now.damage?.message ?? `cannot read record ${Number(row["seq"])} of ${name} again`;
  return { kind: "failed", code: "damaged", message: why };
}

const LOST = `SELECT t.moved_to, e.seq FROM @.store t LEFT JOIN (@.streams s JOIN @.events e ON e.stream = s.id
  AND e.command = hashtextextended($2::text, 0) AND e.id = $2::text) ON s.key = $1`;

/** Updates the list for streams that have new records here. If that fails, readers read the stream itself. */
export async function tell<S>({ database, cache, untold }: Open<S>): Promise<void> {
  const all = [...untold.values()];
  untold.clear();
  for (const { id, head, at, state } of all) {
    const summary = JSON.stringify(cache.fold.summary(state));
    await database.query(TELL, [id, head.seq, head.hash, at, cache.fold.version, summary]);
  }
}

const TELL = "SELECT @.tell($1, $2, $3, $4, $5, $6)";

function tooLarge<S>(size: number): Appended<S> {
  const message =
    `cannot record ${size} bytes in one record: the limit is ${RECORD_BYTES_MAX}. ` +
    `Keep large content in a file and record its digest.`;
  return { kind: "failed", code: "too-large", message };
}

function isSame(one: Head, other: Head): boolean {
  return one.seq === other.seq && one.hash === other.hash;
}
