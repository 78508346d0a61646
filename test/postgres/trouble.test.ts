/** What goes wrong with a server, each named: nothing lost, nothing half-written. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { migrate } from "../../src/adapters/store/postgres/migrate.ts";
import { MIGRATIONS } from "../../src/adapters/store/postgres/migrations.ts";
import { openPostgres } from "../../src/adapters/store/postgres/open.ts";
import { seal } from "../../src/adapters/store/embedded/line.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { GENESIS } from "../../src/ports/journal.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { appendMany, appendNext, entry, ids, tallyFold } from "../conformance/journal.ts";
import type { Tally } from "../conformance/journal.ts";
import { AGENT, makeRoom, openJournal, serverUrl } from "./harness.ts";
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

describe("migrations", () => {
  test("from every version on, in order; twice and by four at once without harm; the records stay", async () => {
    for (let from = 1; from <= MIGRATIONS.length; from += 1) {
      const schema = `migrated_${from}`;
      const url = `${serverUrl()}?schema=${schema}&project=test`;
      const database = openDatabase(readTarget(url, {}), { env: {} });
      await migrate(database, { project: "test", migrations: MIGRATIONS.slice(0, from) });
      const [line] = await database.query(
        "SELECT kind FROM @.append(encode(sha256('\"w\"'), 'hex'), '\"w\"', 0, repeat('0', 64), '\"a\"', 't', $1, '', '')",
        [seal(`{"seq":1,"prev":"${"0".repeat(64)}","id":"a","at":"t","body":{"value":1}}`)],
      );
      expect(line).toEqual({ kind: "appended" });
      const all = await Promise.all(
        ids("", 4).map(async () => await migrate(database, { project: "test", role: AGENT.name })),
      );
      const applied = all.map((one) => one.applied.length);
      expect(applied.filter((count) => count > 0)).toHaveLength(from === MIGRATIONS.length ? 0 : 1);
      const journal = await openJournal(
        url.replace(/\/\/[^@]*@/, `//${AGENT.name}:${AGENT.password}@`),
        join(room.dir, schema),
      );
      expect(await journal.verify("w")).toMatchObject({ records: 1 });
      await appendMany(journal, "w", ["b"]);
      await journal.close();
      await database.query(`DROP SCHEMA ${schema} CASCADE`);
      await database.close();
    }
  });
});

describe("the role that people and agents work with", () => {
  test("it cannot write, change or remove anything past the functions; the database says so", async () => {
    await appendMany(journal, "rights", ["a"]);
    const agent = openDatabase(readTarget(room.agent, {}), { env: {} });
    for (const table of [
      "events",
      "streams",
      "blobs",
      "refusals",
      "beats",
      "takers",
      "attempts",
      "store",
      "migrations",
    ]) {
      const column = { events: "seq", streams: "seq" }[table] ?? undefined;
      for (const sql of [
        `DELETE FROM @.${table}`,
        `TRUNCATE @.${table}`,
        `DROP TABLE @.${table}`,
        `ALTER TABLE @.${table} ADD COLUMN x int`,
        `INSERT INTO @.${table} DEFAULT VALUES`,
        ...(column === undefined ? [] : [`UPDATE @.${table} SET ${column} = 0`]),
      ])
        await expect(agent.query(sql), sql).rejects.toMatchObject({
          problem: { code: "store-rights" },
        });
      expect(await agent.query(`SELECT count(*) FROM @.${table}`)).toHaveLength(1);
    }
    for (const sql of [
      "CREATE TABLE @.mine (x int)",
      "CREATE OR REPLACE FUNCTION @.append() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "ALTER FUNCTION @.put_blob(bytea) SECURITY INVOKER",
    ])
      await expect(agent.query(sql), sql).rejects.toMatchObject({
        problem: { code: "store-rights" },
      });
    await agent.close();
  });

  test("through the function it records nothing but a line that follows", async () => {
    const agent = openDatabase(readTarget(room.agent, {}), { env: {} });
    const head = await appendMany(journal, "follows", ["a"]);
    const call =
      "SELECT kind FROM @.append(encode(sha256(convert_to($1, 'UTF8')), 'hex'), $2, $3, $4, $5, 't', $6, '', '')";
    const good = seal(`{"seq":2,"prev":"${head.hash}","id":"b","at":"t","body":{}}`);
    for (const text of [
      "{}",
      good.replace('"at":"t"', '"at":"u"'),
      good.replace('"seq":2', '"seq":3'),
      good.replace('"id":"b"', '"id":"c"'),
      good.replace(head.hash, GENESIS.hash),
    ])
      await expect(
        agent.query(call, ['"follows"', '"follows"', 1, head.hash, '"b"', text]),
      ).rejects.toThrow(/does not follow/);
    await expect(
      agent.query(call, ['"new"', '"other"', 0, GENESIS.hash, '"b"', good]),
    ).rejects.toThrow(/not that of the name/);
    expect(await journal.verify("follows")).toMatchObject({ records: 1 });
    await agent.close();
  });

  test("objects of its own in front of ours change nothing", async () => {
    const agent = openDatabase(readTarget(room.agent, {}), { env: {} });
    await agent.alone(async (client) => {
      await client.query("CREATE TEMP TABLE streams AS SELECT 1 AS id");
      await client.query("CREATE TEMP TABLE events AS SELECT 1 AS id");
      await client.query("SET search_path = pg_temp, public");
      const text = seal(`{"seq":1,"prev":"${GENESIS.hash}","id":"b","at":"t","body":{}}`);
      await client.query(
        `SELECT ${room.schema}.append(encode(sha256('"temp"'), 'hex'), '"temp"', 0, $1, '"b"', 't', $2, '', '')`,
        [GENESIS.hash, text],
      );
    });
    await agent.close();
    expect(await journal.verify("temp")).toMatchObject({ records: 1 });
  });
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
      "CREATE TRIGGER full_disk BEFORE UPDATE ON @.streams FOR EACH ROW EXECUTE FUNCTION @.full()",
    );
    await expect(journal.append("full", head, entry("b"))).rejects.toMatchObject({
      problem: { code: "store-full" },
    });
    await room.database.query("DROP TRIGGER full_disk ON @.streams");
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
      await client.query(`SELECT FROM ${room.schema}.streams FOR UPDATE`);
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
    const cutting = setInterval(() => void cut(room.database), 40);
    for (const id of ids("c", 60))
      expect(await appendNext(journal, "cut", entry(id))).toMatchObject({ kind: "appended" });
    clearInterval(cutting);
    expect((await journal.read("cut")).map((one) => one.id)).toEqual(ids("c", 60));
  });
});

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

    await server.kill();
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
    await dark.close();
  });
});
