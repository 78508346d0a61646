/** Records as they come, after a cursor, each once and in order. */
import { describe, expect, test } from "vitest";
import { ADA, press } from "../../test/press.ts";
import type { Press } from "../../test/press.ts";
import { start } from "./engine.ts";
import { cursorNow, subscribe } from "./subscribe.ts";
import type { Recorded, SubscribeOptions } from "./subscribe.ts";
import type { Json } from "../core/values/json.ts";
import { StoreProblem } from "../ports/problem.ts";

const NOTE = { type: "note.add", list: "timeline", tag: "", text: "n" } as const;

/** The first so many records after a cursor. */
async function first(
  it: Press,
  count: number,
  cursor?: Json,
  options: SubscribeOptions = {},
): Promise<readonly Recorded[]> {
  const told: Recorded[] = [];
  const records = subscribe(it.parts, cursor, options);
  while (told.length < count) {
    const next = await records.next();
    if (next.done === true) return told;
    told.push(next.value);
  }
  await records.return?.();
  return told;
}

describe("a subscriber", () => {
  test("is told every record from the first on, with what it says and where to go on", async () => {
    const it = await press();
    await it.give(NOTE);
    const [one, two] = await first(it, 2);
    expect(one).toMatchObject({
      workflow: "x",
      protocol: "press",
      seq: 1,
      actor: "person:ada",
      session: "human:ada",
      command: "workflow.start",
      events: expect.arrayContaining([expect.objectContaining({ type: "workflow.started" })]),
    });
    expect(one?.cursor).toEqual({ version: 1, seen: { "press:x": 1 } });
    expect(two).toMatchObject({ seq: 2, command: "note.add" });
    const [next] = await first(it, 1, one?.cursor);
    expect(next?.seq).toBe(2);
  });

  test("is told of all workflows, or of one by its name, and nothing twice", async () => {
    const it = await press();
    await start(it.parts, it.family, { id: "y", options: {}, caller: ADA });
    const all = await first(it, 2);
    expect(all.map((one) => one.workflow)).toEqual(["x", "y"]);
    expect(all[1]?.cursor.seen).toEqual({ "press:x": 1, "press:y": 1 });
    for (const workflow of ["y", "press:y"])
      expect(await first(it, 1, undefined, { workflow })).toMatchObject([
        { workflow: "y", seq: 1 },
      ]);
    const now = await cursorNow(it.parts);
    expect(now).toEqual({ version: 1, seen: { "press:x": 1, "press:y": 1 } });
    const later = first(it, 1, now);
    await it.give(NOTE);
    expect(await later).toMatchObject([{ workflow: "x", seq: 2 }]);
  });

  test("ends when it is told to, before anything and in the middle", async () => {
    const it = await press();
    await it.give(NOTE);
    expect(await first(it, 1, undefined, { signal: AbortSignal.abort() })).toEqual([]);
    const stop = new AbortController();
    const records = subscribe(it.parts, undefined, { signal: stop.signal });
    expect((await records.next()).done).toBe(false);
    stop.abort();
    expect((await records.next()).done).toBe(true);
    const returned = subscribe(it.parts, undefined);
    await returned.next();
    expect(await returned.return?.()).toEqual({ value: undefined, done: true });
    expect(returned[Symbol.asyncIterator]()).toBe(returned);
  });

  test.each<[string, Json]>([
    ["a text", "7"],
    ["another version", { version: 2, seen: {} }],
    ["nothing seen", { version: 1 }],
    ["a list", { version: 1, seen: [] }],
    ["a number that is none", { version: 1, seen: { "press:x": "1" } }],
    ["half a record", { version: 1, seen: { "press:x": 1.5 } }],
    ["less than nothing", { version: 1, seen: { "press:x": -1 } }],
    ["one good and one bad", { version: 1, seen: { "press:x": 1, "press:y": null } }],
  ])("with %s for a cursor is told that it is none", async (_, cursor) => {
    const it = await press();
    expect(() => subscribe(it.parts, cursor)).toThrow(/^Cannot go on from .*: it is no cursor/);
    expect(await first(it, 1, { version: 1, seen: { "press:x": 0 } })).toMatchObject([{ seq: 1 }]);
  });
});

/** A store that can be taken away: it answers from a copy, or not at all, and is held up by others. */
function losing(it: Press): {
  parts: Press["parts"];
  lose: (how: "copy" | "error" | "busy" | "no") => void;
} {
  let how = "no";
  const problem = { code: "store-unreachable", message: "It is gone", fix: "Wait." };
  const answer = async <T>(ask: () => Promise<T>, copied: T): Promise<T> => {
    // As with a store that is asked: everybody else has a turn in between.
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    if (how === "error") throw new StoreProblem(problem, true);
    if (how === "busy") throw new StoreProblem({ ...problem, code: "store-busy" });
    return how === "copy" ? copied : await ask();
  };
  const { journal } = it.parts;
  const parts = {
    ...it.parts,
    journal: {
      ...journal,
      list: async () => await answer(journal.list, []),
      read: async (...of: Parameters<typeof journal.read>) =>
        await answer(async () => await journal.read(...of), []),
      away: () => (how === "copy" ? problem : undefined),
    },
  };
  return { parts, lose: (next) => (how = next) };
}

describe("a store that goes away", () => {
  test.each(["copy", "error", "busy"] as const)(
    "(%s) is told once, and told when it is back; then comes what happened meanwhile",
    async (how) => {
      const it = await press();
      const { parts, lose } = losing(it);
      const signs: string[] = [];
      const records = subscribe(parts, undefined, { onStore: ({ state }) => signs.push(state) });
      expect((await records.next()).value).toMatchObject({ seq: 1 });
      lose(how);
      await it.give(NOTE);
      const next = records.next();
      await new Promise((resolve) => {
        setTimeout(resolve, 1_300);
      });
      expect(signs).toEqual(["gone"]);
      lose("no");
      expect((await next).value).toMatchObject({ seq: 2 });
      expect(signs).toEqual(["gone", "back"]);
      await records.return?.();
    },
  );

  test("gives no cursor from a copy: it would stand where others were long ago", async () => {
    const { parts, lose } = losing(await press());
    lose("copy");
    await expect(cursorNow(parts)).rejects.toMatchObject({
      problem: { code: "store-unreachable" },
    });
  });

  test("and comes back with less than was told ends a subscription: the gap would never be seen", async () => {
    const it = await press();
    await it.give(NOTE);
    const [, two] = await first(it, 2);
    const listed = await it.parts.journal.list();
    const list = async (): Promise<typeof listed> => listed.map((one) => ({ ...one, seq: 1 }));
    const parts = { ...it.parts, journal: { ...it.parts.journal, list } };
    await expect(subscribe(parts, two?.cursor).next()).rejects.toMatchObject({
      problem: { code: "store-behind", message: expect.stringMatching(/record 1, .*record 2/) },
    });
  });

  test("ends a subscription by any other problem, and is not waited for", async () => {
    const it = await press();
    const problem = { code: "store-moved", message: "It has moved", fix: "Go there." };
    const list = async (): Promise<never> => {
      throw new StoreProblem(problem);
    };
    const records = subscribe({ ...it.parts, journal: { ...it.parts.journal, list } }, undefined);
    await expect(records.next()).rejects.toMatchObject({ problem });
  });
});
