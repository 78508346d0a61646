/** Moving house through the built program: everything arrives, one store counts, and an interruption is repeated. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { openFiles } from "../../src/adapters/store/move/embedded.ts";
import type { House } from "../../src/adapters/store/move/house.ts";
import { move } from "../../src/adapters/store/move/move.ts";
import type { Moved } from "../../src/adapters/store/move/move.ts";
import type { Head } from "../../src/ports/journal.ts";
import { openServer } from "../../src/adapters/store/move/postgres.ts";
import { openEmbeddedJournal } from "../../src/adapters/store/embedded/embedded.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { join } from "node:path";
import { appendMany, entry, ids, tallyFold } from "../conformance/journal.ts";
import { repository, tamper } from "../e2e/cli.ts";
import { AGENT, makeRoom, openJournal, serverUrl } from "./harness.ts";
import type { Room } from "./harness.ts";

let made = 0;
const databases: Database[] = [];
/** The address of a schema that is not there yet, for its owner and for an agent. */
function addresses(): {
  readonly owner: string;
  readonly agent: string;
  readonly database: Database;
} {
  made += 1;
  const owner = `${serverUrl()}?schema=moved_${process.pid}_${made}`;
  const agent = owner.replace(/\/\/[^@]*@/, `//${AGENT.name}:${AGENT.password}@`);
  const database = openDatabase(readTarget(owner, {}), { env: {} });
  databases.push(database);
  return { owner, agent, database };
}
let room: Room;
beforeAll(async () => {
  room = await makeRoom();
});
afterAll(async () => {
  for (const database of databases) {
    await database.query(`DROP SCHEMA IF EXISTS "${database.target.schema}" CASCADE`);
    await database.close();
  }
  await room.remove();
});

describe("holdpoint store", () => {
  test("there and back: the same chains, and the old store refuses and says where the truth is", () => {
    const { owner, agent } = addresses();
    const desk = repository();
    expect(desk.hold("start TapeDelay --protocol plugin-workflow").exit).toBe(0);
    expect(desk.hold("start Chorus --protocol plugin-workflow").exit).toBe(0);
    const env = { HOLDPOINT_STORE: agent };
    expect(desk.hold("list", { env }).json.error).toMatchObject({ code: "store-not-moved" });
    expect(
      desk.hold(["store", "move", "--to", "postgres", "--url", agent]).json.error,
    ).toMatchObject({ code: "store-rights", fix: expect.stringContaining("--url") });
    expect(desk.hold("list").json.workflows).toHaveLength(2);
    expect(desk.hold("advance TapeDelay").exit).toBe(10);
    expect(desk.hold("audit TapeDelay").json.refusals).toHaveLength(1);
    expect(
      desk.hold(["store", "setup", "--url", owner, "--role", "nobody_here"]).json.error,
    ).toMatchObject({ code: "store-role" });
    expect(desk.hold(["store", "setup", "--url", owner, "--role", AGENT.name]).json).toMatchObject({
      ok: true,
      applied: expect.arrayContaining(["journal"]),
    });
    expect(desk.hold(["store", "setup", "--url", owner, "--role", AGENT.name]).json).toMatchObject({
      ok: true,
      applied: [],
    });
    const there = desk.hold(["store", "move", "--to", "postgres", "--url", owner]);
    expect(there.json).toMatchObject({ ok: true, streams: 2, records: 2, copied: 2 });
    expect(there.stdout).not.toContain("loopback");
    const again = desk.hold(["store", "move", "--to", "postgres", "--url", owner]);
    expect(again.json).toMatchObject({ ok: true, records: 2, copied: 0 });

    const old = desk.hold("list");
    expect(old.exit).toBe(1);
    expect(old.json.error).toMatchObject({
      code: "store-moved",
      message: expect.stringContaining("PostgreSQL at 127.0.0.1"),
    });
    expect(desk.hold("start Third --protocol plugin-workflow").json.error).toMatchObject({
      code: "store-moved",
    });
    expect(desk.hold("list", { env }).json.workflows).toHaveLength(2);
    expect(desk.hold("audit TapeDelay", { env }).json.refusals).toHaveLength(1);
    expect(desk.hold("advance Chorus", { env }).exit).toBe(10);
    expect(desk.hold("start Phaser --protocol plugin-workflow", { env }).exit).toBe(0);
    expect(desk.hold("verify --all", { env }).json.ok).toBe(true);

    const back = desk.hold(["store", "move", "--to", "embedded", "--url", owner]);
    expect(back.json).toMatchObject({ ok: true, streams: 3, records: 3, copied: 1 });
    expect(desk.hold("list").json.workflows).toHaveLength(3);
    expect(desk.hold("audit Phaser").json.chain).toMatchObject({ records: 1 });
    for (const id of ["TapeDelay", "Chorus"])
      expect(desk.hold(["audit", id]).json.refusals, id).toHaveLength(1);
    const shut = desk.hold("start Fourth --protocol plugin-workflow", { env });
    expect(shut.exit).toBe(1);
    expect(shut.json.error).toMatchObject({ code: "store-not-moved" });
    expect(desk.hold("start Fourth --protocol plugin-workflow").exit).toBe(0);
    expect(desk.hold(["store", "move", "--to", "postgres", "--url", owner]).json).toMatchObject({
      ok: true,
      streams: 4,
      copied: 1,
    });
    expect(desk.hold("list", { env }).json.workflows).toHaveLength(4);
  });

  test("a clone whose workflow is another one under the same name is refused, and nothing changes", () => {
    const { owner } = addresses();
    const [one, other] = [repository(), repository()];
    for (const desk of [one, other]) desk.hold("start TapeDelay --protocol plugin-workflow");
    const to = `${owner}&project=shared`;
    expect(one.hold(["store", "move", "--to", "postgres", "--url", to]).json).toMatchObject({
      ok: true,
    });
    expect(other.hold(["store", "move", "--to", "postgres", "--url", to]).json.error).toMatchObject(
      { code: "store-move-differs" },
    );
    expect(other.hold("list").json.workflows).toHaveLength(1);
  });

  test("agents move nothing, words that are wrong are told, and a store is examined", () => {
    const { owner } = addresses();
    const desk = repository();
    const env = { CLAUDECODE: "1" };
    expect(
      desk.hold(["store", "move", "--to", "postgres", "--url", owner], { env }).json.error,
    ).toMatchObject({ code: "people-only" });
    for (const words of [
      "store move",
      "store move --to mars",
      "store fly",
      "store setup --speed 9",
    ])
      expect(desk.hold(words).exit, words).toBe(2);
    expect(desk.hold("store setup").json.error).toMatchObject({ code: "store-not-named" });
    expect(desk.hold("doctor store").json).toMatchObject({ ok: true });
    const url = ["--url", room.agent];
    const readOnly = `${room.agent}&options=-c%20default_transaction_read_only%3Don`;
    for (const [address, check] of [
      [readOnly, "writes"],
      [room.agent.replace("&project=test", ""), "project"],
    ] as const) {
      const { exit, json } = desk.hold(["doctor", "store", "--url", address]);
      expect(exit, check).toBe(1);
      expect(Reflect.get(json, "checks"), check).toContainEqual(
        expect.objectContaining({ check, state: "failed" }),
      );
    }
    const checked = desk.hold(["doctor", "store", ...url]);
    expect(checked.json).toMatchObject({ ok: true });
    for (const said of ["PostgreSQL 1", "as agent", "on the disk", "cannot change or remove"])
      expect(checked.stdout).toContain(said);
    expect(desk.hold(["doctor", "store", "--url", room.admin]).stdout).toContain(
      "could rewrite events",
    );
    expect(desk.hold(["doctor", "store", "--url", owner]).json.error).toMatchObject({
      code: "store-not-set-up",
    });
    expect(desk.hold("doctor store --url postgresql://127.0.0.1:1/x").json.error).toMatchObject({
      code: "store-unreachable",
    });
  });

  test("[S5] a damaged journal is not moved, and named", () => {
    const { owner } = addresses();
    const desk = repository();
    tamper(desk);
    desk.hold("start TapeDelay --protocol plugin-workflow");
    const file = ".git/holdpoint/journals/plugin-workflow%3a%54ape%44elay.jsonl";
    desk.edit(file, (text) => text.replace("TapeDelay", "TapeDelaz"));
    expect(
      desk.hold(["store", "move", "--to", "postgres", "--url", owner]).json.error,
    ).toMatchObject({ code: "store-move-damaged" });
  });
});

