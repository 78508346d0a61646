/**
 * One stream as this process knows it: the state folded up to a record, from which the next read continues. A
 * copy is stored in a file of this clone, for three reasons: opening does not depend on the length of the
 * history, the copy shows if the history has become shorter or different, and it can be read while the server is
 * unreachable.
 */
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { Damage, Fold, Head, JournalRecord } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import { readRegular, replaceOwn } from "../durable.ts";
import { seal, unseal } from "../embedded/line.ts";
import { movedAway } from "../embedded/moved.ts";
import { encodeName } from "../embedded/names.ts";
import type { Database, Row } from "./database.ts";
import { LINE, PAGE, chain, damageAt, nameOf } from "./lines.ts";

export interface Stream<S> {
  readonly name: string;
  /** The stream's number in the store, once known. */
  readonly id?: string;
  readonly head: Head;
  readonly state: S;
  readonly at: string;
  readonly damage?: Damage;
  /** Whether this clone's file is older. */
  readonly moved: boolean;
}

export interface Cache<S> {
  readonly dir: string;
  /** Whether copies must not be written. */
  readonly readOnly: boolean;
  readonly fold: Fold<S>;
}

export function emptyStream<S>(fold: Fold<S>, name: string): Stream<S> {
  return { name, head: GENESIS, state: fold.initial(name), at: "", moved: false };
}

/** Reads what the server has after the known head. */
export async function catchUp<S>(
  database: Pick<Database, "query">,
  { fold }: Pick<Cache<S>, "fold">,
  known: Stream<S>,
): Promise<Stream<S>> {
  const { key } = nameOf(known.name);
  let stream = known;
  for (;;) {
    const { seq } = stream.head;
    const rows = await database.query(BEHIND, [key, seq, PAGE + 1]);
    const [first] = rows;
    assertHere(first);
    const id = first?.["id_of"];
    if (first === undefined || typeof id !== "string")
      return seq === 0
        ? stream
        : { ...stream, damage: vanished(stream, "the store has no such stream") };
    const told = { seq: Number(first["told_seq"]), hash: String(first["told_hash"]) };
    const events = rows.filter((row) => row["seq"] !== null);
    const last = events.find((row) => Number(row["seq"]) === seq);
    const lost = witness(stream, events, last);
    if (lost !== undefined) return { ...stream, damage: lost };
    const fresh = events.filter((row) => row !== last);
    const page = await chain(database, stream.name, stream.head, fresh);
    stream = foldAll(fold, { ...stream, id }, page.records);
    const isLast = rows.length <= PAGE;
    const damage = page.damage ?? stream.damage ?? (isLast ? wrongEnd(stream, told) : undefined);
    if (damage !== undefined) return { ...stream, damage };
    if (isLast) return stream;
  }
}

/** Also returns the last known record, only as its hash, if its bytes still match. */
const BEHIND = `SELECT t.moved_to, s.id AS id_of, s.seq AS told_seq, s.hash AS told_hash, e.seq,
  CASE WHEN e.seq > $2::bigint THEN ${LINE}
    WHEN e.hash = encode(sha256(convert_to(e.said || '}', 'UTF8')), 'hex') THEN e.hash END AS line
  FROM @.store t LEFT JOIN @.streams s ON s.key = $1 LEFT JOIN LATERAL (
    SELECT * FROM @.lines e WHERE e.stream = s.id AND e.seq >= $2::bigint ORDER BY e.seq LIMIT $3::int
  ) e ON true ORDER BY e.seq`;

/** Throws if the store has been moved; every answer says whether it was. */
export function assertHere(row: Row | undefined): void {
  const to = row?.["moved_to"];
  if (typeof to === "string") throw movedAway(to);
}

/** The last record that was read must still be there. */
function witness<S>(
  { name, head: seen }: Stream<S>,
  events: readonly Row[],
  last: Row | undefined,
): Damage | undefined {
  if (seen.seq === 0 || last?.["line"] === seen.hash) return undefined;
  if (last !== undefined)
    return damageAt(name, seen.seq, `another record ${seen.seq} was read from there before`);
  const why = events.length > 0 ? "it is missing" : "it is missing, and was read from there before";
  return damageAt(name, seen.seq, why, "journal-truncated");
}

