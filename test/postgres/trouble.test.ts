/** What goes wrong with a server, each named: nothing lost, nothing half-written. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { migrate } from "../../src/adapters/store/postgres/migrate.ts";
import { MIGRATIONS } from "../../src/adapters/store/postgres/migrations.ts";
import { openPostgres } from "../../src/adapters/store/postgres/open.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { GENESIS } from "../../src/ports/journal.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { appendMany, appendNext, entry, ids, tallyFold } from "../conformance/journal.ts";
import type { Tally } from "../conformance/journal.ts";
import { AGENT, makeRoom, openJournal } from "./harness.ts";
import type { Room } from "./harness.ts";
import { startServer } from "./server.ts";
import type { Server } from "./server.ts";

let room: Room;
let journal: Journal<Tally>;
beforeAll(async () => {
  room = await makeRoom();
  journal = await openJournal(room.agent, room.dir);
});
afterAll(async () => {
  await journal.close();
  await room.remove();
});

/** What opening says, as code. */
async function opening(
  url: string,
  dir = join(room.dir, "other"),
  projects: readonly string[] = [],
): Promise<string> {
  const clone = { dir, readOnly: false, projects: async () => projects };
  const opened = await openPostgres({ url, env: {}, fold: tallyFold, clone });
  if (opened.kind === "refused") return opened.fix === "" ? "says too little" : opened.code;
  await opened.journal.close();
  return "open";
}

