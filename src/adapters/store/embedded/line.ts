/**
 * The line format of the journal file. One record is one line, written by one system call:
 *
 *   \n{"seq":7,"prev":"<hash of 6>","id":"…","try":"<random>","at":"…","body":{…},"hash":"<own>"}\n
 *
 * `hash` is the SHA-256 of the same text without its `hash` member. The leading newline ends the
 * bytes of a writer that died half way, so they cannot swallow this record. `try` keeps two lines
 * from ever being equal: without it two racing writers of one command both believe they have won.
 */
import crypto, { createHash, randomUUID } from "node:crypto";
import type { JsonObject } from "../../../core/values/json.ts";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { Entry, Head, JournalRecord } from "../../../ports/journal.ts";

/** The whole line with both newlines. Larger content is stored beside the journal, see spill.ts. */
export const LINE_BYTES_MAX: number = 256 * 1024;

export interface Line {
  readonly bytes: Buffer;
  /** The record as it will be read back, without what JSON cannot represent. */
  readonly record: JournalRecord;
  /** The parts of the line after its number and previous hash, each as JSON. */
  readonly said: {
    readonly id: string;
    readonly try: string;
    readonly at: string;
    readonly body: string;
  };
}

export function encodeLine(head: Head, entry: Entry): Line {
  const said = {
    id: JSON.stringify(entry.id),
    try: nextTry(),
    at: JSON.stringify(entry.at),
    body: JSON.stringify(entry.body),
  };
  const text =
    `{"seq":${head.seq + 1},"prev":${JSON.stringify(head.hash)},"id":${said.id},` +
    `"try":${said.try},"at":${said.at},"body":${said.body}}`;
  const hash = sha256(text);
  const record = parseRecord(text, hash);
  if (record === undefined) throw new Error("cannot encode a journal record: not a valid entry");
  return { bytes: Buffer.from(`\n${withHash(text, hash)}\n`), record, said };
}

/** The record in one line without its newlines; undefined if a single byte was changed. */
export function decodeLine(bytes: Buffer): JournalRecord | undefined {
  const sealed = unseal(bytes);
  return sealed === undefined ? undefined : parseRecord(sealed.text, sealed.hash);
}

/** Adds the hash of a JSON object's text as its last member. */
export function seal(text: string): string {
  return withHash(text, sha256(text));
}

/** The sealed text, if its bytes still match the hash they carry. */
export function unseal(bytes: Buffer): { text: string; hash: string } | undefined {
  const end = bytes.length - SEAL_BYTES;
  if (end < 1) return undefined;
  const match = SEAL.exec(bytes.toString("latin1", end));
  const hash = match?.[1];
  if (hash === undefined) return undefined;
  // Invalid UTF-8 decodes to other characters, and so has another hash.
  const text = `${bytes.toString("utf8", 0, end)}}`;
  return sha256(text) === hash ? { text, hash } : undefined;
}

function parseRecord(text: string, hash: string): JournalRecord | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? checkRecord(value, hash) : undefined;
}

function checkRecord(value: JsonObject, hash: string): JournalRecord | undefined {
  const { seq, prev, id, at, body } = value;
  if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1) return undefined;
  if (typeof prev !== "string" || !HASH.test(prev)) return undefined;
  if (typeof id !== "string" || typeof at !== "string") return undefined;
  if (!isJsonObject(body)) return undefined;
  return { seq, prev, id, at, body, hash };
}

function withHash(text: string, hash: string): string {
  return `${text.slice(0, -1)},"hash":"${hash}"}`;
}

/**
 * As JSON: one random id for each process, plus a counter. Drawing a random number for every line would be too
 * slow.
 */
function nextTry(): string {
  tries += 1;
  processTry ??= randomUUID();
  return `"${processTry}.${tries}"`;
}

export function sha256(text: string): string {
  // `crypto.hash` (Node 20.12 and later) takes less than half the time of `createHash` after a sync.
  if (typeof crypto.hash === "function") return crypto.hash("sha256", text);
  return createHash("sha256").update(text).digest("hex");
}

let processTry: string | undefined;
let tries = 0;

const HASH = /^[0-9a-f]{64}$/;
const SEAL = /^,"hash":"([0-9a-f]{64})"\}$/;
const SEAL_BYTES = ',"hash":""}'.length + 64;