function vanished<S>({ name, head }: Stream<S>, why: string): Damage {
  const seen = `${why}, and record ${head.seq} was read from it before`;
  return damageAt(name, head.seq, seen, "journal-truncated");
}

/** The end recorded for the stream must be the end of its records. */
export function wrongEnd<S>(
  { name, head }: Pick<Stream<S>, "name" | "head">,
  told: Head,
): Damage | undefined {
  if (told.seq > head.seq)
    return damageAt(
      name,
      head.seq + 1,
      `it is missing, and the store had ${told.seq} records`,
      "journal-truncated",
    );
  return told.seq === head.seq && told.hash !== head.hash
    ? damageAt(name, head.seq, "the store has told of another record")
    : undefined;
}

/** Folds up to the first record that no fold understands. */
function foldAll<S>(
  fold: Fold<S>,
  stream: Stream<S>,
  records: readonly JournalRecord[],
): Stream<S> {
  let { state, head, at } = stream;
  for (const record of records) {
    const strange = tryRecord(stream.name, record, () => {
      state = fold.evolve(state, record);
    });
    if (strange !== undefined) return { ...stream, state, head, at, damage: strange, moved: true };
    head = { seq: record.seq, hash: record.hash };
    ({ at } = record);
  }
  return { ...stream, state, head, at, moved: stream.moved || records.length > 0 };
}

/** Anybody can append a line with a correct hash. If no fold understands it, it counts as damage. */
export function tryRecord(
  name: string,
  record: JournalRecord,
  read: () => void,
): Damage | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return damageAt(name, record.seq, why, "journal-event");
  }
}

export function readCopy<S>({ dir, fold }: Cache<S>, name: string): Stream<S> | undefined {
  const copy = copyAt(fold, copyPath(dir, name));
  return copy?.name === name ? copy : undefined;
}

function copyAt<S>(fold: Fold<S>, path: string): Stream<S> | undefined {
  const read = readRegular(path);
  const sealed = read.kind === "found" ? unseal(read.bytes) : undefined;
  const value = sealed === undefined ? undefined : parseJson(sealed.text);
  if (!isJsonObject(value) || value["fold"] !== fold.version) return undefined;
  const { name, seq, head, at } = value;
  if (typeof seq !== "number" || typeof head !== "string") return undefined;
  if (typeof at !== "string" || typeof name !== "string") return undefined;
  // The state itself is not checked here, only that the same fold version wrote it. `verify` folds again.
  const { state }: { state: S } = JSON.parse(sealed?.text ?? "");
  return { name, head: { seq, hash: head }, state, at, moved: false };
}

/** All copies of this clone. */
export function readCopies<S>({ dir, fold }: Cache<S>): readonly Stream<S>[] {
  return copyFiles({ dir }).flatMap((file) => copyAt(fold, join(dir, file)) ?? []);
}

export function copyFiles({ dir }: Pick<Cache<unknown>, "dir">): readonly string[] {
  return existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith(".json")) : [];
}

/** Those of these copies whose stream is not in the list. */
export function copiesBut<S>(
  { dir, fold }: Cache<S>,
  files: readonly string[],
  listed: readonly string[],
): readonly string[] {
  const known = new Set(listed.map((stream) => `${encodeName(stream).file}.json`));
  const missing = files.filter((file) => !known.has(file));
  return missing.flatMap((file) => copyAt(fold, join(dir, file))?.name ?? []);
}

export function writeCopy<S>({ dir, readOnly, fold }: Cache<S>, stream: Stream<S>): void {
  const { name, head, at, state, damage, moved } = stream;
  if (readOnly || !moved || damage !== undefined || head.seq === 0) return;
  const text = JSON.stringify({
    fold: fold.version,
    name,
    seq: head.seq,
    head: head.hash,
    at,
    state,
  });
  const path = copyPath(dir, name);
  try {
    mkdirSync(dirname(path), { recursive: true });
    replaceOwn(path, seal(text));
  } catch {
    // A copy that cannot be written costs time later but loses no record.
  }
}

function copyPath(dir: string, name: string): string {
  return join(dir, `${encodeName(name).file}.json`);
}