describe("a store that is not one to work with", () => {
  test("a wrong password, none, an unknown user, a database that is not there", async () => {
    expect(await opening(room.agent.replace(AGENT.password, "wrong"))).toBe("store-password");
    expect(await opening(room.agent.replace(`:${AGENT.password}`, ""))).toBe("store-password");
    expect(await opening(room.agent.replace(AGENT.name, "nobody"))).toBe("store-password");
    expect(await opening(room.agent.replace("/postgres?", "/nothing?"))).toBe("store-no-database");
    expect(await opening(room.agent.replace(room.schema, "no_such"))).toBe("store-not-set-up");
    expect(await opening(room.agent.replace(/:\d+\//, ":1/"))).toBe("store-unreachable");
    expect(await opening("postgresql://nowhere.invalid/x")).toBe("store-unreachable");
    expect(await opening(`${room.agent}&sslmode=require`)).not.toBe("open");
  });

  test("a database of another project, also for a clone that has worked with this one", async () => {
    const bare = room.agent.replace("&project=test", "");
    expect(await opening(bare, join(room.dir, "p1"), ["abc", "test"])).toBe("open");
    expect(await opening(bare, join(room.dir, "p2"), ["abc"])).toBe("store-of-another-project");
    expect(await opening(bare, join(room.dir, "p3"), [])).toBe("store-project-unknown");
    const other = await makeRoom();
    expect(await opening(other.agent, room.dir)).toBe("store-another");
    await other.remove();
  });

  test("tables of a newer or an older version", async () => {
    await room.database.query("INSERT INTO @.migrations (number, name) VALUES (99, 'later')");
    expect(await opening(room.agent)).toBe("store-newer");
    await expect(migrate(room.database, { project: "test" })).rejects.toMatchObject({
      problem: { code: "store-newer" },
    });
    await room.database.query("DELETE FROM @.migrations WHERE number = 99");
    await room.database.query("DELETE FROM @.migrations WHERE number = $1", [MIGRATIONS.length]);
    expect(await opening(room.agent)).toBe("store-older");
    await room.database.query("INSERT INTO @.migrations (number, name) VALUES ($1, 'again')", [
      MIGRATIONS.length,
    ]);
    expect(await opening(room.agent)).toBe("open");
  });
});

test("a clock that is hours off is named, and nothing is lost", async () => {
  const before = Date.now;
  for (const [hours, said] of [
    [3, ["180 minutes ahead of"]],
    [-30, ["1800 minutes behind"]],
    [0, []],
  ] as const) {
    const clock = vi.spyOn(Date, "now").mockImplementation(() => before() + hours * 3_600_000);
    const off = await openJournal(room.agent, join(room.dir, `off by ${hours}`));
    expect(await appendNext(off, "clock", entry(`at ${hours}`))).toMatchObject({
      kind: "appended",
    });
    const told = off.notices?.().map((one) => / is (\d.*) the server's\. /.exec(one)?.[1]);
    expect(told).toEqual(said);
    await off.close();
    clock.mockRestore();
  }
  expect(await journal.verify("clock")).toMatchObject({ records: 3 });
});

test("a pooler that hands each question to another connection is named", async () => {
  const database = openDatabase(readTarget(room.agent, {}), { env: {}, connectionsMax: 1 });
  const ask = async (): Promise<unknown> => await database.query("SELECT id FROM @.store");
  await ask();
  await database.query("DEALLOCATE ALL");
  await expect(ask()).rejects.toMatchObject({
    problem: { code: "store-pooled", fix: expect.stringContaining("by session") },
  });
  await database.close();
});

test("a journal that is gone from the store is named by a clone that has read it, and by no other", async () => {
  const own = await makeRoom();
  const one = await openJournal(own.agent, own.dir);
  for (const stream of ["kept", "lost"]) await appendMany(one, stream, ["a"]);
  expect(await one.list()).toHaveLength(2);
  expect(one.notices?.()).toEqual([]);
  await one.close();
  await own.database.query("DELETE FROM @.streams WHERE name = $1", ['"lost"']);
  const again = await openJournal(own.agent, own.dir);
  expect(await again.list()).toMatchObject([{ stream: "kept" }]);
  expect(again.notices?.()).toEqual([expect.stringMatching(/^The store has nothing of lost, /)]);
  const other = await openJournal(own.agent, join(own.dir, "other"));
  expect(await other.list()).toHaveLength(1);
  expect(other.notices?.()).toEqual([]);
  await Promise.all([again.close(), other.close()]);
  await own.remove();
});

describe("a server that will not", () => {
  test("read-only, as a standby is: named, and what it has can be read", async () => {
    const head = await appendMany(journal, "standby", ["a"]);
    const url = `${room.agent}&options=${encodeURIComponent("-c default_transaction_read_only=on")}`;
    const standby = await openJournal(url, room.dir);
    expect(await standby.load("standby")).toMatchObject({ head });
    await expect(standby.append("standby", head, entry("b"))).rejects.toMatchObject({
      problem: { code: "store-read-only" },
    });
    await standby.close();
    expect(await journal.verify("standby")).toMatchObject({ records: 1 });
  });

  test("a full disk: named, nothing recorded; with room again the same command is recorded once", async () => {
    const head = await appendMany(journal, "full", ["a"]);
    await room.database.query(
      `CREATE FUNCTION @.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$`,
    );
    await room.database.query(
      "CREATE TRIGGER full_disk BEFORE INSERT ON @.events FOR EACH ROW EXECUTE FUNCTION @.full()",
    );
    await expect(journal.append("full", head, entry("b"))).rejects.toMatchObject({
      problem: { code: "store-full" },
    });
    await room.database.query("DROP TRIGGER full_disk ON @.events");
    expect(await journal.verify("full")).toMatchObject({ records: 1 });
    expect(await journal.append("full", head, entry("b"))).toMatchObject({ kind: "appended" });
    expect(await journal.verify("full")).toMatchObject({ records: 2 });
  });

  test("a long transaction in the way: nobody waits for it longer than allowed", async () => {
    const head = await appendMany(journal, "long", ["a"]);
    const url = `${room.agent}&options=${encodeURIComponent("-c lock_timeout=300ms")}`;
    const waiting = await openJournal(url, room.dir);
    await room.database.alone(async (client) => {
      await client.query("BEGIN");
      await client.query(
        `INSERT INTO ${room.schema}.events (stream, seq, prev, id, try, at, body, hash, command)
         SELECT id, 2, '', '"other"', '', '', '', '', 1 FROM ${room.schema}.streams WHERE name = '"long"'`,
      );
      await expect(waiting.append("long", head, entry("b"))).rejects.toMatchObject({
        problem: { code: "store-busy" },
      });
      expect(await waiting.load("long")).toMatchObject({ head });
      await client.query("ROLLBACK");
    });
    expect(await waiting.append("long", head, entry("b"))).toMatchObject({ kind: "appended" });
    await waiting.close();
  });

  test("[S1] connections that are cut again and again: every append is recorded once", async () => {
    const over = new AbortController();
    const cutting = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const begun = Date.now();
        await cut(room.database);
        // On a busy machine a new connection takes longer, and one that is never had tells nothing.
        await pause(40 + 4 * (Date.now() - begun));
      }
    };
    const cuts = cutting();
    for (const id of ids("c", 60))
      expect(await appendNext(journal, "cut", entry(id))).toMatchObject({ kind: "appended" });
    over.abort();
    await cuts;
    expect((await journal.read("cut")).map((one) => one.id)).toEqual(ids("c", 60));
  });
});

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

async function cut(database: Database): Promise<void> {
  await database
    .query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${AGENT.name}'`)
    .catch(() => undefined);
}

describe("a server of its own", () => {
  let server: Server;
  let away: Room;
  beforeAll(async () => {
    server = await startServer();
    away = await makeRoom(server.url());
  });
  afterAll(async () => await server.remove());

  test("[S1] restarted under an append, it is waited for; gone, what was seen is read, and said to be old", async () => {
    const own = await openJournal(away.agent, away.dir);
    const head = await appendMany(own, "w", ids("a", 5));
    await server.stop();
    const begun = server.start();
    expect(await own.append("w", head, entry("b"))).toMatchObject({ kind: "appended" });
    await begun;
    await own.close();

    // Whoever goes on without an end lists what it was told, also what no copy in its files says yet.
    const follower = await openJournal(away.agent, join(away.dir, "follower"));
    await appendMany(follower, "f", ids("f", 2));
    const told = await follower.list();
    expect(follower.away?.()).toBeUndefined();
    await server.kill();
    expect(await follower.list()).toEqual(told);
    expect(follower.away?.()).toMatchObject({ code: "store-unreachable" });

    const dark = await openJournal(away.agent, away.dir);
    expect(await dark.load("w")).toMatchObject({ head: { seq: 6 }, state: { count: 6 } });
    expect(await dark.list()).toMatchObject([{ stream: "w", seq: 6 }]);
    expect(dark.notices?.()).toEqual([
      expect.stringMatching(/cannot be reached.*has seen before.*last record is from 2026-01-02/),
    ]);
    expect(await dark.load("never seen")).toMatchObject({ head: GENESIS });
    expect(await dark.read("w")).toEqual([]);
    await expect(dark.verify("w")).rejects.toMatchObject({
      problem: { code: "store-unreachable" },
    });
    const now = (await dark.load("w")).head;
    const asked = Date.now();
    await expect(dark.append("w", now, entry("c"))).rejects.toMatchObject({
      problem: { code: "store-unreachable" },
    });
    expect(Date.now() - asked).toBeLessThan(10_000);
    expect(await opening(away.agent, join(away.dir, "unbound"))).toBe("store-unreachable");
    await server.start();
    await new Promise((resolve) => {
      setTimeout(resolve, 3_200);
    });
    expect(await dark.append("w", now, entry("c"))).toMatchObject({ kind: "appended" });
    expect(dark.notices?.()).toEqual([]);
    expect(await follower.list()).toMatchObject([
      { stream: "f", seq: 2 },
      { stream: "w", seq: 7 },
    ]);
    expect(follower.away?.()).toBeUndefined();
    await follower.close();
    await dark.close();
  });
});
