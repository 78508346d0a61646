/** One step of a workflow, by its name or the one that leads on; and small parts of the engine. */
import { describe, expect, test } from "vitest";
import { ADA, press, pressAt, pressFamily, written } from "../../test/press.ts";
import type { Press } from "../../test/press.ts";
import { sha256 } from "../../test/memory-parts.ts";
import type { Command } from "../core/state/commands.ts";
import type { Refusal } from "../core/decide/answer.ts";
import { createFamilies } from "./families.ts";
import { eventsOf, idOf, openWorld, protocolOf, workflowFold } from "./parts.ts";
import { severalOut, stepCommand } from "./step.ts";
import type { StepRequest } from "./step.ts";
import { createTurns, sharedTurns } from "./turns.ts";

async function step(it: Press, request: StepRequest = {}): Promise<Command | readonly Refusal[]> {
  const told = await stepCommand(it.parts, await it.found(), ADA, request);
  return told.kind === "refused" ? told.refusals : told.command;
}

describe("the step that leads on", () => {
  test("is work that is handed out", async () => {
    expect(await step(await press())).toMatchObject({ type: "dispatch.send", spec: "write" });
  });

  test("at a question is the answer", async () => {
    const it = await written();
    expect(await step(it)).toEqual([
      {
        code: "held",
        message: "x waits for a person: Print x?",
        fix: { operation: "answer", input: { workflow: "x", decision: "D-1" } },
        rule: "P-11",
      },
    ]);
  });

  test("is none where it has ended, or has to be named", async () => {
    const it = await press();
    await it.move("shelve");
    const [over] = (await step(it)) as readonly Refusal[];
    expect(over).toMatchObject({ code: "nothing-to-do" });
    const words = { describe: () => ({ headline: "H", state: "S", details: [], finished: false }) };
    const { work: _, ...table } = pressFamily().protocol;
    const named = await press({
      table: { ...table, work: {} },
      family: { words },
    });
    expect(await step(named)).toMatchObject([
      {
        code: "nothing-to-do",
        message: "x is at H; there is no step that leads on by itself",
        fix: {
          operation: "next",
          input: { workflow: "x" },
          says: expect.stringMatching(
            /^Ask for a step by name \(.*shelve.*\); see what each needs$/,
          ),
        },
        rule: "core",
      },
    ]);
    await named.move("shelve");
    expect(await step(named)).toMatchObject([
      { fix: { operation: "status", says: "See how it ended" } },
    ]);
    const closing = { message: "It is over.", fix: "Start another." };
    const closed = await press({
      family: {
        words: {
          describe: () => ({ headline: "", state: "", details: [], finished: true, closing }),
        },
      },
    });
    await closed.move("shelve");
    expect(await step(closed)).toEqual([{ code: "nothing-to-do", ...closing, rule: "core" }]);
  });

  test("is none under a definition that nobody has accepted", async () => {
    const it = await press();
    const found = await it.found();
    const family = { ...found.family, protocol: { ...found.family.protocol, version: 2 } };
    const told = await stepCommand(it.parts, { ...found, family }, ADA, {});
    expect(told).toMatchObject({ kind: "refused", refusals: [{ code: "definition-changed" }] });
  });
});

