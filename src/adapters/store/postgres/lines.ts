/** Turns rows of the events table into records. Each line must be intact and follow the one before it. */
import { createHash } from "node:crypto";
import { parseJson } from "../../../core/values/json.ts";
import type { Damage, Head, JournalRecord } from "../../../ports/journal.ts";
import type { BlobRead } from "../../../ports/blobs.ts";
import { decodeLine, sha256 } from "../embedded/line.ts";
import { blobsOf, joinRecord } from "../embedded/spill.ts";
import type { Database, Row } from "./database.ts";

/** A row of `lines` as the line of an embedded journal. */
export const LINE = `e.said || ',"hash":"' || e.hash || '"}'`;

/** The most records read at once. */
export const PAGE = 500;

/**
 * Names may contain characters that are valid in JavaScript but not in PostgreSQL text, so they are stored as
 * JSON.
 */
export function nameOf(stream: string): Named {
  const known = NAMES.get(stream);
  if (known !== undefined) return known;
  const name = JSON.stringify(stream);
  const named = { key: sha256(name), name };
  if (NAMES.size >= NAMES_MAX) NAMES.clear();
  NAMES.set(stream, named);
  return named;
}

interface Named {
  readonly key: string;
  readonly name: string;
}

/**
 * Cached, because the digest costs more than the rest of a query, and most queries are about the same few
 * streams.
 */
const NAMES = new Map<string, Named>();
const NAMES_MAX = 1_000;

/** Reverses `nameOf`. */
export function streamNamed(name: unknown): string {
  const parsed = parseJson(String(name));
  return typeof parsed === "string" ? parsed : String(name);
}

export interface Page {
  readonly records: readonly JournalRecord[];
  readonly damage?: Damage;
}

/** The rows after `head`, up to the first that does not follow. */
export async function chain(
  database: Pick<Database, "query">,
  stream: string,
  head: Head,
  rows: readonly Row[],
): Promise<Page> {
  const records: JournalRecord[] = [];
  let { seq, hash } = head;
  for (const row of rows) {
    const record = decodeLine(Buffer.from(String(row["line"])));
    const why = wrongRow(row, record, { seq, hash });
    if (why !== undefined || record === undefined)
      return await whole(
        database,
        stream,
        records,
        damageAt(stream, Number(row["seq"]), why ?? ""),
      );
    records.push(record);
    ({ seq, hash } = record);
  }
  return await whole(database, stream, records, undefined);
}

function wrongRow(row: Row, record: JournalRecord | undefined, head: Head): string | undefined {
  const seq = Number(row["seq"]);
  if (seq !== head.seq + 1) return `record ${head.seq + 1} is missing before it`;
  if (record === undefined) return "its line has changed since it was recorded";
  if (record.prev !== head.hash) return "its line does not follow the record before it";
  return undefined;
}

export function damageAt(
  stream: string,
  seq: number,
  why: string,
  code: Damage["code"] = "journal-broken",
): Damage {
  const message = `cannot trust row ${seq} of the events of ${JSON.stringify(stream)}: ${why}`;
  return { code, offset: 0, line: seq, message };
}

/** Adds what the lines refer to, fetched together. */
async function whole(
  database: Pick<Database, "query">,
  stream: string,
  records: readonly JournalRecord[],
  damage: Damage | undefined,
): Promise<Page> {
  const names = [...new Set(records.flatMap(blobsOf))];
  const found = names.length === 0 ? new Map<string, Buffer>() : await fetchBlobs(database, names);
  const get = (hex: string): BlobRead => readBlob(hex, found.get(hex));
  const joined: JournalRecord[] = [];
  for (const record of records) {
    const one = joinRecord(record, { where: "the store's blobs", get });
    if (typeof one === "string")
      return { records: joined, damage: damageAt(stream, record.seq, one, "journal-blob") };
    joined.push(one);
  }
  return { records: joined, ...(damage === undefined ? {} : { damage }) };
}

async function fetchBlobs(
  database: Pick<Database, "query">,
  names: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await database.query("SELECT hash, bytes FROM @.blobs WHERE hash = ANY($1)", [
    names,
  ]);
  return new Map(
    rows.flatMap(({ hash, bytes }) => (Buffer.isBuffer(bytes) ? [[String(hash), bytes]] : [])),
  );
}

export function readBlob(hex: string, bytes: Buffer | undefined): BlobRead {
  if (bytes === undefined) return { kind: "absent" };
  if (createHash("sha256").update(bytes).digest("hex") === hex) return { kind: "found", bytes };
  const message = `blob ${hex} in the store no longer has the content it is named after`;
  return { kind: "damaged", message };
}

/** The members of a line exactly as written; undefined for a line that we would not write. */
export function membersOf(line: string): Members | undefined {
  const found = MEMBERS.exec(line);
  if (found === null) return undefined;
  const [, seq = "", prev = "", id = "", tried = "", at = "", body = "", hash = ""] = found;
  return { seq, prev, id, try: tried, at, body, hash };
}

export type Members = Readonly<
  Record<"seq" | "prev" | "id" | "try" | "at" | "body" | "hash", string>
>;

const TEXT = String.raw`(\s*"(?:[^"\\]|\\.)*"\s*)`;
const MEMBERS = new RegExp(
  `^\\{"seq":(\\d+),"prev":"([0-9a-f]{64})","id":${TEXT},"try":${TEXT},"at":${TEXT},"body":(.*),"hash":"([0-9a-f]{64})"\\}$`,
);
