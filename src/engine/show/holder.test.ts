/** Whose an effect is: the process that wanted it, and after its proven death whoever may. */
import { describe, expect, test } from "vitest";
import { ADA, BOT, accepted, codesOf, DONE, OTHER, press, pressAt } from "../../../test/press.ts";
import type { Press, PressOptions } from "../../../test/press.ts";
import type { Caller } from "../caller.ts";
import type { Command } from "../../core/state/commands.ts";
import type { Liveness } from "../../ports/sessions.ts";
import { isStranger, passes, previousOf } from "./holder.ts";

const NOTE: Command = { type: "note.add", list: "timeline", tag: "", text: "" };

/** The process p-1 of the session s-1 wanted the deed, and did not come to its end. */
async function left(options: PressOptions = {}): Promise<Press> {
  const it = await press({ deed: async () => await Promise.reject(new Error("died")), ...options });
  await expect(it.move("do", BOT)).rejects.toThrow("died");
  return it;
}

function later(it: Press, options: PressOptions = {}): Press & { readonly deeds: () => number } {
  let deeds = 0;
  const deed = async (): Promise<typeof DONE> => {
    deeds += 1;
    return DONE;
  };
  return { ...pressAt({ self: "p-2", deed, ...options }, it), deeds: () => deeds };
}

describe("an effect that is not done", () => {
  test("is done by its own process, for the session that wanted it", async () => {
    const it = await left();
    const same = later(it, { self: "p-1" });
    expect((await same.move("shelve", { ...ADA, session: "s-1" })).kind).toBe("done");
    expect(same.deeds()).toBe(1);
  });

  test.each<[Liveness["kind"], number]>([
    ["dead", 1],
    ["quiet", 0],
    ["unknown", 0],
  ])("whose process is %s is taken over by its session, or not", async (kind, deeds) => {
    const it = await left();
    it.fates.set("p-1", { kind, why: `it is ${kind}` });
    const next = later(it);
    const told = await next.give(NOTE, BOT);
    expect(next.deeds()).toBe(deeds);
    const held = {
      kind: "refused",
      refusals: [{ code: "effect-held", message: expect.stringContaining(`it is ${kind}`) }],
      state: { seq: 2 },
    };
    expect(told).toMatchObject(deeds > 0 ? { kind: "done" } : held);
  });

  test("of a dead process is its session's, not another's", async () => {
    const it = await left();
    it.fates.set("p-1", { kind: "dead", why: "gone" });
    const next = later(it);
    expect(codesOf(await next.give(NOTE, OTHER))).toEqual(["effect-held"]);
    expect(next.deeds()).toBe(0);
    expect((await next.give(NOTE, BOT)).kind).toBe("done");
    expect(next.deeds()).toBe(1);
    expect(it.holders.size).toBe(0);
  });

  test("of a dead process is taken under a name of its own, so that of two only one does it", async () => {
    const it = await left();
    it.fates.set("p-1", { kind: "dead", why: "gone" });
    const names: string[] = [];
    const next = later(it, {
      parts: ({ holders }) => ({
        holders: {
          ...holders,
          take: (effect, from, by) => {
            names.push(`${effect} | ${from} | ${by}`);
            return holders.take(effect, from, by);
          },
        },
      }),
    });
    await next.give(NOTE, BOT);
    expect(names).toEqual([expect.stringMatching(/^press:x E-1 2 \| p-1 \| p-2 id-\d+$/)]);
  });

  test("that somebody else took over meanwhile is that one's", async () => {
    const it = await left();
    it.fates.set("p-1", { kind: "dead", why: "gone" });
    it.fates.set("p-3 id-0", { kind: "unknown", why: "elsewhere" });
    it.holders.set("press:x E-1 2", "p-3 id-0");
    const next = later(it);
    expect(codesOf(await next.give(NOTE, BOT))).toEqual(["effect-held"]);
    expect(next.deeds()).toBe(0);
    // What this very process has taken over it goes on with.
    it.holders.set("press:x E-1 2", "p-2 id-0");
    expect((await next.give(NOTE, BOT)).kind).toBe("done");
    expect(next.deeds()).toBe(1);
  });

  test("that was let go is nobody's: its session need not prove anything", async () => {
    const it = await left();
    it.holders.set("press:x E-1 2", "- id-0");
    const next = later(it);
    expect((await next.give(NOTE, BOT)).kind).toBe("done");
    expect(next.deeds()).toBe(1);
  });

  test("of a process whose name only begins alike is not one's own", async () => {
    const it = await left();
    it.holders.set("press:x E-1 2", "p-22");
    it.fates.set("p-22", { kind: "unknown", why: "elsewhere" });
    const next = later(it);
    expect(codesOf(await next.give(NOTE, BOT))).toEqual(["effect-held"]);
  });

  test("is waited for while its process lives, until it is done", async () => {
    const it = await left();
    const next = later(it);
    const going = next.give(NOTE, BOT);
    setTimeout(() => void later(it, { self: "p-1" }).give(NOTE, BOT), 40);
    const told = accepted(await going);
    expect(told.state.effects["E-1"]?.status).toBe("done");
    expect(next.deeds()).toBe(0);
  });

  test("is waited for until its process is dead, or another has it", async () => {
    const it = await left();
    const next = later(it);
    const going = next.give(NOTE, BOT);
    setTimeout(() => it.fates.set("p-1", { kind: "dead", why: "gone" }), 40);
    expect((await going).kind).toBe("done");
    expect(next.deeds()).toBe(1);
    const other = await left();
    const third = later(other);
    const waiting = third.give(NOTE, BOT);
    other.fates.set("p-9", { kind: "quiet", why: "silent" });
    setTimeout(() => other.holders.set("press:x E-1 2", "p-9"), 40);
    expect(codesOf(await waiting)).toEqual(["effect-held"]);
  });

  test("of an owner's workflow is not waited for by a stranger, who has no say in it", async () => {
    const it = await press({
      table: { lease: "owner" },
      deed: async () => await Promise.reject(new Error("died")),
    });
    await expect(it.move("do", ADA)).rejects.toThrow("died");
    let asked = 0;
    const next = later(it, {
      table: { lease: "owner" },
      parts: ({ processes }) => ({
        processes: {
          ...processes,
          fate: (name) => {
            asked += 1;
            return processes.fate(name);
          },
        },
      }),
    });
    expect(codesOf(await next.move("shelve", OTHER))).toEqual(["lease-held"]);
    expect(asked).toBe(1);
    expect(next.deeds()).toBe(0);
  });
});

