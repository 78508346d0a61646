/** Moving house through the built program: everything arrives, one store counts, and an interruption is repeated. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { openFiles } from "../../src/adapters/store/move/embedded.ts";
import type { House } from "../../src/adapters/store/move/house.ts";
import { move } from "../../src/adapters/store/move/move.ts";
import type { Moved } from "../../src/adapters/store/move/move.ts";
import type { Head, Journal } from "../../src/ports/journal.ts";
import { openServer } from "../../src/adapters/store/move/postgres.ts";
import { openEmbeddedJournal } from "../../src/adapters/store/embedded/embedded.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { readdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listedIn } from "../../src/adapters/store/watches.ts";
import { heldIn } from "../../src/compose/hook.ts";
import { appendMany, entry, ids, tallyFold } from "../conformance/journal.ts";
import type { Tally } from "../conformance/journal.ts";
import { repository, tamper } from "../e2e/cli.ts";
import type { Reply } from "../e2e/cli.ts";
import { evilCommit, expectStopped, install, tryGit } from "../e2e/fence.ts";
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
    // What hooks were told of the old store is not believed: its files would look fresh for ever.
    const dir = join(desk.top, ".git", "holdpoint");
    writeFileSync(join(dir, "watch.json"), freshWatch(dir));
    utimesSync(join(dir, "watch.json"), 1, 1);
    const near = { dir, top: desk.top, own: [dir] };
    expect(heldIn(near).kind).toBe("stale");
    renameSync(join(dir, "moved.json"), join(dir, "aside"));
    expect(heldIn(near).kind).toBe("watch");
    renameSync(join(dir, "aside"), join(dir, "moved.json"));

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

  test("where a fence is up, the address is committed first, and the hook asks the new store afterwards", () => {
    const { owner, agent } = addresses();
    const desk = repository();
    desk.hold("start TapeDelay --protocol plugin-workflow");
    install(desk);
    const move = (to: string): Reply => desk.hold(["store", "move", "--to", to, "--url", owner]);
    expect(move("postgres").json.error).toMatchObject({ code: "store-move-fenced" });
    expect(desk.hold("list").exit).toBe(0);
    const url = agent.replace(`:${AGENT.password}`, "");
    const env = { PGPASSWORD: AGENT.password };
    const open = (branch: string): void => {
      desk.git("switch", "--quiet", "main");
      const opened = desk.hold(["fence", "open", "main", branch, "--reason", "the store moves"], {
        env,
      });
      expect(opened.exit, opened.stdout).toBe(0);
    };
    desk.git("switch", "--quiet", "--create", "address");
    desk.write("holdpoint.config.json", JSON.stringify({ store: { postgres: url } }));
    desk.git("add", "holdpoint.config.json");
    desk.git("commit", "--quiet", "--message", "address");
    open("address");
    desk.git("merge", "--quiet", "--ff-only", "address");
    expect(move("postgres").json).toMatchObject({ ok: true, fenced: true });
    expect(desk.hold(["store", "setup", "--url", owner, "--role", AGENT.name]).exit).toBe(0);
    const again = desk.hold("fence install", { env });
    expect(again.json).toMatchObject({ up: true, problems: [] });
    expect(move("embedded").json.error).toMatchObject({ code: "store-move-fenced" });
    const evil = evilCommit(desk);
    expectStopped(desk, () => tryGit(desk, ["update-ref", "refs/heads/main", evil], desk.top, env));
    desk.git("branch", "meant", evil);
    open("meant");
    expect(tryGit(desk, ["update-ref", "refs/heads/main", evil], desk.top, env)).toMatchObject({
      exit: 0,
    });
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
  const head = async (stream: string): Promise<Head> => (await files.verify(stream)).head;
  const there = await interruptedMove(files, server, async () => {
    expect(await journal.append("w", await head("w"), entry("late"))).toMatchObject({
      code: "moved",
    });
    await expectAway(journal, "store-moved", "PostgreSQL at");
    // Half of it is not the truth either.
    await expect(openJournal(room.agent, join(room.dir, "early"))).rejects.toThrow(
      /^store-arriving: .*from the files in/,
    );
  });
  expect(there).toMatchObject({ streams: 5, records: 4_802 });
  const shared = await openJournal(room.agent, join(room.dir, "moved"));
  for (const stream of [...odd, "large"])
    expect((await shared.verify(stream)).head).toEqual(await head(stream));
  expect((await shared.read("large"))[1]).toMatchObject(entry("b", "y".repeat(400_000)));
  await appendMany(shared, "w", ids("later", 700));
  const { head: now } = await shared.load("w");
  const back = await interruptedMove(server, files, async () => {
    await expect(shared.append("w", now, entry("late"))).rejects.toMatchObject({
      problem: { code: "store-moved" },
    });
    await expectAway(shared, "store-moved", "the files in");
    await expect(openJournal(room.agent, join(room.dir, "late"))).rejects.toThrow(/^store-moved: /);
  });
  expect(back).toMatchObject({ streams: 5, records: 5_502 });
  expect((await journal.load("w")).head).toMatchObject({ seq: 1_900 });
  await shared.close();
  await files.close();
});

/** Whoever had it open when it was moved away reads nothing from it as the truth, and is told where that is. */
async function expectAway(journal: Journal<Tally>, code: string, where: string): Promise<void> {
  const problem = { code, message: expect.stringContaining(where) };
  await expect(journal.load("w")).rejects.toMatchObject({ problem });
  await expect(journal.list()).rejects.toMatchObject({ problem });
  await expect(journal.read("w")).rejects.toMatchObject({ problem });
}

/** A watch that was made from the journals as they lie there. */
function freshWatch(dir: string): string {
  const journals = readdirSync(join(dir, "journals")).filter((name) => name.endsWith(".jsonl"));
  const made = journals.map((name) => {
    const { size } = statSync(join(dir, "journals", name));
    return [name.replace(/\.jsonl$/, ""), { size }];
  });
  return JSON.stringify({
    format: 1,
    own: [dir],
    roles: [],
    places: [],
    cites: {},
    made: Object.fromEntries(made),
    listed: listedIn(dir),
  });
}

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
