/**
 * The journal in PostgreSQL: the same lines as in the embedded one, as rows. An append adds one row through a
 * view that checks it. Within one process, operations on one stream run one after the other.
 */
import type { Fold, Journal, Loaded, StreamSummary } from "../../../ports/journal.ts";
import type { Open } from "./append.ts";
import { fresh, inLine, tell } from "./append.ts";
import { createAway } from "./away.ts";
import type { Away } from "./away.ts";
import type { Database } from "./database.ts";
import { streamNamed } from "./lines.ts";
import { createList } from "./list.ts";
import type { List } from "./list.ts";
import { createQueue } from "./queue.ts";
import { find, readAfter } from "./read.ts";
import type { Cache, Stream } from "./stream.ts";
import { copiesBut, copyFiles, emptyStream, readCopy, writeCopy } from "./stream.ts";
import { verifyStream } from "./verify.ts";
import type { Bell } from "./wakes.ts";

export interface JournalOptions<S> {
  readonly fold: Fold<S>;
  /** Where copies of what was read are stored. */
  readonly copies: Pick<Cache<S>, "dir" | "readOnly">;
  readonly bell: Pick<Bell, "ring" | "rung">;
  /** Problems found when opening that did not prevent it. */
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
  const listing = createListing(
    away,
    createList(database, fold, async (name) => await fresh(open, name)),
  );
  return {
    load: (name) =>
      inTurn(name, async () =>
        toLoaded(
          await away.or(
            async () => await fresh(open, name),
            // A stream never seen here reads as empty. Nothing can be recorded on it, and a notice says so.
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
          // Like the embedded journal, this skips records that no fold understands.
          const { head } = await inTurn(name, async () => await fresh(open, name));
          const after = Math.max(afterSeq, 0);
          return await readAfter(database, name, after, Math.min(countMax, head.seq - after));
        },
        () => [],
      ),
    find: async (name, id) => await find(database, name, id),
    list: listing.list,
    notices: () => [...notices, ...away.notices(), ...listing.notices()],
    away: away.why,
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

/** The list, with a check for streams that this clone has read and that are no longer in it. */
function createListing<S>(
  away: Away<S>,
  list: List,
): Pick<Required<Journal<S>>, "list" | "notices"> {
  const { cache } = away;
  let gone: readonly string[] = [];
  const ask = async (): Promise<readonly StreamSummary[]> => {
    // Read before asking the server, so that a stream started meanwhile does not seem to be missing.
    const copies = copyFiles(cache);
    const listed = await list.ask();
    const names = listed.map(({ stream }) => stream);
    gone = copiesBut(cache, copies, names);
    return listed;
  };
  return {
    list: () => away.or(ask, () => away.list(list.told())),
    notices: () => vanished(gone, cache.dir),
  };
}

/** The server's list does not show what was removed, but this clone still has copies of it. */
function vanished(gone: readonly string[], dir: string): readonly string[] {
  const [first] = gone;
  if (first === undefined) return [];
  const others = gone.length === 1 ? "" : ` and ${gone.length - 1} others`;
  return [
    `The store has nothing of ${first}${others}, which this clone has read from it before: somebody has removed it, or restored an older backup. Restore it from a backup; if it is meant to be gone, remove its copy in ${dir}`,
  ];
}

function toLoaded<S>({ head, state, damage }: Stream<S>): Loaded<S> {
  return { head, state, ...(damage === undefined ? {} : { damage }) };
}

/** Inside one process, operations on one stream run in the order they were asked for. */
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
