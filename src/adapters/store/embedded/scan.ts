/**
 * Reads a journal file from a count's position to its end, in limited pieces. Needs no lock: a line counts only
 * with its last byte, which a writer writes last.
 */
import { readSync } from "node:fs";
import type { JournalRecord } from "../../../ports/journal.ts";
import type { Count, OnRecord } from "./count.ts";
import { countLines, countTorn } from "./count.ts";
import { errorText } from "./disk.ts";
import { LINE_BYTES_MAX, decodeLine } from "./line.ts";

/**
 * Returns how many bytes lie behind the last complete line: an append that is not finished.
 * `expected` is how many bytes are probably left. Asking for a megabyte to get one short record
 * makes every append slower by a tenth.
 */
export function scan(
  descriptor: number,
  count: Count,
  onRecord: OnRecord,
  expected: number = PIECE_BYTES,
): number {
  let asked = Math.min(expected + 1, PIECE_BYTES);
  for (let pieces = 0; pieces < PIECES_MAX; pieces += 1) {
    const start = count.offset;
    const size = readPiece(descriptor, count, { position: start, asked });
    countLines(count, piece.subarray(0, size), onRecord);
    if (count.damage !== undefined) return 0;
    const rest = size - (count.offset - start);
    if (size < asked || count.offset >= count.stopAt) return rest;
    const isOverlong = count.offset === start && asked === PIECE_BYTES;
    if (isOverlong && !skipOverlong(descriptor, count)) return rest;
    asked = PIECE_BYTES;
  }
  throw new Error(`cannot scan a journal: more than ${PIECES_MAX} pieces`);
}

/** The record whose line starts at `offset`, if it is still intact. */
export function readRecordAt(descriptor: number, offset: number): JournalRecord | undefined {
  const size = readSync(descriptor, piece, 0, LINE_BYTES_MAX, offset);
  const end = piece.subarray(0, size).indexOf("\n");
  return end === -1 ? undefined : decodeLine(piece.subarray(0, end));
}

/** Whether the file contains exactly these bytes from `offset` to its end. */
export function isAlone(descriptor: number, offset: number, bytes: Buffer): boolean {
  try {
    const size = readSync(descriptor, piece, 0, bytes.length + 1, offset);
    return size === bytes.length && bytes.compare(piece, 0, size) === 0;
  } catch {
    // The following scan meets the same error and reports it.
    return false;
  }
}

/**
 * Skips a line longer than any record, which none of our appends has written. A huge sparse file is not read on.
 */
function skipOverlong(descriptor: number, count: Count): boolean {
  let position = count.offset + PIECE_BYTES;
  for (let pieces = 0; pieces < OVERLONG_PIECES_MAX; pieces += 1) {
    const size = readPiece(descriptor, count, { position, asked: PIECE_BYTES });
    if (size === 0) return false;
    const end = piece.subarray(0, size).indexOf("\n");
    if (end !== -1) {
      countTorn(count);
      count.offset = position + end + 1;
      count.line += 1;
      return true;
    }
    position += size;
  }
  const { offset, line } = count;
  const message = `cannot read the journal past byte ${offset}: more than ${OVERLONG_PIECES_MAX} MB follow without a line`;
  count.damage = { code: "journal-unreadable", offset, line, message };
  return false;
}

function readPiece(
  descriptor: number,
  count: Count,
  { position, asked }: { readonly position: number; readonly asked: number },
): number {
  try {
    return readSync(descriptor, piece, 0, asked, position);
  } catch (error) {
    const { offset, line } = count;
    const message = `cannot read the journal at byte ${position}: ${errorText(error)}`;
    count.damage = { code: "journal-unreadable", offset, line, message };
    return 0;
  }
}

const PIECE_BYTES = 1024 * 1024;
const PIECES_MAX = 1024 * 1024;
const OVERLONG_PIECES_MAX = 256;
// All readers share this buffer: reading is synchronous, and decoding copies out of it.
const piece = Buffer.allocUnsafe(PIECE_BYTES);
