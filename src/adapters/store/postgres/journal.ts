/**
 * The journal in PostgreSQL: the lines of the embedded one, as rows. An append is one row more, through a
 * view there that lets nothing else in. Within one process what concerns one stream is done one after the other.
 */
import type { Fold, Journal, Loaded } from "../../../ports/journal.ts";
import type { Open } from "./append.ts";
import { fresh, inLine, tell } from "./append.ts";
import { createAway } from "./away.ts";
import type { Database } from "./database.ts";
import { streamNamed } from "./lines.ts";
import { createList } from "./list.ts";
import { createQueue } from "./queue.ts";
import { find, readAfter } from "./read.ts";
import type { Cache, Stream } from "./stream.ts";
import { emptyStream, readCopy, writeCopy } from "./stream.ts";
import { verifyStream } from "./verify.ts";
import type { Bell } from "./wakes.ts";

export interface JournalOptions<S> {
  readonly fold: Fold<S>;
  /** Where copies of what was read are kept. */
  readonly copies: Pick<Cache<S>, "dir" | "readOnly">;
  readonly bell: Pick<Bell, "ring" | "rung">;
  /** What was amiss when it was opened, and did not keep it from being opened. */
  readonly notices?: readonly string[];
}

export function createJournal<S>(database: Database, options: JournalOptions<S>): Journal<S> {
  const { fold, copies, bell, notices = [] } = options;
  const cache: Cache<S> = { ...copies, fold };
  const open: Open<S> = {
    database,
    cache,
    known: new Map(),
    untold: new Map(),
    onAppend: () => bell.ring(async () => await tell(open)),
    queue: createQueue(database),
  };
  const away = createAway(cache);
  const inTurn = createTurns();
  const list = createList(database, fold, async (name) => await fresh(open, name));
  return {
    load: (name) =>
      inTurn(name, async () =>
        toLoaded(
          await away.or(
            async () => await fresh(open, name),
            // What was never seen here reads as empty: nothing can be recorded on it, and it is said.
            () => open.known.get(name) ?? readCopy(cache, name) ?? emptyStream(fold, name),
          ),
        ),
      ),
    append: (name, expected, entry) =>
      inTurn(
        name,
        async () =>
          await away.or(
            async () => await inLine(open, name, expected, entry),
            () => undefined,
          ),
      ),
    read: async (name, afterSeq = 0, countMax = Infinity) =>
      await away.or(
        async () => {
          // What no fold understands is no record to whoever reads, here as with the files.
          const { head } = await inTurn(name, async () => await fresh(open, name));
          const after = Math.max(afterSeq, 0);
          return await readAfter(database, name, after, Math.min(countMax, head.seq - after));
        },
        () => [],
      ),
    find: async (name, id) => await find(database, name, id),
    list: () => away.or(list, () => away.list()),
    notices: () => [...notices, ...away.notices()],
    streams: async () => {
      const rows = await database.query(
        "SELECT name FROM @.streams s WHERE s.seq > 0 OR EXISTS (SELECT FROM @.events e WHERE e.stream = s.id AND e.seq > 0)",
      );
      return rows.map((row) => streamNamed(row["name"]));
    },
    verify: (name, watch) =>
      inTurn(
        name,
        async () =>
          await verifyStream(database, cache, name, { open: open.known.get(name), watch }),
      ),
    close: async () => {
      for (const stream of open.known.values()) writeCopy(cache, stream);
      open.known.clear();
      await bell.rung();
      await database.close();
    },
  };
}

function toLoaded<S>({ head, state, damage }: Stream<S>): Loaded<S> {
  return { head, state, ...(damage === undefined ? {} : { damage }) };
}

/** Inside one process, what concerns one stream is done in the order it was asked for. */
function createTurns(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    last.set(name, ended);
    try {
      return await mine;
    } finally {
      if (last.get(name) === ended) last.delete(name);
    }
  };
}