describe("although somebody else has an effect to carry out", () => {
  const asks = (type: Command["type"], actor: Caller["actor"], fate: Liveness["kind"]): boolean =>
    passes(
      { command: { type }, actor } as Parameters<typeof passes>[0],
      { fate } as Parameters<typeof passes>[1],
    );

  test("the lease may be taken from the dead, and by a person", () => {
    expect(asks("lease.take", BOT.actor, "dead")).toBe(true);
    expect(asks("lease.take", BOT.actor, "quiet")).toBe(false);
    expect(asks("lease.take", ADA.actor, "alive")).toBe(true);
  });

  test("a person may settle it where nobody is known to be at it", () => {
    expect(asks("effect.settle", ADA.actor, "quiet")).toBe(true);
    expect(asks("effect.settle", ADA.actor, "alive")).toBe(false);
    expect(asks("effect.settle", BOT.actor, "dead")).toBe(false);
  });

  test("a lease may be broken, and the engine speaks; nothing else passes", () => {
    expect(asks("lease.break", ADA.actor, "alive")).toBe(true);
    expect(asks("note.add", { kind: "engine", name: "x" }, "alive")).toBe(true);
    expect(asks("unit.move", ADA.actor, "dead")).toBe(false);
  });
});

test("a stranger is another agent where a workflow belongs to one session", async () => {
  const family = (lease: "owner" | "workflow"): Press["family"] =>
    pressAt({ table: { lease } }).family;
  const state = async (lease: "owner" | "workflow"): ReturnType<Press["state"]> =>
    await (await press({ table: { lease } })).state();
  const owner = await state("owner");
  const of = (as: Partial<Caller>): boolean =>
    isStranger({ family: family("owner"), workflow: "x", session: "s-2", ...as }, owner);
  expect(of({ actor: OTHER.actor })).toBe(true);
  expect(of({ actor: ADA.actor })).toBe(false);
  expect(of({})).toBe(false);
  expect(of({ actor: OTHER.actor, session: owner.lease?.session ?? "" })).toBe(false);
  const free = { ...owner, lease: null };
  const request = { family: family("owner"), workflow: "x", ...OTHER };
  expect(isStranger(request, free)).toBe(false);
  expect(isStranger({ ...request, family: family("workflow") }, owner)).toBe(false);
});

test("only a proven death and a long silence say something about who had it before", () => {
  expect((["dead", "quiet", "alive", "unknown"] as const).map(previousOf)).toEqual([
    "dead",
    "quiet",
    "none",
    "none",
  ]);
});
