/** Tables from every version on, and what the role that people and agents work with can do to them. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seal } from "../../src/adapters/store/embedded/line.ts";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { migrate } from "../../src/adapters/store/postgres/migrate.ts";
import { MIGRATIONS } from "../../src/adapters/store/postgres/migrations.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { GENESIS } from "../../src/ports/journal.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { appendMany, ids } from "../conformance/journal.ts";
import type { Tally } from "../conformance/journal.ts";
import { AGENT, makeRoom, openJournal, serverUrl } from "./harness.ts";
import type { Room } from "./harness.ts";

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

/** As a program of that version appends. */
async function append(database: Database, version: number): Promise<unknown> {
  const genesis = GENESIS.hash;
  const line = seal(`{"seq":1,"prev":"${genesis}","id":"a","at":"t","body":{"value":1}}`);
  const [row] =
    version < 3
      ? await database.query(
          `SELECT kind = 'appended' AS appended
           FROM @.append(encode(sha256('"w"'), 'hex'), '"w"', 0, repeat('0', 64), '"a"', 't', $1, '', '')`,
          [line],
        )
      : await database.query(FIRST, ['"w"', '"w"', genesis, '"a"', '{"value":1}']);
  return row?.["appended"];
}

const FIRST = `SELECT @.append(s.id, 0, $3, $4, '"try"', '"at"', $5) AS appended
  FROM @.begin_stream(encode(sha256(convert_to($1, 'UTF8')), 'hex'), $2) AS s (id)`;

describe("migrations", () => {
  test("from every version on, in order; twice and by four at once without harm; the records stay", async () => {
    for (let from = 1; from <= MIGRATIONS.length; from += 1) {
      const schema = `migrated_${from}`;
      const url = `${serverUrl()}?schema=${schema}&project=test`;
      const database = openDatabase(readTarget(url, {}), { env: {} });
      await migrate(database, { project: "test", migrations: MIGRATIONS.slice(0, from) });
      expect(await append(database, from)).toBe(true);
      const all = await Promise.all(
        ids("", 4).map(async () => await migrate(database, { project: "test", role: AGENT.name })),
      );
      const { applied: none } = await migrate(database, { project: "test" });
      expect(none).toEqual([]);
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

  test("through the functions it records nothing but a line that follows and can be read", async () => {
    const agent = openDatabase(readTarget(room.agent, {}), { env: {} });
    const head = await appendMany(journal, "follows", ["a"]);
    const [row] = await agent.query("SELECT id FROM @.streams WHERE name = '\"follows\"'");
    const id = row?.["id"];
    const call = "SELECT @.append($1, $2, $3, $4, $5, $6, $7) AS appended";
    const good = [id, 1, head.hash, '"b"', '"try"', '"at"', "{}"];
    const but = (at: number, value: unknown): unknown[] => good.with(at, value);
    for (const values of [
      but(3, '"b","seq":9,"x":"y"'),
      but(3, "1"),
      but(3, '"b'),
      but(4, '"t","seq":9,"x":"y"'),
      but(5, "{}"),
      but(6, '{},"seq":9'),
      but(6, '{}}{"a":{}'),
      but(6, "[]"),
      but(6, '{"a":"\u0001"}'),
      but(6, "{'a':1}"),
    ])
      await expect(agent.query(call, values), JSON.stringify(values)).rejects.toThrow(
        /no record has|json/,
      );
    for (const values of [
      but(0, -1),
      but(0, 999_999_999),
      but(0, null),
      but(1, 0),
      but(1, 2),
      but(1, -1),
      but(2, GENESIS.hash),
      [999_999_999, 0, GENESIS.hash, ...good.slice(3)],
      [id, 0, GENESIS.hash, ...good.slice(3)],
    ])
      expect(await agent.query(call, values)).not.toEqual([{ appended: true }]);
    await expect(
      agent.query(FIRST, ['"new"', '"other"', GENESIS.hash, '"b"', "{}"]),
    ).rejects.toThrow(/not that of the name/);
    // Nor can a list be told of records that are not there.
    for (const [seq, hash] of [
      [9, head.hash],
      [1, GENESIS.hash],
    ])
      await agent.query("SELECT @.tell($1, $2, $3, 'at', 'fold', '{}')", [id, seq, hash]);
    expect(await journal.verify("follows")).toMatchObject({ records: 1 });
    expect((await journal.verify("follows")).damage).toBeUndefined();
    expect(await agent.query(call, good)).toEqual([{ appended: true }]);
    expect(await journal.load("follows")).toMatchObject({ head: { seq: 2 } });
    await agent.close();
  });

  test("objects of its own in front of ours change nothing", async () => {
    const agent = openDatabase(readTarget(room.agent, {}), { env: {} });
    await agent.alone(async (client) => {
      await client.query("CREATE TEMP TABLE streams AS SELECT 1 AS id");
      await client.query("CREATE TEMP TABLE events AS SELECT 1 AS id");
      await client.query("SET search_path = pg_temp, public");
      await client.query(FIRST.replaceAll("@", room.schema), [
        '"temp"',
        '"temp"',
        GENESIS.hash,
        '"b"',
        "{}",
      ]);
    });
    await agent.close();
    expect(await journal.verify("temp")).toMatchObject({ records: 1 });
  });
});
