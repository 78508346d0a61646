/** Effects of a workflow are carried out by the process that wanted them; who else may, and who is sent away. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import type { Command } from "../src/core/state/commands.ts";
import type { Effect } from "../src/core/state/state.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Caller } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Parts } from "../src/engine/parts.ts";
import { defineFamily } from "../src/family/define.ts";
import type { Family } from "../src/ports/family.ts";
import { deedsBy } from "./deeds.ts";
import type { Liveness } from "../src/ports/sessions.ts";

const OWNER: Caller = { actor: { kind: "agent", name: "claude" }, session: "s-1" };
const STRANGER: Caller = { actor: { kind: "agent", name: "other" }, session: "s-2" };
const ADA: Caller = { actor: { kind: "person", name: "ada" }, session: "human:ada" };

/** Everything that may be asked of a workflow by hand, and one move that wants an effect. */
function protocolOf(lease: "owner" | "workflow"): Family {
  const protocol = deedsBy(lease, {
    states: ["open"],
    start: "open",
    ends: [],
    moves: [
      {
        id: "do",
        from: ["open"],
        to: "open",
        effects: [{ kind: "deed", args: {} }],
        rule: "H-1",
      },
      { id: "go", from: ["open"], to: "open", rule: "H-2" },
    ],
  });
  return defineFamily(protocol, {
    effects: {
      deed: {
        perform: async () => {
          deeds += 1;
          if (dies) throw new Error("died");
          return { kind: "done", detail: {}, warnings: [] };
        },
      },
    },
  });
}

let dir = "";
let deeds = 0;
let asked = 0;
let dies = false;
let fate: Liveness = { kind: "dead", why: "gone" };
let family: Family;
const opened: Parts[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holder-"));
  [deeds, dies, fate] = [0, false, { kind: "dead", why: "gone" }];
});
afterEach(async () => {
  for (const parts of opened.splice(0)) await parts.journal.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The owner's process p-1 has wanted the deed, and did not come to the end of it. */
async function left(lease: "owner" | "workflow" = "owner"): Promise<void> {
  family = protocolOf(lease);
  const first = await open("p-1");
  await start(first, family, { id: "x", options: {}, caller: OWNER });
  dies = true;
  await expect(move(first, "do", OWNER)).rejects.toThrow("died");
  dies = false;
  expect(deeds).toBe(1);
  expect(await effect(first)).toMatchObject({ status: "wanted", by: { process: "p-1" } });
}

describe("what a process left undone", () => {
  test("is done by the next command of its own session, once it is dead", async () => {
    await left();
    const second = await open("p-2");
    expect(await move(second, "go", OWNER)).toMatchObject({ kind: "done" });
    expect(deeds).toBe(2);
    expect(await effect(second)).toMatchObject({ status: "done" });
  });

  test("is done by its own process, that tries again", async () => {
    await left();
    const [first] = opened;
    if (first === undefined) throw new Error("nothing is open");
    expect(await move(first, "go", OWNER)).toMatchObject({ kind: "done" });
    expect(deeds).toBe(2);
  });

  test.each<[string, Caller]>([
    ["another agent", STRANGER],
    ["a person", ADA],
  ])("is not done by %s, who is told whose it is and whose command is refused", async (_, as) => {
    await left();
    const other = await open("p-3");
    const { seq } = (await other.journal.load("deeds:x")).state;
    const outcome = await move(other, "go", as);
    expect(outcome).toMatchObject({
      kind: "refused",
      refusals: [{ code: "lease-held", message: expect.stringContaining("s-1") }],
    });
    expect(deeds).toBe(1);
    expect((await other.journal.load("deeds:x")).state.seq).toBe(seq);
  });

  test("is not done by its own session while nobody knows that the process is dead", async () => {
    await left();
    fate = { kind: "quiet", why: "on another machine" };
    const second = await open("p-2");
    expect(await move(second, "go", OWNER)).toMatchObject({
      kind: "refused",
      refusals: [{ code: "effect-held", message: expect.stringContaining("on another machine") }],
    });
    expect(deeds).toBe(1);
  });

  test("is waited for while its process lives, and goes on when that is at its end", async () => {
    await left("workflow");
    fate = { kind: "alive", why: "running" };
    const second = await open("p-2");
    const going = move(second, "go", OWNER);
    setTimeout(() => (fate = { kind: "dead", why: "gone" }), 60);
    expect(await going).toMatchObject({ kind: "done" });
    expect(deeds).toBe(2);
  });

  test("a stranger does not wait for a living one", async () => {
    await left();
    fate = { kind: "alive", why: "running" };
    asked = 0;
    expect(await move(await open("p-3"), "go", STRANGER)).toMatchObject({ kind: "refused" });
    // Whoever waits asks again and again.
    expect(asked).toBe(1);
    expect(deeds).toBe(1);
  });

  test("a person breaks the lease and takes it, and then it is that person's", async () => {
    await left();
    const other = await open("p-3");
    const broken = await say(other, { type: "lease.break", reason: "hung" }, ADA);
    expect(broken).toMatchObject({ kind: "done" });
    expect(deeds).toBe(1);
    const take: Command = { type: "lease.take", previous: "none", why: "to go on" };
    expect(await say(other, take, ADA)).toMatchObject({ kind: "done" });
    expect(await move(other, "go", ADA)).toMatchObject({ kind: "done" });
    expect(deeds).toBe(2);
  });

  test("nobody takes the lease from a living one by asking", async () => {
    await left();
    fate = { kind: "alive", why: "running" };
    const take: Command = { type: "lease.take", previous: "dead", why: "mine" };
    expect(await say(await open("p-3"), take, STRANGER)).toMatchObject({ kind: "refused" });
    expect(deeds).toBe(1);
  });
});

async function open(self: string): Promise<Parts> {
  const composed = await compose({ cwd: dir, families: [family], env: {} });
  if (composed.kind === "failed") throw new Error(composed.message);
  const processes = {
    self,
    fate: () => {
      asked += 1;
      return fate;
    },
  };
  const parts = { ...composed.parts, processes };
  opened.push(parts);
  return parts;
}

async function say(parts: Parts, command: Command, as: Caller): Promise<Outcome> {
  const found = await find(parts, "x");
  if (found.kind === "refused") throw new Error("there is no x");
  return await act(parts, found, command, as);
}

async function move(parts: Parts, name: string, as: Caller): Promise<Outcome> {
  return await say(parts, { type: "unit.move", unit: ".", move: name }, as);
}

async function effect(parts: Parts): Promise<Effect | undefined> {
  return (await parts.journal.load("deeds:x")).state.effects["E-1"];
}
