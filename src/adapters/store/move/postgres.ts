/**
 * The store in PostgreSQL, as a source or target of moving. Used as the tables' owner, the only role that may
 * write without the functions.
 */
import type { Database } from "../postgres/database.ts";
import { createJournal } from "../postgres/journal.ts";
import { createRefusals } from "../postgres/refusals.ts";
import { LINE, chain, membersOf, nameOf, readBlob } from "../postgres/lines.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { NO_FOLD } from "./embedded.ts";
import type { House, Kept } from "./house.ts";
import { PAGE } from "./house.ts";

const SILENT = { ring: () => undefined, rung: async () => undefined };

/** `copies` is an empty folder, because moving must not rely on local copies. */
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
    refusals: createRefusals(database),
    marked: async () => {
      const [row] = await database.query("SELECT moved_to FROM @.store");
      const to = row?.["moved_to"];
      return typeof to === "string" ? to : undefined;
    },
    mark: async (to) => await mark(database, to),
    close: journal.close,
  };
}

/**
 * The lock waits for appends that began before the mark; later ones see the mark. So when this resolves, nobody
 * is still appending.
 */
async function mark(database: Database, to: string | undefined): Promise<void> {
  await database.alone(async (client) => {
    const run = async (sql: string, values: readonly unknown[] = []): Promise<void> =>
      void (await client.query(sql.replaceAll("@", `"${database.target.schema}"`), values));
    try {
      await run("BEGIN");
      await run("LOCK TABLE @.events IN EXCLUSIVE MODE");
      await run("UPDATE @.store SET moved_to = $1", [to ?? null]);
      await run("COMMIT");
    } catch (error) {
      await run("ROLLBACK").catch(() => undefined);
      throw error;
    }
  });
}

/** Bypasses the function and `appends`, because both refuse a store that is being moved into. */
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
    const { records } = await chain(database, stream, { seq, hash: String(first["prev"]) }, rows);
    yield records.map(({ seq: number, hash, id, at }, index) => {
      return { seq: number, hash, id, at, line: String(rows[index]?.["line"]) };
    });
    if (records.length < rows.length || rows.length < PAGE) return;
    seq += records.length;
  }
}

const LINES = `SELECT e.seq, e.prev, ${LINE} AS line FROM @.streams s JOIN @.lines e ON e.stream = s.id
  WHERE s.key = $1 AND e.seq > $2::bigint ORDER BY e.seq LIMIT $3`;

/** One statement, so that either all records and the head are written, or nothing. */
async function add(database: Database, stream: string, records: readonly Kept[]): Promise<void> {
  const last = records.at(-1);
  if (last === undefined) return;
  const { key, name } = nameOf(stream);
  const members = records.map(({ seq, line }) => membersOf(line) ?? strange(stream, seq));
  await database.query(ADD, [key, name, JSON.stringify(members), last.seq, last.hash, last.at]);
}

function strange(stream: string, seq: number): never {
  throw new StoreProblem({
    code: "store-move-damaged",
    message: `Record ${seq} of ${stream} is written in a way that Holdpoint does not write`,
    fix: "Somebody has written that line by hand: restore the journal from a backup, then move again.",
  });
}

const ADD = `WITH head AS (
    INSERT INTO @.streams AS s (key, name, seq, hash, at) VALUES ($1, $2, $4::bigint, $5, $6)
      ON CONFLICT (key) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, at = excluded.at,
        fold = NULL, summary = NULL
      RETURNING id
  )
  INSERT INTO @.events (stream, seq, prev, id, try, at, body, hash, command)
    SELECT head.id, one.seq, one.prev, one.id, one.try, one.at, one.body, one.hash, hashtextextended(one.id, 0)
    FROM head, json_to_recordset($3) AS one (seq bigint, prev text, id text, try text, at text, body text, hash text)
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
