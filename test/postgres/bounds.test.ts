/** What one role can write for everybody is bounded by the server, past whatever client it uses. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LINE_BYTES_MAX, encodeLine } from "../../src/adapters/store/embedded/line.ts";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database, Row } from "../../src/adapters/store/postgres/database.ts";
import { nameOf } from "../../src/adapters/store/postgres/lines.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { GENESIS } from "../../src/ports/journal.ts";
import { makeRoom, openJournal } from "./harness.ts";
import type { Room } from "./harness.ts";

let room: Room;
let agent: Database;
beforeAll(async () => {
  room = await makeRoom();
  agent = openDatabase(readTarget(room.agent, {}), { env: {} });
});
afterAll(async () => {
  await agent.close();
  await room.remove();
});

const KEY = nameOf("x").key;
const long = (length: number): string => "x".repeat(length);

async function begin(stream: string, body: string): Promise<readonly Row[]> {
  const { key, name } = nameOf(stream);
  const { said, record } = encodeLine(GENESIS, { id: "a", at: "at", body: { text: body } });
  const values = [key, name, said.id, said.try, said.at, said.body, record.hash];
  return await agent.query("SELECT @.begin_stream($1, $2, $3, $4, $5, $6, $7)", values);
}

describe("the server keeps nothing that is larger than it may be", () => {
  test("a line: the longest that the files take, and nothing longer", async () => {
    const empty = encodeLine(GENESIS, { id: "a", at: "at", body: { text: "" } }).bytes.length;
    // The number at the end of `try` grows with each line that is made.
    const most = LINE_BYTES_MAX - empty - 8;
    await begin("the longest", long(most));
    await expect(begin("too long", long(most + 9))).rejects.toThrow(/check option/);
    const journal = await openJournal(room.agent, room.dir);
    expect(await journal.verify("the longest")).toMatchObject({ records: 1 });
    await journal.close();
  });

  const TOO_LARGE: readonly (readonly [what: string, sql: string, values: readonly unknown[]])[] = [
    ["a blob", "SELECT @.put_blob(convert_to(repeat('x', $1), 'UTF8'))", [64 * 1024 * 1024 + 1]],
    ["a refusal", "SELECT @.note_refusal($1, $2)", [KEY, long(65_537)]],
    ["a refusal of nothing", "SELECT @.note_refusal($1, $2)", [long(5_000), "{}"]],
    ["a session", "SELECT @.beat($1, 'machine', 'boot')", [long(5_000)]],
    ["a machine", "SELECT @.beat($1, $2, 'boot')", [KEY, long(1_001)]],
    ["a boot", "SELECT @.beat($1, 'machine', $2)", [KEY, long(1_001)]],
    ["a process", "SELECT @.take_effect($1, $1, $2)", [KEY, long(4_001)]],
    ["an effect", "SELECT @.take_effect($1, $2, 'p')", [long(65), KEY]],
    ["what was seen", "SELECT @.keep_attempt($1, $2)", [KEY, long(1_000_001)]],
    ["an attempt", "SELECT @.keep_attempt($1, '{}')", [long(65)]],
  ];

  test.each(TOO_LARGE)("%s", async (_what, sql, values) => {
    await expect(agent.query(sql, values)).rejects.toMatchObject({
      problem: { code: "store-bounds" },
    });
  });

  test("the name of a journal, and what lists say of one", async () => {
    await expect(begin(long(8_200), "")).rejects.toMatchObject({
      problem: { code: "store-bounds" },
    });
    await begin("told", "");
    const [row] = await agent.query(
      `SELECT e.stream, e.hash FROM @.events e JOIN @.streams s ON s.id = e.stream
       WHERE s.key = $1 AND e.seq = 1`,
      [nameOf("told").key],
    );
    await expect(
      agent.query("SELECT @.tell($1, 1, $2, 'at', 'fold', $3)", [
        row?.["stream"],
        row?.["hash"],
        long(65_537),
      ]),
    ).rejects.toMatchObject({ problem: { code: "store-bounds" } });
  });
});

describe("what comes again and again goes with time", () => {
  const count = async (table: string): Promise<number> =>
    Number((await room.database.query(`SELECT count(*) AS n FROM @.${table}`))[0]?.["n"]);

  test("refusals of one journal, by their size", async () => {
    for (let at = 0; at < 70; at += 1)
      await agent.query("SELECT @.note_refusal($1, $2)", [KEY, long(65_000)]);
    expect(await count("refusals")).toBe(61);
  });

  test("refusals and signs of life, by their number and their age", async () => {
    await room.database.query("TRUNCATE @.refusals, @.beats");
    await room.database.query(
      `INSERT INTO @.refusals (stream, entry) SELECT i::text, '' FROM generate_series(1, 100005) i`,
    );
    await room.database.query(
      `INSERT INTO @.beats (session, machine, at) SELECT i::text, 'm', now() - interval '1 s' * i FROM generate_series(1, 10005) i`,
    );
    await agent.query("SELECT @.tidy()");
    expect([await count("refusals"), await count("beats")]).toEqual([100_000, 10_000]);
    await room.database.query("UPDATE @.beats SET at = at - interval '91 days'");
    await room.database.query("UPDATE @.refusals SET at = at - interval '401 days'");
    await agent.query("SELECT @.tidy()");
    expect([await count("refusals"), await count("beats")]).toEqual([0, 0]);
  });

  test("whoever takes an effect over, a thousand times", async () => {
    const take = async (from: number): Promise<unknown> => {
      const { key } = nameOf(String(from));
      return await agent.query("SELECT @.take_effect($1, $2, 'p')", [KEY, key]);
    };
    for (let at = 0; at < 1_001; at += 1) await take(at);
    await expect(take(1_001)).rejects.toMatchObject({ problem: { code: "store-bounds" } });
  });
});
