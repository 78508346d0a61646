/** What is shared beside the journal: blobs, refusals, signs of life, who has an effect, and what wakes. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPostgres } from "../../src/adapters/store/postgres/open.ts";
import { createBlobs } from "../../src/adapters/store/postgres/blobs.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { createHolders } from "../../src/adapters/store/postgres/holders.ts";
import { createRefusals } from "../../src/adapters/store/postgres/refusals.ts";
import { createSessions } from "../../src/adapters/store/postgres/sessions.ts";
import type { Bell } from "../../src/adapters/store/postgres/wakes.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { appendMany, ids, tallyFold } from "../conformance/journal.ts";
import type { Tally } from "../conformance/journal.ts";
import { makeRoom } from "./harness.ts";
import type { Room } from "./harness.ts";

let room: Room;
let opened: { readonly journal: Journal<Tally>; readonly database: Database; readonly bell: Bell };
beforeEach(async () => {
  room = await makeRoom();
  opened = await open();
});
afterEach(async () => {
  await opened.journal.close();
  await room.remove();
});

async function open(): Promise<typeof opened> {
  const clone = { dir: room.dir, readOnly: false, projects: async () => [] };
  const answer = await openPostgres({ url: room.agent, env: {}, fold: tallyFold, clone });
  if (answer.kind === "refused") throw new Error(answer.message);
  return answer;
}

describe("blobs", () => {
  test("[S1] bytes come back under their digest; the same again is one", async () => {
    const blobs = createBlobs(opened.database);
    for (const bytes of [Buffer.alloc(0), Buffer.from([0, 255, 10]), Buffer.alloc(300_000, 7)]) {
      const hex = await blobs.put(bytes);
      expect(await blobs.put(bytes)).toBe(hex);
      expect(await blobs.get(hex)).toEqual({ kind: "found", bytes });
    }
    expect(await blobs.get("../x")).toEqual({ kind: "absent" });
    expect(await blobs.get("0".repeat(64))).toEqual({ kind: "absent" });
    await expect(blobs.put(Buffer.alloc(65 * 1024 * 1024))).rejects.toThrow(RangeError);
  });

  test("[S5] a changed one is named, and mended by whoever has the right bytes", async () => {
    const blobs = createBlobs(opened.database);
    for (const text of ["short", "long".repeat(10_000)]) {
      const hex = await blobs.put(text);
      await room.database.query("UPDATE @.blobs SET bytes = 'x' WHERE hash = $1", [hex]);
      expect(await blobs.get(hex)).toMatchObject({ kind: "damaged" });
      await blobs.put(text);
      expect(await blobs.get(hex)).toMatchObject({ kind: "found" });
    }
  });
});

test("refusals are kept for each stream, a thousand of them, and never larger than they may be", async () => {
  const refusals = createRefusals(opened.database);
  const entry = {
    at: "2026-01-01T00:00:00.000Z",
    stream: "w\0",
    command: "unit.move",
    step: "go",
    actor: "agent:a",
    session: "s",
    refusals: [{ code: "no", message: "no", fix: "do", rule: "core" }],
  };
  for (const step of ids("", 1_010)) await refusals.add({ ...entry, step });
  await refusals.add({ ...entry, stream: "other", step: "x".repeat(1_000_000) });
  const kept = await refusals.read("w\0");
  expect(kept).toHaveLength(1_000);
  expect(kept.at(-1)).toEqual({ ...entry, step: "1010" });
  expect(await refusals.read("other")).toMatchObject([
    { stream: "other", refusals: [{ code: "no" }] },
  ]);
});

describe("signs of life, by the server's clock", () => {
  const at = (boot: string | undefined, machine: string) =>
    createSessions(opened.database, { bootId: () => boot }, () => machine);
  const age = async (minutes: number): Promise<void> => {
    await room.database.query(`UPDATE @.beats SET at = at - interval '${minutes} minutes'`);
  };

  test("alive, then quiet; of another machine nothing is proven but its silence", async () => {
    const [here, there] = [at("b1", "m1"), at("b2", "m2")];
    expect(await there.liveness("s")).toMatchObject({ kind: "unknown" });
    await here.beat("s");
    expect(await here.liveness("s")).toMatchObject({ kind: "alive" });
    expect(await there.liveness("s")).toMatchObject({ kind: "alive", why: /another machine/ });
    await age(31);
    expect(await here.liveness("s")).toMatchObject({ kind: "quiet" });
    expect(await there.liveness("s")).toMatchObject({
      kind: "quiet",
      why: /31 minutes, on another/,
    });
    await here.beat("s");
    expect(await there.liveness("s")).toMatchObject({ kind: "alive" });
  });

  test("dead is one of this machine from before it was restarted, and no other", async () => {
    await at("b1", "m1").beat("s");
    expect(await at("b2", "m1").liveness("s")).toMatchObject({ kind: "dead" });
    expect(await at("b2", "m2").liveness("s")).toMatchObject({ kind: "alive" });
    expect(await at(undefined, "m1").liveness("s")).toMatchObject({ kind: "alive" });
  });
});

test("of two machines that take an effect over one gets it; a dead taker is followed; settled it is forgotten", async () => {
  const holders = createHolders(opened.database, () => undefined);
  const second = await open();
  const other = createHolders(second.database, () => undefined);
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-1");
  const taken = await Promise.all([
    holders.take("w E-1 4", "p-1", "p-2"),
    other.take("w E-1 4", "p-1", "p-3"),
  ]);
  expect(taken.filter(Boolean)).toHaveLength(1);
  const holder = taken[0] ? "p-2" : "p-3";
  expect(await other.of("w E-1 4", "p-1")).toBe(holder);
  expect(await other.take("w E-1 4", holder, "p-4")).toBe(true);
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-4");
  expect(await holders.of("w E-2 4", "p-1")).toBe("p-1");
  await holders.keep("w E-1 4", { base: "one" });
  await other.keep("w E-1 4", { base: "two" });
  expect(await holders.recall("w E-1 4")).toEqual({ base: "two" });
  await holders.take("w E-1 4", "p-4", "p-1");
  expect(await holders.of("w E-1 4", "p-1")).toBe("");
  await holders.forget("w E-1 4");
  expect(await holders.of("w E-1 4", "p-1")).toBe("p-1");
  expect(await holders.recall("w E-1 4")).toBeUndefined();
  await second.journal.close();
});

test("whoever waits is woken by an append of another, long before the time is over", async () => {
  const second = await open();
  const wake = second.bell.open();
  const never = new AbortController().signal;
  await wake.wait(10_000, never);
  const begun = Date.now();
  const woken = wake.wait(20_000, never);
  await appendMany(opened.journal, "w", ids("a", 5));
  await opened.bell.rung();
  await woken;
  expect(Date.now() - begun).toBeLessThan(10_000);
  wake.close();
  await second.journal.close();
});
