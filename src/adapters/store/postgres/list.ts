/**
 * The list of all streams, from their heads. The first time all of them are read, then those that moved: a head carries
 * the number of the transaction that moved it, and what a transaction did that had not ended is asked for again.
 */
import { compareTexts, parseJson } from "../../../core/values/json.ts";
import type { Fold, StreamSummary } from "../../../ports/journal.ts";
import type { Database, Row } from "./database.ts";
import { streamNamed } from "./lines.ts";
import type { Stream } from "./stream.ts";

export function createList<S>(
  database: Database,
  fold: Fold<S>,
  fresh: (name: string) => Promise<Stream<S>>,
): () => Promise<readonly StreamSummary[]> {
  const rows = new Map<string, StreamSummary>();
  let since = "0";
  let sorted: readonly StreamSummary[] = [];
  const summaryOf = async (stream: string, row: Row): Promise<StreamSummary> => {
    const told = row["fold"] === fold.version ? parseJson(String(row["summary"])) : undefined;
    if (told !== undefined)
      return { stream, seq: Number(row["seq"]), at: String(row["at"]), summary: told };
    // Somebody with another version wrote it last.
    const { head, at, state } = await fresh(stream);
    return { stream, seq: head.seq, at, summary: fold.summary(state) };
  };
  return async () => {
    const moved = await database.query(MOVED, [since]);
    for (const row of moved) {
      since = String(row["horizon"]);
      if (row["name"] === null) continue;
      const stream = streamNamed(row["name"]);
      if (rows.get(stream)?.seq !== Number(row["seq"]))
        rows.set(stream, await summaryOf(stream, row));
    }
    if (moved.some((row) => row["name"] !== null))
      sorted = [...rows.values()].toSorted((one, other) => compareTexts(one.stream, other.stream));
    return sorted;
  };
}

const MOVED = `SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS horizon, s.name, s.seq, s.at, s.fold, s.summary
  FROM (SELECT) one LEFT JOIN @.streams s ON s.seq > 0 AND s.moved >= $1::text::xid8`;
