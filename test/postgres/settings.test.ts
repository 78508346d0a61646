/** Settings of a role, a database or a server that are not ours: none of them changes what is recorded or read. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBlobs } from "../../src/adapters/store/postgres/blobs.ts";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import { migrate } from "../../src/adapters/store/postgres/migrate.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { appendNext, entry, ids } from "../conformance/journal.ts";
import { makeRoom, openJournal, serverUrl } from "./harness.ts";
import type { Room } from "./harness.ts";

let room: Room;
beforeAll(async () => {
  room = await makeRoom();
});
afterAll(async () => await room.remove());

const HOSTILE = "quote ' back \\ slash \\' line\n\u0000 \ud800 é 語 $$ $1 \\x41";

const SETTINGS = [
  "default_transaction_isolation=serializable",
  "default_transaction_isolation=repeatable\\ read",
  "synchronous_commit=off",
  "standard_conforming_strings=off",
  "backslash_quote=off",
  "bytea_output=escape",
  "TimeZone=Asia/Kathmandu",
  "DateStyle=German",
  "IntervalStyle=sql_standard",
  "extra_float_digits=-15",
  "client_encoding=LATIN1",
  "search_path=pg_temp",
  "plan_cache_mode=force_custom_plan",
  "enable_indexscan=off",
  "default_transaction_deferrable=on",
  "plpgsql.extra_errors=all",
  "idle_in_transaction_session_timeout=1",
];

describe("whatever a session is set to", () => {
  test.each(SETTINGS)("%s: records and reads as ever", async (setting) => {
    const name = `set ${setting} ${HOSTILE}`;
    const url = `${room.agent}&options=${encodeURIComponent(`-c ${setting}`)}`;
    const dirs = ["one", "two"].map((one) => join(room.dir, encodeURIComponent(setting), one));
    const both = await Promise.all(dirs.map(async (dir) => await openJournal(url, dir)));
    const made = await Promise.all(
      both.flatMap((journal, at) =>
        ids(`${at}.`, 6).map(
          async (id) => await appendNext(journal, name, entry(id, `${id} ${HOSTILE}`)),
        ),
      ),
    );
    expect(made.map(({ kind }) => kind)).toEqual(made.map(() => "appended"));
    const [one] = both;
    expect(await one?.append(name, { seq: 0, hash: "0".repeat(64) }, entry("0.1"))).toMatchObject({
      kind: "repeated",
      record: { body: { value: `0.1 ${HOSTILE}` } },
    });
    const plain = await openJournal(room.agent, join(room.dir, encodeURIComponent(setting), "3"));
    const report = await plain.verify(name);
    expect(report).toMatchObject({ records: 12 });
    expect(report.damage).toBeUndefined();
    expect(await one?.read(name)).toEqual(await plain.read(name));
    expect(await one?.list()).toEqual(await plain.list());
    const database = openDatabase(readTarget(url, {}), { env: {} });
    const bytes = Buffer.from(Array.from({ length: 300 }, (_one, n) => n % 256));
    const blobs = createBlobs(database);
    expect(await blobs.get(await blobs.put(bytes))).toEqual({ kind: "found", bytes });
    await database.close();
    await Promise.all([...both, plain].map(async (journal) => await journal.close()));
  });

  test("a database that cannot hold every text is refused before anything is made in it", async () => {
    await room.database.query(
      "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'",
    );
    const url = serverUrl().replace(/\/postgres$/, "/ascii");
    const database = openDatabase(readTarget(url, {}), { env: {} });
    await expect(migrate(database, { project: "test" })).rejects.toMatchObject({
      problem: { code: "store-encoding" },
    });
    expect(
      await database.query("SELECT FROM pg_namespace WHERE nspname = 'holdpoint'"),
    ).toHaveLength(0);
    await database.close();
    await room.database.query("DROP DATABASE ascii");
  });
});
