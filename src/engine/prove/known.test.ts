/** What a proof hands on: which records may need a person's proof, which were judged before, and which not at all. */
import { describe, expect, test } from "vitest";
import { ADA, BOT, press } from "../../../test/press.ts";
import type { Press } from "../../../test/press.ts";
import type { Event } from "../../core/state/events.ts";
import type { JsonObject } from "../../core/values/json.ts";
import type { Head } from "../../ports/journal.ts";
import { proveFrom } from "./onward.ts";
import { prove } from "./prove.ts";
import type { Proof } from "./prove.ts";
import { keepState, SHORT } from "./recorded.ts";

const NOTE: JsonObject = { type: "note.added", list: "timeline", tag: "", text: "" };

async function append(it: Press, more: JsonObject, at = it.parts.clock.now()): Promise<void> {
  const { head } = await it.parts.journal.load("press:x");
  const body = {
    command: "note.add",
    actor: "person:ada",
    session: "s",
    used: {},
    events: [NOTE],
    ...more,
  };
  await it.parts.journal.append("press:x", head, { id: `more-${String(head.seq)}`, at, body });
}

const proof = async (it: Press): Promise<Proof> => await prove(it.parts, "press:x", it.family);

describe("words", () => {
  test("are the records of people, and those in which one is released", async () => {
    const it = await press();
    await append(it, {});
    await append(it, { actor: "agent:bot" });
    await append(it, { actor: "personal:bot" });
    await append(it, { actor: 7 });
    const given = {
      type: "release.given",
      nonce: "n",
      gate: "g",
      hold: "",
      choice: "c",
      strength: "word",
    };
    const released = { ...given, by: "person:ada", card: "", expires: "" };
    await append(it, { actor: "agent:bot", events: [NOTE, released] });
    const { words } = await proof(it);
    expect(words.map(({ record }) => record.seq)).toEqual([1, 2, 6]);
    expect(words[1]?.before.seq).toBe(1);
  });

  test("come with the latest date before them", async () => {
    const it = await press();
    const [first] = await it.parts.journal.read("press:x");
    await append(it, { actor: "agent:bot" }, "2026-05-01T00:00:00.000Z");
    await append(it, {}, "2026-04-01T00:00:00.000Z");
    await append(it, {}, "2026-06-01T00:00:00.000Z");
    const all = (await proof(it)).words.map(({ latest }) => latest);
    const may = "2026-05-01T00:00:00.000Z";
    expect(all).toEqual(["", may, may]);
    expect(first?.seq).toBe(1);
  });
});

describe("what was judged before", () => {
  test("is not judged again from a record on that keeps what came before it, and is known by its hash", async () => {
    const it = await press();
    await append(it, { command: "odd", events: [] });
    for (let left = SHORT; left > 0; left -= 1) await append(it, {});
    const before = await it.parts.journal.load("press:x");
    const wanted = { type: "effect.wanted", args: { savepoint: "" } } as unknown as Event;
    await append(it, await keepState(it.parts.blobs, before, [wanted]));
    const { seq, hash } = (await it.parts.journal.load("press:x")).head;
    await append(it, {});
    expect((await proof(it)).forged.map((one) => one.seq)).toEqual([2]);
    const from = async (known: Head): Promise<Proof | undefined> =>
      await proveFrom(it.parts, "press:x", { family: it.family, known });
    const onward = await from({ seq, hash });
    expect(onward?.forged).toEqual([]);
    expect(onward?.words.map(({ record }) => record.seq)).toEqual([seq + 1]);
    expect(onward?.state.seq).toBe(seq + 1);
    expect(await from({ seq, hash: "other" })).toBeUndefined();
    expect(await from({ seq: seq - 1, hash: before.head.hash })).toBeUndefined();
    expect(await from({ seq: seq + 9, hash })).toBeUndefined();
  });

  test("is not the same as what another build has decided", async () => {
    const it = await press();
    await append(it, { guards: "another" });
    await append(it, {});
    expect([...(await proof(it)).unjudged]).toEqual([2]);
    const family = { ...it.family, protocol: { ...it.family.protocol, version: 9 } };
    const foreign = await prove(it.parts, "press:x", family);
    expect([...foreign.unjudged]).toEqual([1, 2, 3]);
  });
});

test("the runs of a journal are when it began, each time", async () => {
  const it = await press();
  await it.move("do", ADA);
  const { startedAt } = await it.state();
  expect([...(await proof(it)).seen.runs]).toEqual(["", startedAt]);
  await it.move("stop", BOT);
  expect((await proof(it)).state.startedAt).toBe(startedAt);
});
