/** Only the holder performs, for programs too: sessions that share a process or a store, and processes elsewhere. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { compose } from "../src/compose/compose.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Caller } from "../src/engine/engine.ts";
import type { Outcome } from "../src/engine/outcome.ts";
import type { Parts } from "../src/engine/parts.ts";
import { defineFamily } from "../src/family/define.ts";
import type { Family, Performed } from "../src/ports/family.ts";
import { deedsBy } from "./deeds.ts";

let cwd = "";
let deeds: string[] = [];
/** What the next attempts come to; without more of them they succeed. */
let blocked = 0;
const opened: Parts[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "holder-"));
  [deeds, blocked] = [[], 0];
});
afterEach(async () => {
  for (const parts of opened.splice(0)) await parts.journal.close();
  rmSync(cwd, { recursive: true, force: true });
});

/** `go` wants a deed that takes a while. */
function familyWith(lease: "dispatch" | "workflow" | "owner"): Family {
  const deed = { kind: "deed", args: {} };
  const protocol = deedsBy(lease, {
    states: ["open", "gone", "over"],
    start: "open",
    ends: ["over"],
    moves: [
      { id: "go", from: ["open"], to: "gone", effects: [deed], rule: "T-1" },
      { id: "end", from: ["gone"], to: "over", rule: "T-2" },
    ],
  });
  const perform = async (): Promise<Performed> => {
    await pause(20);
    deeds.push("done");
    if (blocked === 0) return { kind: "done", detail: {}, warnings: [] };
    blocked -= 1;
    const pending = { effect: "E-1", code: "locked", message: "not now", fix: "Again." };
    return { kind: "pending", pending };
  };
  return defineFamily(protocol, { effects: { deed: { perform } } });
}

const ANN: Caller = { actor: { kind: "agent", name: "ann" }, session: "s-ann" };
const BOB: Caller = { actor: { kind: "agent", name: "bob" }, session: "s-bob" };
const EVE: Caller = { actor: { kind: "person", name: "eve" }, session: "s-eve" };
const go = { type: "unit.move", unit: ".", move: "go" } as const;
const end = { type: "unit.move", unit: ".", move: "end" } as const;
const lock = { type: "lease.take", previous: "none", why: "" } as const;

async function open(family: Family): Promise<Parts> {
  const composed = await compose({ cwd, env: {}, families: [family] });
  if (composed.kind === "failed") throw new Error(composed.message);
  opened.push(composed.parts);
  return composed.parts;
}

async function put(
  parts: Parts,
  command: Parameters<typeof act>[2],
  caller: Caller,
): Promise<Outcome> {
  const found = await find(parts, "w");
  if (found.kind === "refused") throw new Error("there is no w");
  return await act(parts, found, command, caller);
}

function refusalOf(outcome: Outcome): string {
  if (outcome.kind !== "refused") return outcome.kind;
  return outcome.refusals.map(({ code, message }) => `${code}: ${message}`).join("; ");
}

/** The same store as another process sees it, of which nothing can be proven either way. */
function elsewhere(parts: Parts, name: string): Parts {
  const fate = () => ({ kind: "unknown", why: "another machine" }) as const;
  return { ...parts, processes: { self: name, fate } };
}

describe.each(["dispatch", "workflow", "owner"] as const)("lease: %s", (lease) => {
  const begun = async (): Promise<Parts> => {
    const family = familyWith(lease);
    const parts = await open(family);
    await start(parts, family, { id: "w", options: {}, caller: ANN });
    return parts;
  };

  test("two engines of one process on one store: the same command at once does it once", async () => {
    const one = await begun();
    const two = await open(familyWith(lease));
    const outcomes = await Promise.all([put(one, go, ANN), put(two, go, ANN)]);
    expect(outcomes.map((outcome) => outcome.kind).toSorted()).toEqual(["done", "refused"]);
    expect(deeds).toEqual(["done"]);
  });

  test("what could not be done stays its session's, in the same process too", async () => {
    const parts = await begun();
    blocked = 1;
    expect(await put(parts, go, ANN)).toMatchObject({ pending: [{ code: "locked" }] });
    expect(refusalOf(await put(parts, end, BOB))).toMatch(/^(?:effect|lease)-held: .*s-ann/);
    expect(refusalOf(await put(parts, end, EVE))).toMatch(/^(?:effect|lease)-held: .*s-ann/);
    expect(deeds).toHaveLength(1);
    expect(await put(parts, end, ANN)).toMatchObject({ kind: "done", pending: [] });
    expect(deeds).toHaveLength(2);
  });

  test("who gave it up for now need not be proven dead: its session goes on from anywhere", async () => {
    const parts = await begun();
    blocked = 2;
    await put(parts, go, ANN);
    expect(await put(elsewhere(parts, "p-2"), go, ANN)).toMatchObject({ kind: "refused" });
    expect(deeds).toHaveLength(2);
    expect(await put(elsewhere(parts, "p-3"), end, ANN)).toMatchObject({ kind: "done" });
    expect(deeds).toHaveLength(3);
  });

  test("a process of which nothing is known is not dead: only a person takes over, and says so", async () => {
    const parts = await begun();
    const family = familyWith(lease);
    // Another machine's process wanted it, and nobody has heard of it since.
    const { state, head } = await parts.journal.load("deeds:w");
    const by = { session: "s-ann", process: "7.0 1 boot namespace machine" };
    const events = [
      { type: "unit.moved", unit: ".", move: "go", from: "open", to: "gone", back: [], reason: "" },
      {
        type: "effect.wanted",
        effect: "E-1",
        kind: "deed",
        args: {},
        unit: ".",
        asks: null,
        undo: null,
        by,
      },
    ];
    const body = { command: "unit.move", actor: "agent:ann", session: "s-ann", events, used: {} };
    await parts.journal.append("deeds:w", head, { id: "far", at: state.updatedAt, body });
    for (const caller of [ANN, BOB, EVE])
      expect(refusalOf(await put(parts, end, caller))).toMatch(/^(?:effect|lease)-held: .*s-ann/);
    expect(refusalOf(await put(parts, lock, BOB))).toMatch(/^(?:effect|lease)-held: .*s-ann/);
    expect(deeds).toEqual([]);
    await put(parts, { type: "lease.break", reason: "that machine is gone" }, EVE);
    expect(await put(parts, lock, EVE)).toMatchObject({ kind: "done", pending: [] });
    expect(deeds).toEqual(["done"]);
    expect(family.protocol.lease).toBe(lease);
  });
});
