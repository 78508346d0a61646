/**
 * Which lines of a journal file are records. Pure: bytes in, records and a verdict out.
 *
 *   empty                                     the separator, skipped
 *   not readable, or its own hash is wrong    torn: a writer died here, or a byte was changed
 *   follows the head                          counted, and the head moves
 *   follows an earlier record                 void: its writer lost a race
 *   anything else                             broken: a record before it is missing
 *
 * A torn line is harmless exactly when the chain goes on after it, and that is why it is not called
 * damage before a later line proves that a record is missing.
 */
import type { Damage, Head, JournalRecord } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import { errorText } from "./disk.ts";
import type { Line } from "./line.ts";
import { LINE_BYTES_MAX, decodeLine } from "./line.ts";

/** One reader's position in one file. Only this file and the reader's owner change it. */
export interface Count {
  /** Everything before this byte has been judged. Always the start of a line. */
  offset: number;
  line: number;
  head: Head;
  void: number;
  torn: number;
  /** The first torn line after the head, to be reported if the chain turns out to be broken. */
  suspect: Spot | undefined;
  /**
   * The torn line before the head. If later records do not build on the head, this line was the true record,
   * and the head is the line of a lost race.
   */
  doubt: Spot | undefined;
  /** No line from this byte on is judged: after damage, the line of a lost race can look like a valid record. */
  stopAt: number;
  damage: Damage | undefined;
  /** Hashes of counted records by sequence number, the head's included. */
  readonly hashes: Map<number, string>;
  readonly hashesMax: number;
  readonly whole: Whole;
}

/** A record with everything its line refers to, or a text that says why that is impossible. */
export type Whole = (record: JournalRecord) => JournalRecord | string;

export interface Spot {
  readonly offset: number;
  readonly line: number;
}

export type OnRecord = (record: JournalRecord, offset: number) => void;

/** A count that starts in mid-file knows no older hashes; any count keeps the last `hashesMax`. */
export function startCount(at: Spot & { head: Head }, hashesMax: number, whole: Whole): Count {
  return {
    offset: at.offset,
    line: at.line,
    head: at.head,
    void: 0,
    torn: 0,
    suspect: undefined,
    doubt: undefined,
    stopAt: Number.POSITIVE_INFINITY,
    damage: undefined,
    hashes: new Map([[at.head.seq, at.head.hash]]),
    hashesMax,
    whole,
  };
}

export const FILE_START: Spot & { head: Head } = { offset: 0, line: 1, head: GENESIS };

/** Judges every complete line of `bytes`, which begin at `count.offset`; the rest stays unjudged. */
export function countLines(count: Count, bytes: Buffer, onRecord: OnRecord): void {
  let start = 0;
  while (count.damage === undefined && count.offset < count.stopAt) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) return;
    const offset = count.offset;
    if (end > start) countLine(count, bytes.subarray(start, end), onRecord);
    if (count.damage !== undefined) return;
    count.offset = offset + (end - start) + 1;
    count.line += 1;
    start = end + 1;
  }
}

/**
 * True if the damage is before the head: the true record is unreadable, so a lost race was counted in its place.
 */
export function isHeadFalse(count: Count, headStart: number): boolean {
  return count.damage?.code === "journal-broken" && count.damage.offset <= headStart;
}

/** Counts the line, including its leading newline, that this process wrote and has just read back unchanged. */
export function countOwn(count: Count, line: Line, onRecord: OnRecord): void {
  if (judge(count, line.record) !== "counted") throw new Error("cannot count a line twice");
  onRecord(line.record, count.offset + 1);
  moveHead(count, line.record);
  count.offset += line.bytes.length;
  count.line += 2;
}

function countLine(count: Count, bytes: Buffer, onRecord: OnRecord): void {
  const record = bytes.length > LINE_BYTES_MAX ? undefined : decodeLine(bytes);
  if (record === undefined) {
    countTorn(count);
    return;
  }
  const verdict = judge(count, record);
  if (verdict === "counted") {
    const whole = count.whole(record);
    if (typeof whole === "string") {
      const { offset, line } = count;
      count.damage = { code: "journal-blob", offset, line, message: `cannot read on: ${whole}` };
      return;
    }
    // Folded before the head moves: if the fold throws, the count must not be past a record that the state lacks.
    const strange = tryRecord(count, whole, onRecord);
    if (strange === undefined) moveHead(count, record);
    else count.damage = strange;
  } else if (verdict === "void") {
    count.void += 1;
  } else {
    count.damage = describeBreak(count, record);
  }
}

/** Anybody can append a line with a correct hash. If no fold understands it, it counts as damage. */
function tryRecord(count: Count, record: JournalRecord, onRecord: OnRecord): Damage | undefined {
  const { offset, line } = count;
  try {
    onRecord(record, offset);
    return undefined;
  } catch (error) {
    const message = `cannot read record ${record.seq} on line ${line} (byte ${offset}): ${errorText(error)}`;
    return { code: "journal-event", offset, line, message };
  }
}

export function countTorn(count: Count): void {
  count.torn += 1;
  count.suspect ??= { offset: count.offset, line: count.line };
}

function judge(count: Count, record: JournalRecord): "counted" | "void" | "broken" {
  const { head, hashes } = count;
  if (record.seq === head.seq + 1 && record.prev === head.hash) return "counted";
  if (record.seq > head.seq + 1) return "broken";
  const known = hashes.get(record.seq - 1);
  // The hash it follows has been forgotten, so it is called void. `verify` keeps all hashes and would find
  // damage.
  if (known === undefined) return "void";
  return known === record.prev ? "void" : "broken";
}

function moveHead(count: Count, record: JournalRecord): void {
  count.head = { seq: record.seq, hash: record.hash };
  count.doubt = count.suspect;
  count.suspect = undefined;
  count.hashes.set(record.seq, record.hash);
  count.hashes.delete(record.seq - count.hashesMax);
}

function describeBreak(count: Count, record: JournalRecord): Damage {
  const isRival = record.seq === count.head.seq + 1;
  const { offset, line } = (isRival ? count.doubt : undefined) ?? count.suspect ?? count;
  return {
    code: "journal-broken",
    offset,
    line,
    message:
      `cannot read the journal past line ${line} (byte ${offset}): a record is missing there, ` +
      `because record ${record.seq} on line ${count.line} does not follow`,
  };
}

const NEWLINE = 0x0a;
