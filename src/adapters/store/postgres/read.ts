/** Reads records from the tables, and checks each against the one before it. */
import type { Head, JournalRecord } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import type { Database } from "./database.ts";
import { LINE, PAGE, chain, nameOf } from "./lines.ts";

export async function find(
  database: Pick<Database, "query">,
  stream: string,
  id: string,
): Promise<JournalRecord | undefined> {
  const rows = await database.query(FIND, [nameOf(stream).key, JSON.stringify(id)]);
  const [row] = rows;
  if (row === undefined) return undefined;
  const head = { seq: Number(row["seq"]) - 1, hash: String(row["prev"]) };
  const { records } = await chain(database, stream, head, rows);
  return records[0];
}

const FIND = `SELECT e.seq, e.prev, ${LINE} AS line FROM @.streams s JOIN @.lines e ON e.stream = s.id
  WHERE s.key = $1 AND e.command = hashtextextended($2::text, 0) AND e.id = $2::text`;

export async function readAfter(
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
    head ??= { seq: afterSeq, hash: String(first?.["line"]) };
    const behind = rows.filter((row) => Number(row["seq"]) > at);
    const page = await chain(database, stream, head, behind);
    records.push(...page.records);
    head = page.records.at(-1) ?? head;
    if (page.damage !== undefined || behind.length < count) return records;
  }
}

const READ = `SELECT e.seq, CASE WHEN e.seq = $2::bigint THEN e.hash ELSE ${LINE} END AS line
  FROM @.streams s JOIN @.lines e ON e.stream = s.id
  WHERE s.key = $1 AND e.seq >= $2::bigint AND e.seq <= $3::bigint ORDER BY e.seq`;
