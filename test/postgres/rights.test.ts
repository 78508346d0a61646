/** Tables from every version on, and what the role that people and agents work with can do to them. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { encodeLine, sha256 } from "../../src/adapters/store/embedded/line.ts";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { migrate } from "../../src/adapters/store/postgres/migrate.ts";
import { MIGRATIONS } from "../../src/adapters/store/postgres/migrations.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { GENESIS } from "../../src/ports/journal.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { appendMany, entry, ids } from "../conformance/journal.ts";
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

/** The first record of a stream. */
async function begin(database: Pick<Database, "query">, name: string, key = name): Promise<string> {
  const { said, record } = encodeLine(GENESIS, entry("a"));
  await database.query(BEGIN, [key, name, said.id, said.try, said.at, said.body, record.hash]);
  return record.hash;
}

const BEGIN =
  "SELECT @.begin_stream(encode(sha256(convert_to($1, 'UTF8')), 'hex'), $2, $3, $4, $5, $6, $7)";

describe("migrations", () => {
  test("from every version on, in order; twice and by four at once without harm; the records stay", async () => {
    for (let from = 1; from <= MIGRATIONS.length; from += 1) {
      const schema = `migrated_${from}`;
      const url = `${serverUrl()}?schema=${schema}&project=test`;
      const database = openDatabase(readTarget(url, {}), { env: {} });
      await migrate(database, { project: "test", migrations: MIGRATIONS.slice(0, from) });
      await begin(database, '"w"');
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

const APPEND = `INSERT INTO @.appends (stream, seq, prev, id, try, at, body, hash, command)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, hashtextextended($4, 0))`;

/** What would be in the line of such a record. */
function hashOf([, seq, prev, id, tried, at, body]: readonly unknown[]): string {
  return sha256(
    `{"seq":${String(seq)},"prev":"${String(prev)}","id":${String(id)},"try":${String(tried)},"at":${String(at)},"body":${String(body)}}`,
  );
}

describe("the role that people and agents work with", () => {
  test("it cannot write, change or remove anything past what it is given; the database says so", async () => {
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
      "CREATE OR REPLACE FUNCTION @.tell() RETURNS int LANGUAGE sql AS 'SELECT 1'",
      "CREATE OR REPLACE VIEW @.appends AS SELECT * FROM @.events",
      "UPDATE @.appends SET seq = 0",
      "DELETE FROM @.appends",
      "DELETE FROM @.lines",
      "INSERT INTO @.lines (stream, seq) VALUES (1, 1)",
      "COPY @.events FROM STDIN",
      "ALTER FUNCTION @.put_blob(bytea) SECURITY INVOKER",
    ])
      await expect(agent.query(sql), sql).rejects.toMatchObject({
        problem: { code: "store-rights" },
      });
    await agent.close();
  });

  test("it records nothing but a line that follows and can be read", async () => {
    const agent = openDatabase(readTarget(room.agent, {}), { env: {} });
    const head = await appendMany(journal, "follows", ["a"]);
    const [row] = await agent.query("SELECT id FROM @.streams WHERE name = '\"follows\"'");
    const id = row?.["id"];
    const good = [id, "2", head.hash, '"b"', '"try"', '"at"', "{}"];
    const but = (at: number, value: unknown): unknown[] => good.with(at, value);
    const append = async (values: readonly unknown[], hash = hashOf(values)): Promise<unknown> =>
      await agent.query(APPEND, [...values, hash]);
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
      but(6, '{\n"a":1}'),
      but(0, -1),
      but(0, 999_999_999),
      but(0, null),
      but(1, "0"),
      but(1, "1"),
      but(1, "3"),
      but(1, "-1"),
      but(2, GENESIS.hash),
      but(2, `${head.hash}","x":"`),
      [999_999_999, "1", GENESIS.hash, ...good.slice(3)],
      [id, "1", GENESIS.hash, ...good.slice(3)],
    ])
      await expect(append(values), JSON.stringify(values)).rejects.toMatchObject({
        problem: { code: expect.stringMatching(/^store-(?:duplicate|failed)$/) },
      });
    await expect(append(good, GENESIS.hash)).rejects.toThrow(/check option/);
    await expect(
      agent.query(APPEND.replace("hashtextextended($4, 0)", "7"), [...good, hashOf(good)]),
    ).rejects.toThrow(/check option/);
    for (const past of ["ON CONFLICT DO NOTHING", "RETURNING seq"])
      expect(
        await agent
          .query(`${APPEND} ${past}`, [...but(1, "1"), hashOf(but(1, "1"))])
          .catch(() => []),
      ).toEqual([]);
    await expect(begin(agent, '"new"', '"other"')).rejects.toThrow(/not that of the name/);
    // Nor can a list be told of records that are not there.
    for (const [seq, hash] of [
      [9, head.hash],
      [1, GENESIS.hash],
    ])
      await agent.query("SELECT @.tell($1, $2, $3, 'at', 'fold', '{}')", [id, seq, hash]);
    expect(await journal.verify("follows")).toMatchObject({ records: 1 });
    expect((await journal.verify("follows")).damage).toBeUndefined();
    await append(good);
    expect(await journal.load("follows")).toMatchObject({ head: { seq: 2 } });
    await agent.close();
  });

  test("objects of its own in front of ours change nothing", async () => {
    const agent = openDatabase(readTarget(room.agent, {}), { env: {} });
    await agent.alone(async (client) => {
      await client.query("CREATE TEMP TABLE streams AS SELECT 1 AS id");
      await client.query("CREATE TEMP TABLE events AS SELECT 1 AS id");
      await client.query("SET search_path = pg_temp, public");
      const query: Database["query"] = async (sql, values) =>
        (await client.query(sql.replaceAll("@", room.schema), values)).rows;
      const hash = await begin({ query }, '"temp"');
      const [row] = await query("SELECT id FROM @.streams WHERE name = '\"temp\"'");
      const next = [row?.["id"], "2", hash, '"b"', '"try"', '"at"', "{}"];
      await query(APPEND, [...next, hashOf(next)]);
    });
    await agent.close();
    expect(await journal.verify("temp")).toMatchObject({ records: 2 });
  });
});