describe("a step by its name", () => {
  test("is the move, the work or the question of that name, with what was said about it", async () => {
    const it = await press({ family: { words: { aliases: { put: ["nowhere", "shelve"] } } } });
    const input = { reason: "dusty", size: 3 };
    expect(await step(it, { step: "shelve", reason: "dusty", input: { size: 3 } })).toEqual({
      type: "unit.move",
      unit: ".",
      move: "shelve",
      reason: "dusty",
      input,
    });
    expect(await step(it, { step: "put" })).toMatchObject({ move: "shelve", reason: "" });
    expect(await step(it, { step: "write" })).toEqual({
      type: "dispatch.send",
      spec: "write",
      unit: ".",
    });
    const about = { reason: "r", size: 3 };
    expect(await step(it, { step: "recovery", reason: "r", input: { size: 3 } })).toEqual({
      type: "decision.ask",
      question: "recovery",
      unit: ".",
      about,
    });
    expect(await step(it, { step: "recovery", unit: "u" })).toMatchObject({ unit: "u", about: {} });
    expect(await step(it, { step: "toString" })).toMatchObject({
      type: "unit.move",
      move: "toString",
    });
    expect(await step(it, { step: "publish", unit: "u" })).toMatchObject({
      unit: "u",
      move: "publish",
    });
    expect(await step(it, { step: "write", unit: "u" })).toEqual({
      type: "dispatch.send",
      spec: "write",
      unit: "u",
    });
    expect(await step(it, { step: "commit-failed" })).toMatchObject({ type: "unit.move" });
  });

  test("cancel takes back the work that is out, and says whose where there is more", async () => {
    const it = await press();
    expect(await step(it, { step: "cancel" })).toMatchObject([
      {
        code: "dispatch-unknown",
        message: "nothing of x is handed out, so there is nothing to cancel",
        fix: { operation: "next" },
      },
    ]);
    await it.send();
    const cancel = { type: "dispatch.cancel", dispatch: "W-1", reason: "cancelled by hand" };
    expect(await step(it, { step: "cancel" })).toEqual(cancel);
    expect(await step(it, { step: "cancel", reason: "" })).toEqual(cancel);
    expect(await step(it, { step: "cancel", reason: "late" })).toEqual({
      ...cancel,
      reason: "late",
    });
    expect(await step(it, { step: "cancel", unit: "." })).toEqual(cancel);
    expect(await step(it, { step: "cancel", unit: "u" })).toMatchObject([
      { code: "dispatch-unknown" },
    ]);
    const found = await it.found();
    const { "W-1": out } = found.state.dispatches;
    if (out === undefined) throw new Error("nothing is out");
    const dispatches = {
      "W-0": { ...out, id: "W-0", status: "ended" as const },
      "W-1": out,
      "W-2": { ...out, id: "W-2", unit: "part", status: "parked" as const },
      "W-3": { ...out, id: "W-3", unit: "writer" },
    };
    const several = await stepCommand(
      it.parts,
      { ...found, state: { ...found.state, dispatches } },
      ADA,
      { step: "cancel" },
    );
    expect(several).toEqual({
      kind: "refused",
      refusals: [
        {
          code: "dispatch-ambiguous",
          message:
            "x has several orders out: W-1 (writer, open), W-2 (writer, part, parked), W-3 (writer, open)",
          fix: {
            operation: "advance",
            input: { workflow: "x", step: "cancel", unit: "." },
            says: "Say whose is taken back",
          },
          rule: "core",
        },
      ],
    });
    expect(severalOut("x", [out], "F").message).toBe(
      "x has several orders out: W-1 (writer, open)",
    );
  });
});

describe("families", () => {
  const one = pressFamily();
  const read = async (): Promise<never> => await Promise.reject(new Error("not asked"));

  test("are those that ship, those that are given, and those of the repository, each read once", async () => {
    let reads = 0;
    let loads = 0;
    const problem = { code: "c", message: "m", fix: "f", file: "x" };
    const families = createFamilies({
      shipped: {
        shipped: async () => {
          loads += 1;
          return pressFamily({ table: { name: "shipped" } });
        },
      },
      given: [one],
      own: async () => {
        reads += 1;
        return { families: [pressFamily({ table: { name: "own" } })], problems: [problem] };
      },
      read,
      sha256,
    });
    expect(families.names).toEqual(["press", "shipped"]);
    expect(families.hasOwn).toBe(true);
    expect((await families.get("press"))?.protocol.name).toBe("press");
    expect((await families.get("shipped"))?.protocol.name).toBe("shipped");
    await families.get("shipped");
    expect([loads, reads]).toEqual([1, 0]);
    expect((await families.get("own"))?.protocol.name).toBe("own");
    expect(await families.get("toString")).toBeUndefined();
    expect((await families.all()).map((family) => family.protocol.name)).toEqual([
      "press",
      "shipped",
      "own",
    ]);
    expect(await families.problems()).toEqual([problem]);
    expect([loads, reads]).toEqual([1, 1]);
  });

  test("say which definition they are, and under which settings", async () => {
    const make = (family = one): Promise<unknown> =>
      createFamilies({
        shipped: {},
        given: [family],
        own: undefined,
        read,
        sha256,
        settings: async () => ({ "a.json": "d1" }),
      })
        .get("press")
        .then((found) => found?.protocol);
    const protocol = (await make()) as { digest: string; settings: object };
    expect(protocol.digest).toMatch(/^[0-9a-f]{16}$/);
    expect(protocol.settings).toEqual({ "a.json": "d1" });
    const guarded = pressFamily({ table: { guards: { odd: () => "no" } } });
    const edited = pressFamily({ table: { guards: { odd: () => "yes" } } });
    expect(await make(guarded)).not.toMatchObject({ digest: protocol.digest });
    const digestOf = async (family: typeof one): Promise<unknown> =>
      ((await make(family)) as { digest: string }).digest;
    // Of a protocol of one's own the guards count: one may be edited under a running workflow.
    expect(await digestOf(guarded)).not.toBe(await digestOf(edited));
    const turned = pressFamily({ table: { vars: { b: 1, a: [true, null], mood: "calm" } } });
    const same = pressFamily({ table: { vars: { mood: "calm", a: [true, null], b: 1 } } });
    expect(await digestOf(turned)).toBe(await digestOf(same));
    const migrating = pressFamily({ table: { migrate: () => ({}) } });
    expect(await digestOf(migrating)).toBe(protocol.digest);
  });

  test("that ship under a given one's name are not one's own: their guards belong to the version", async () => {
    const make = async (guards: object, isShipped: boolean): Promise<string | undefined> => {
      const family = pressFamily({ table: { guards } as never });
      const families = createFamilies({
        shipped: isShipped ? { press: async () => family } : {},
        given: isShipped ? [] : [family],
        own: undefined,
        read,
        sha256,
      });
      return (await families.get("press"))?.protocol.digest;
    };
    const [a, b] = [{ odd: () => "a" }, { odd: () => "b" }];
    expect(await make(a, true)).toBe(await make(b, true));
    expect(await make(a, false)).not.toBe(await make(b, false));
  });
});