test("[S1] interrupted anywhere, both ways, with large records and odd names: repeated, it is whole", async () => {
  const dir = join(room.dir, "files");
  const opened = await openEmbeddedJournal({ dir, fold: tallyFold });
  if (opened.kind === "refused") throw new Error(opened.message);
  const odd = ["w", "nul\0byte", "x".repeat(300), "half \ud83d"];
  const { journal } = opened;
  for (const stream of odd) await appendMany(journal, stream, ids("a", 1_200));
  await appendMany(journal, "large", ["a"]);
  const large = await journal.load("large");
  await journal.append("large", large.head, entry("b", "y".repeat(400_000)));
  const files = await openFiles(dir);
  const server = openServer(room.database, join(room.dir, "none"));
  const head = async (stream: string): Promise<Head> => (await journal.load(stream)).head;
  const there = await interruptedMove(files, server, async () => {
    expect(await journal.append("w", await head("w"), entry("late"))).toMatchObject({
      code: "moved",
    });
  });
  expect(there).toMatchObject({ streams: 5, records: 4_802 });
  const shared = await openJournal(room.agent, join(room.dir, "moved"));
  for (const stream of [...odd, "large"])
    expect((await shared.verify(stream)).head).toEqual(await head(stream));
  expect((await shared.read("large"))[1]).toMatchObject(entry("b", "y".repeat(400_000)));
  await appendMany(shared, "w", ids("later", 700));
  const back = await interruptedMove(server, files, async () => {
    const { head: now } = await shared.load("w");
    await expect(shared.append("w", now, entry("late"))).rejects.toMatchObject({
      problem: { code: "store-moved" },
    });
  });
  expect(back).toMatchObject({ streams: 5, records: 5_502 });
  expect(await head("w")).toMatchObject({ seq: 1_900 });
  await shared.close();
  await files.close();
});

/** Broken off after every other page, until it comes through. */
async function interruptedMove(
  from: House,
  to: House,
  meanwhile: () => Promise<void>,
): Promise<Moved> {
  for (let interruptions = 0; interruptions < 100; interruptions += 1) {
    let left = interruptions === 0 ? 0 : 2;
    const add: House["add"] = async (stream, records) => {
      left -= 1;
      if (left < 0) throw new Error("interrupted");
      await to.add(stream, records);
    };
    const moved = await move(from, { ...to, add }).catch((error: unknown) => String(error));
    if (typeof moved !== "string") return moved;
    if (!moved.endsWith("interrupted")) throw new Error(moved);
    await meanwhile();
  }
  throw new Error("it never comes through");
}
