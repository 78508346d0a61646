/**
 * The list of all streams. It is read once, and then only those that have changed: each event has the number of
 * its transaction, and transactions still running at the last look are asked for again. A summary counts if it
 * belongs to the stream's last record; otherwise the stream itself is read.
 */
import { compareTexts, parseJson } from "../../../core/values/json.ts";
import type { Fold, StreamSummary } from "../../../ports/journal.ts";
import type { Database, Row } from "./database.ts";
import { streamNamed } from "./lines.ts";
import { assertHere } from "./stream.ts";
import type { Stream } from "./stream.ts";

export interface List {
  readonly ask: () => Promise<readonly StreamSummary[]>;
  readonly told: () => readonly StreamSummary[];
}

export function createList<S>(
  database: Database,
  fold: Fold<S>,
  fresh: (name: string) => Promise<Stream<S>>,
): List {
  const rows = new Map<string, StreamSummary>();
  let since: string | undefined;
  let sorted: readonly StreamSummary[] = [];
  const summaryOf = async (stream: string, row: Row): Promise<StreamSummary> => {
    const isTold = row["fold"] === fold.version && Number(row["told"]) === Number(row["seq"]);
    const told = isTold ? parseJson(String(row["summary"])) : undefined;
    if (told !== undefined)
      return { stream, seq: Number(row["seq"]), at: String(row["at"]), summary: told };
    // Another version wrote last, or the writer died before updating the list.
    const { head, at, state } = await fresh(stream);
    return { stream, seq: head.seq, at, summary: fold.summary(state) };
  };
  const ask = async (): Promise<readonly StreamSummary[]> => {
    const moved = await (since === undefined
      ? database.query(ALL)
      : database.query(MOVED, [since]));
    const [first] = moved;
    assertHere(first);
    const horizon = String(first?.["horizon"]);
    // A server restored from a backup counts transactions from an earlier number, so newer changes would be
    // missed. Then everything is read again.
    if (since !== undefined && BigInt(horizon) < BigInt(since)) {
      since = undefined;
      rows.clear();
      return await ask();
    }
    for (const row of moved) {
      if (row["name"] === null) continue;
      const stream = streamNamed(row["name"]);
      if (rows.get(stream)?.seq !== Number(row["seq"]))
        rows.set(stream, await summaryOf(stream, row));
    }
    // Set last, so that the same range is asked for again if the connection was lost.
    since = horizon;
    if (moved.some((row) => row["name"] !== null))
      sorted = [...rows.values()].toSorted((one, other) => compareTexts(one.stream, other.stream));
    return sorted;
  };
  return { ask, told: () => sorted };
}

const heads = (streams: string): string => `
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, (SELECT moved_to FROM @.store), h.* FROM (SELECT) one LEFT JOIN (
    SELECT s.name, s.seq AS told, s.at, s.fold, s.summary, greatest(s.seq, e.seq) AS seq
    FROM ${streams} LEFT JOIN LATERAL (
      SELECT e.seq FROM @.events e WHERE e.stream = s.id ORDER BY e.seq DESC LIMIT 1) e ON true
    WHERE s.seq > 0 OR e.seq > 0) h ON true`;

const ALL = heads("@.streams s");
const MOVED = heads(`(SELECT DISTINCT m.stream FROM @.events m WHERE m.moved >= $1::text::xid8) m
    JOIN @.streams s ON s.id = m.stream`);