describe("turns", () => {
  test("are taken one after the other under one name, also after one that failed", async () => {
    const turns = createTurns();
    const told: string[] = [];
    const slow = async (name: string): Promise<string> => {
      told.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      told.push(`${name} ends`);
      if (name === "b") throw new Error("b broke");
      return name;
    };
    const all = await Promise.allSettled([
      turns.take("x", () => slow("a")),
      turns.take("x", () => slow("b")),
      turns.take("x", () => slow("c")),
    ]);
    expect(told).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    expect(all.map((one) => one.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    let other = "";
    await Promise.all([
      turns.take("x", () => slow("d")),
      turns.take("y", async () => void (other = told.at(-1) ?? "")),
    ]);
    expect(other).not.toBe("d ends");
    expect(sharedTurns("/a")).toBe(sharedTurns("/a"));
    expect(sharedTurns("/a")).not.toBe(sharedTurns("/b"));
  });
});

describe("a journal's records", () => {
  const record = (body: object): Parameters<typeof eventsOf>[0] => ({ body }) as never;

  test("are read as events, and what is none is named", () => {
    const warned = { type: "warned", about: "", text: "" };
    expect(eventsOf(record({ events: [warned] }))).toEqual([warned]);
    expect(() => eventsOf(record({}))).toThrow("it has no events");
    expect(() => eventsOf(record({ events: [warned, { type: "odd" }] }))).toThrow(
      /its event 2 .*odd/,
    );
  });

  test("are named by protocol and workflow, and summed up", async () => {
    expect([idOf("a:b:c"), protocolOf("a:b:c")]).toEqual(["b:c", "a"]);
    const it = await written();
    await it.parts.journal.list();
    expect(workflowFold.summary(await it.state())).toEqual({
      agreed: "",
      protocol: "press",
      id: "x",
      at: "written",
      updatedAt: (await it.state()).updatedAt,
      session: null,
      open: 1,
      out: 0,
    });
    const busy = await press();
    await busy.send();
    expect(workflowFold.summary(await busy.state())).toMatchObject({
      session: "human:ada",
      open: 0,
      out: 1,
    });
    expect(workflowFold.summary(workflowFold.initial("press:y"))).toMatchObject({
      id: "y",
      at: "",
    });
  });

  test("tell what was written since a moment", async () => {
    const it = await written({ repository: true });
    const records = await it.parts.journal.read("press:x");
    const last = records.at(-1);
    const told = await openWorld(it.parts).written(last?.at ?? "");
    expect([...told.records]).toEqual([last?.hash]);
    expect([...told.views.keys()]).toEqual(["x.state.md", "NEWS.md"]);
    expect([...told.commits]).toEqual([sha256("commit 1").slice(0, 40)]);
    const none = await openWorld(it.parts).written("2099");
    expect([none.records.size, none.views.size]).toEqual([0, 0]);
    expect(pressAt().family.protocol.name).toBe("press");
  });
});
