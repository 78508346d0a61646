import { describe, expect, test } from "vitest";
import { emptyWorkflow, evolve } from "../../core/state/evolve.ts";
import type { Family } from "../../ports/family.ts";
import type { RefusalEntry } from "../../ports/refusals.ts";
import type { Parts } from "../parts.ts";
import { refusedSince, stepOf } from "./refused.ts";

const family = { audit: { keepsRefusals: true }, protocol: { name: "toy" } } as unknown as Family;

function entries(count: number): readonly RefusalEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    at: `2026-03-01T10:00:${String(index).padStart(2, "0")}.000Z`,
    stream: "toy:a",
    command: "unit.move",
    step: "ship",
    actor: "agent:bo",
    session: "s",
    refusals: [{ code: "thin", message: "", fix: "", rule: "" }],
  }));
}

function partsWith(refused: readonly RefusalEntry[]): Parts {
  return { refusals: { read: async () => refused } } as unknown as Parts;
}

describe("refusals in the journal", () => {
  test("the next record takes in what was refused, once", async () => {
    const before = emptyWorkflow("a");
    const events = await refusedSince(partsWith(entries(2)), family, before);
    expect(events).toMatchObject([
      {
        type: "refusal.noted",
        command: "unit.move",
        step: "ship",
        by: "agent:bo",
        codes: ["thin"],
      },
      { at: "2026-03-01T10:00:01.000Z" },
    ]);
    const stamp = { seq: 1, at: "2026-03-01T11:00:00.000Z" };
    const after = events.reduce((state, event) => evolve(state, event, stamp), before);
    expect(await refusedSince(partsWith(entries(3)), family, after)).toHaveLength(1);
    const silent = { ...family, audit: { ...family.audit, keepsRefusals: false } };
    expect(await refusedSince(partsWith(entries(2)), silent, before)).toEqual([]);
  });

  test("asking again and again does not grow it: the last twenty, and how many more", async () => {
    const events = await refusedSince(partsWith(entries(50)), family, emptyWorkflow("a"));
    expect(events).toHaveLength(21);
    expect(events[0]).toMatchObject({ command: "more", codes: ["30 more"] });
    const move = { type: "unit.move", unit: ".", move: "a b\nc" } as const;
    expect(stepOf(move)).toBe("a_b_c");
  });
});
