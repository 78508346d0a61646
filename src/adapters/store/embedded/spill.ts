/**
 * Large members of a record's body lie in the blob store, and the line names them:
 *
 *   "body":{"command":"dispatch.report","events":{"$blob":"<sha256>","bytes":812345},…}
 *
 * The blob is durable before the line is written, and the line's own hash vouches for its name. Whoever
 * reads a record gets it whole, so a fold never knows where a value lay.
 */
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Entry, Head, JournalRecord } from "../../../ports/journal.ts";
import { getBlob, putBlob } from "../blobs.ts";
import type { BlobRead } from "../../../ports/blobs.ts";
import type { Line } from "./line.ts";
import { encodeLine, sha256 } from "./line.ts";
import { blobsDir } from "./paths.ts";

/** The limit for a record with everything it refers to. Larger content belongs in a file. */
export const RECORD_BYTES_MAX: number = 32 * 1024 * 1024;

/** The line to write, the record as it will be read back, and what must be stored as blobs before writing. */
export interface SplitRecord {
  readonly line: Line;
  readonly blobs: readonly string[];
}

export function splitRecord(head: Head, entry: Entry): SplitRecord {
  const whole = encodeLine(head, entry);
  const { body } = whole.record;
  const inline = whole.bytes.length <= INLINE_BYTES_MAX && !Object.values(body).some(isName);
  if (inline || whole.bytes.length > RECORD_BYTES_MAX) return { line: whole, blobs: [] };
  const blobs: string[] = [];
  const named = Object.entries(body).map(([key, value]) => [key, spill(value, blobs)]);
  const { record, ...line } = encodeLine(head, { ...entry, body: Object.fromEntries(named) });
  return { line: { ...line, record: { ...record, body } }, blobs };
}

/** The digests that a record's line refers to. */
export function blobsOf({ body }: JournalRecord): readonly string[] {
  return Object.values(body).flatMap((value) => {
    const hex = isName(value) ? value[NAME] : undefined;
    return typeof hex === "string" ? [hex] : [];
  });
}

/** Where blobs are read from. */
export interface BlobsAt {
  readonly where: string;
  readonly get: (hex: string) => BlobRead;
}

/** The record with everything its line refers to, or a text that says why that is impossible. */
export function joinRecord(record: JournalRecord, from: BlobsAt): JournalRecord | string {
  const names = Object.entries(record.body).filter(([, value]) => isName(value));
  if (names.length === 0) return record;
  const body: Record<string, Json> = { ...record.body };
  for (const [key, value] of names) {
    const found = fetch(value, from);
    if ("why" in found) return `record ${record.seq} keeps its ${key} in a blob: ${found.why}`;
    body[key] = found.value;
  }
  return { ...record, body };
}

/** The same, with the blobs in files. Throws the disk's error. */
export function encodeRecord(dir: string, head: Head, entry: Entry): Line {
  const { line, blobs } = splitRecord(head, entry);
  for (const text of blobs) putBlob(blobsDir(dir), text);
  return line;
}

export function blobsAt(dir: string): BlobsAt {
  const where = blobsDir(dir);
  return { where, get: (hex) => getBlob(where, hex) };
}

function spill(value: Json, blobs: string[]): Json {
  const text = JSON.stringify(value);
  if (text.length <= MEMBER_CHARS_MAX && !isName(value)) return value;
  blobs.push(text);
  return { [NAME]: sha256(text), bytes: Buffer.byteLength(text) };
}

function fetch(
  value: Json,
  { get, where }: BlobsAt,
): { readonly value: Json } | { readonly why: string } {
  const hex = isJsonObject(value) ? value[NAME] : undefined;
  if (typeof hex !== "string") return { why: "its name is no digest" };
  const blob = get(hex);
  if (blob.kind === "absent") return { why: `${hex} is not in ${where}` };
  if (blob.kind === "damaged") return { why: blob.message };
  const parsed = parseJson(Buffer.from(blob.bytes).toString("utf8"));
  return parsed === undefined ? { why: `${hex} is not JSON` } : { value: parsed };
}

/**
 * A caller's value that looks like a reference is stored as a blob itself, so that it is never misread as one.
 */
function isName(value: Json): value is JsonObject {
  return isJsonObject(value) && NAME in value;
}

const NAME = "$blob";
const INLINE_BYTES_MAX = 64 * 1024;
const MEMBER_CHARS_MAX = 4 * 1024;
