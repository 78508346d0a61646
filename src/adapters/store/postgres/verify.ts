/**
 * Reads every row of a stream again and folds it from the first record on, without trusting the head or a copy.
 */
import type { Damage, Head, JournalReport, Watch } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import type { Database, Row } from "./database.ts";
import { LINE, PAGE, chain, damageAt, nameOf } from "./lines.ts";
import type { Cache, Stream } from "./stream.ts";
import { readCopy, tryRecord, wrongEnd } from "./stream.ts";

interface Verifying<S> {
  readonly open: Stream<S> | undefined;
  readonly watch: Watch<S> | undefined;
}

export async function verifyStream<S>(
  database: Database,
  cache: Cache<S>,
  name: string,
  { open, watch }: Verifying<S>,
): Promise<JournalReport> {
  // Read before the rows: a copy written meanwhile would name records not read yet.
  const seen = [readCopy(cache, name), open].filter((one) => one !== undefined);
  const { fold } = cache;
  const { key } = nameOf(name);
  let head: Head = GENESIS;
  let state = fold.initial(name);
  let damage: Damage | undefined;
  let told: Row | undefined;
  for (;;) {
    const rows = await database.query(ROWS, [key, head.seq, PAGE]);
    told = rows[0];
    const events = rows.filter((row) => row["seq"] !== null);
    const page = await chain(database, name, head, events);
    for (const record of page.records) {
      const strange = tryRecord(name, record, () => {
        const after = fold.evolve(state, record);
        watch?.(record, state);
        state = after;
      });
      if (strange !== undefined) return reportOf(head, strange);
      head = { seq: record.seq, hash: record.hash };
      damage ??= seen.map((one) => falseCopy(one, head, state)).find((one) => one !== undefined);
    }
    damage = page.damage ?? damage;
    if (page.damage !== undefined || events.length < PAGE) break;
  }
  damage ??= told === undefined ? undefined : wrongTold({ name, head }, told, { cache, state });
  const lost = seen.find((one) => one.head.seq > head.seq);
  if (lost !== undefined && (damage === undefined || damage.code === "snapshot-false"))
    damage = damageAt(
      name,
      head.seq,
      `the journal ends here, and record ${lost.head.seq} was read from it before`,
      "journal-truncated",
    );
  return reportOf(head, damage);
}

function reportOf(head: Head, damage: Damage | undefined): JournalReport {
  return { records: head.seq, void: 0, torn: 0, head, ...(damage === undefined ? {} : { damage }) };
}

/** The end recorded for the stream comes with each page. */
const ROWS = `SELECT s.seq AS told_seq, s.hash AS told_hash, s.fold, s.summary, e.seq, ${LINE} AS line
  FROM @.streams s LEFT JOIN LATERAL (
    SELECT * FROM @.lines e WHERE e.stream = s.id AND e.seq > $2::bigint ORDER BY e.seq LIMIT $3::int
  ) e ON true WHERE s.key = $1 ORDER BY e.seq`;

function falseCopy<S>(copy: Stream<S>, head: Head, state: S): Damage | undefined {
  if (copy.head.seq !== head.seq) return undefined;
  if (copy.head.hash !== head.hash)
    return damageAt(copy.name, head.seq, `another record ${head.seq} was read from there before`);
  if (JSON.stringify(copy.state) === JSON.stringify(state)) return undefined;
  return {
    code: "snapshot-false",
    offset: 0,
    line: head.seq,
    message: `the copy of ${JSON.stringify(copy.name)} in this clone says something else at record ${head.seq} than the records come to`,
  };
}

/** Checks the summary, which is what lists show. */
function wrongTold<S>(
  { name, head }: Pick<Stream<S>, "name" | "head">,
  told: Row,
  { cache: { fold }, state }: { readonly cache: Cache<S>; readonly state: S },
): Damage | undefined {
  const seq = Number(told["told_seq"]);
  const damage = wrongEnd({ name, head }, { seq, hash: String(told["told_hash"]) });
  if (damage !== undefined || seq < head.seq || told["fold"] !== fold.version) return damage;
  if (told["summary"] === JSON.stringify(fold.summary(state))) return undefined;
  const message = `the list of the store says something else of ${JSON.stringify(name)} than its records come to`;
  return { code: "snapshot-false", offset: 0, line: head.seq, message };
}
