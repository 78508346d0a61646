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
import type { Line } from "./line.ts";
import { encodeLine } from "./line.ts";
import { blobsDir } from "./paths.ts";

/** A record with all it names. Larger content is a file's, not a record's. */
export const RECORD_BYTES_MAX: number = 32 * 1024 * 1024;

/** The line to write, and the record as it will be read back. Throws what the disk says. */
export function encodeRecord(dir: string, head: Head, entry: Entry): Line {
  const line = encodeLine(head, entry);
  const { body } = line.record;
  const inline = line.bytes.length <= INLINE_BYTES_MAX && !Object.values(body).some(isName);
  if (inline || line.bytes.length > RECORD_BYTES_MAX) return line;
  const named = Object.entries(body).map(([key, value]) => [key, spill(dir, value)]);
  const { bytes, record } = encodeLine(head, { ...entry, body: Object.fromEntries(named) });
  return { bytes, record: { ...record, body } };
}

/** The record with everything its line names; or, as a text, why there is no such record any more. */
export function readWhole(dir: string, record: JournalRecord): JournalRecord | string {
  const names = Object.entries(record.body).filter(([, value]) => isName(value));
  if (names.length === 0) return record;
  const body: Record<string, Json> = { ...record.body };
  for (const [key, value] of names) {
    const found = fetch(dir, value);
    if ("why" in found) return `record ${record.seq} keeps its ${key} in a blob: ${found.why}`;
    body[key] = found.value;
  }
  return { ...record, body };
}

function spill(dir: string, value: Json): Json {
  const text = JSON.stringify(value);
  if (text.length <= MEMBER_CHARS_MAX && !isName(value)) return value;
  return { [NAME]: putBlob(blobsDir(dir), text), bytes: Buffer.byteLength(text) };
}

function fetch(dir: string, value: Json): { readonly value: Json } | { readonly why: string } {
  const hex = isJsonObject(value) ? value[NAME] : undefined;
  if (typeof hex !== "string") return { why: "its name is no digest" };
  const blob = getBlob(blobsDir(dir), hex);
  if (blob.kind === "absent") return { why: `${hex} is not in ${blobsDir(dir)}` };
  if (blob.kind === "damaged") return { why: blob.message };
  const parsed = parseJson(Buffer.from(blob.bytes).toString("utf8"));
  return parsed === undefined ? { why: `${hex} is not JSON` } : { value: parsed };
}

/** A value of a caller that looks like a name is put into a blob itself, so that this never misreads one. */
function isName(value: Json): value is JsonObject {
  return isJsonObject(value) && NAME in value;
}

const NAME = "$blob";
const INLINE_BYTES_MAX = 64 * 1024;
const MEMBER_CHARS_MAX = 4 * 1024;
