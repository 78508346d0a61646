/** The store in PostgreSQL, to move into or out of: as its owner, who alone may write past the functions. */
import type { Database } from "../postgres/database.ts";
import { createJournal } from "../postgres/journal.ts";
import { chain, nameOf } from "../postgres/lines.ts";
import { readBlob } from "../postgres/lines.ts";
import { GENESIS } from "../../../ports/journal.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { NO_FOLD } from "./embedded.ts";
import type { House, Kept } from "./house.ts";
import { PAGE } from "./house.ts";

const SILENT = { ring: () => undefined, rung: async () => undefined };

/** `copies` is an empty folder: whoever moves believes no copy. */
export function openServer(database: Database, copies: string): House {
  const journal = createJournal(database, {
    fold: NO_FOLD,
    bell: SILENT,
    copies: { dir: copies, readOnly: true },
  });
  return {
    where: `PostgreSQL at ${database.target.where}`,
    streams: journal.streams,
    verify: (stream) => journal.verify(stream),
    pages: (stream, afterSeq) => pagesOf(database, stream, afterSeq),
    add: async (stream, records) => await add(database, stream, records),
    blobs: () => blobsIn(database),
    getBlob: async (hex) => {
      const [row] = await database.query("SELECT bytes FROM @.blobs WHERE hash = $1", [hex]);
      const bytes = row?.["bytes"];
      const read = readBlob(hex, Buffer.isBuffer(bytes) ? bytes : undefined);
      return read.kind === "found" ? read.bytes : undefined;
    },
    putBlob: async (bytes) => {
      await database.query(PUT, [Buffer.from(bytes)]);
    },
    mark: async (to) => await mark(database, to),
    close: journal.close,
  };
}

/**
 * When it answers, everybody has ended who may not have seen the mark: whoever appends draws the number of his transaction
 * before he looks, so that it is below any that is drawn after the mark.
 */
async function mark(database: Database, to: string | undefined): Promise<void> {
  await database.query("UPDATE @.store SET moved_to = $1", [to ?? null]);
  const [row] = await database.query("SELECT pg_current_xact_id()::text AS marked");
  const marked = String(row?.["marked"]);
  for (let waited = 0; waited < WRITERS_MS_MAX; waited += LOOK_MS) {
    const [now] = await database.query(ENDED, [marked]);
    if (now?.["ended"] === true) return;
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    });
  }
  throw new StoreProblem({
    code: "store-busy",
    message: `A transaction at ${database.target.where} does not end, and it may still be writing`,
    fix: "See which one it is (pg_stat_activity), end it, then move again.",
  });
}

const ENDED = "SELECT pg_snapshot_xmin(pg_current_snapshot()) > $1::text::xid8 AS ended";
const WRITERS_MS_MAX = 15_000;
const LOOK_MS = 50;

/** Not through the function, which refuses a store that is being moved into. */
const PUT = `INSERT INTO @.blobs AS b (hash, bytes) VALUES (encode(sha256($1::bytea), 'hex'), $1::bytea)
  ON CONFLICT (hash) DO UPDATE SET bytes = excluded.bytes WHERE b.bytes <> excluded.bytes`;

async function* pagesOf(
  database: Database,
  stream: string,
  afterSeq: number,
): AsyncGenerator<readonly Kept[]> {
  const { key } = nameOf(stream);
  for (let seq = afterSeq; ;) {
    const rows = await database.query(LINES, [key, seq, PAGE]);
    const [first] = rows;
    if (first === undefined) return;
    const prev = /^\{"seq":\d+,"prev":"([0-9a-f]{64})"/.exec(String(first["line"]))?.[1];
    const { records } = await chain(database, stream, { seq, hash: prev ?? GENESIS.hash }, rows);
    yield records.map(({ seq: number, hash, id, at }, index) => {
      return { seq: number, hash, id, at, line: String(rows[index]?.["line"]) };
    });
    if (records.length < rows.length || rows.length < PAGE) return;
    seq += records.length;
  }
}

const LINES = `SELECT e.seq, e.id, e.line FROM @.streams s JOIN @.events e ON e.stream = s.id
  WHERE s.key = $1 AND e.seq > $2::bigint ORDER BY e.seq LIMIT $3`;

/** One statement: all of them and the head, or nothing. */
async function add(database: Database, stream: string, records: readonly Kept[]): Promise<void> {
  const last = records.at(-1);
  if (last === undefined) return;
  const { key, name } = nameOf(stream);
  await database.query(ADD, [
    key,
    name,
    records.map(({ seq }) => seq),
    records.map(({ id }) => JSON.stringify(id)),
    records.map(({ line }) => line),
    last.seq,
    last.hash,
    last.at,
  ]);
}

const ADD = `WITH head AS (
    INSERT INTO @.streams AS s (key, name, seq, hash, at) VALUES ($1, $2, $6::bigint, $7, $8)
      ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at,
        fold = NULL, summary = NULL
      RETURNING id
  )
  INSERT INTO @.events (stream, seq, id, command, line)
    SELECT head.id, one.seq, one.id, hashtextextended(one.id, 0), one.line FROM head,
      unnest($3::bigint[], $4::text[], $5::text[]) AS one (seq, id, line)
    ON CONFLICT DO NOTHING`;

async function* blobsIn(database: Database): AsyncGenerator<readonly string[]> {
  for (let last = ""; ;) {
    const rows = await database.query(
      "SELECT hash FROM @.blobs WHERE hash > $1 ORDER BY hash LIMIT $2",
      [last, PAGE],
    );
    if (rows.length === 0) return;
    const names = rows.map((row) => String(row["hash"]));
    yield names;
    last = names.at(-1) ?? "";
  }
}
