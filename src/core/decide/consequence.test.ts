/** What a row of the table may do beside its move, one by one. */
import { describe, expect, test } from "vitest";
import { failParked, finish, parkedDispatch, runConsequences } from "./consequence.ts";
import { beginDraft } from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Claim } from "../state/commands.ts";
import type { Event } from "../state/events.ts";
import type { Consequence, Protocol } from "../table/protocol.ts";
import { scopeFor } from "../../../test/scope.ts";
import type { Stands } from "../../../test/scope.ts";

const PROTOCOL = {
  name: "press",
  kinds: {
    task: { start: "fresh", moves: [], ends: [] },
    part: { start: "fresh", moves: [], ends: [] },
  },
  questions: {},
  work: {},
  guards: {},
  vars: {},
} as unknown as Protocol;

function drafted(stands: Stands = {}, claim?: Claim): Draft {
  const { workflow } = scopeFor({
    units: { ".": { at: "idea" }, "T-1": { at: "idea" } },
    ...stands,
  });
  const draft = beginDraft({
    protocol: PROTOCOL,
    state: { ...workflow, spent: { "tries/T-1": 1 } },
    envelope: { id: "1", at: "now", session: "s", actor: { kind: "person", name: "ada" } },
    command: { type: "lease.release" },
    evidence: { "digest:T-1": "d1" },
  });
  draft.claim = claim;
  return draft;
}

function ran(thens: readonly Consequence[], unit = "T-1", claim?: Claim): Draft {
  const draft = drafted({}, claim);
  runConsequences(draft, thens, unit);
  return draft;
}

const events = (thens: readonly Consequence[], unit?: string, claim?: Claim): readonly Event[] =>
  ran(thens, unit, claim).events;

describe("a consequence", () => {
  const reset: Consequence = { reset: "tries/{unit}" };

  test("is about the unit, or the root where the unit is gone", () => {
    expect(events([reset])).toEqual([{ type: "budget.reset", budget: "tries/T-1" }]);
    expect(events([reset], "gone")).toEqual([{ type: "budget.reset", budget: "tries/." }]);
  });

  test("opens a unit where its kind begins", () => {
    expect(events([{ open: "part", unit: "{unit}.a" }])).toEqual([
      { type: "unit.opened", unit: "T-1.a", kind: "part", at: "fresh", data: {} },
    ]);
  });

  test("records what is vouched for: on the unit by who claims it, on the root by the unit", () => {
    const found: Consequence = {
      finding: "seen",
      value: { value: true },
      binds: ["digest:{unit}"],
    };
    const kept = {
      type: "finding.recorded",
      kind: "seen",
      value: true,
      bound: { "digest:T-1": "d1" },
    };
    expect(events([found])).toEqual([{ ...kept, unit: "T-1", by: "person:ada" }]);
    const claim = { agent: "writer", outcome: "done" } as Claim;
    expect(events([found], "T-1", claim)).toEqual([{ ...kept, unit: "T-1", by: "writer" }]);
    expect(events([{ ...found, on: "root" }])).toEqual([{ ...kept, unit: ".", by: "T-1" }]);
  });

  test("asks, with what the claim says why, or once for each entry of a list", () => {
    const asks: Consequence = { ask: "publish" };
    const about = (claim?: object): unknown => ran([asks], "T-1", claim as Claim).asks;
    expect(about()).toEqual({ question: "publish", unit: "T-1", about: {} });
    expect(about({ why: "ink" })).toMatchObject({ about: { message: "ink" } });
    expect(about({ why: "" })).toMatchObject({ about: {} });
    expect(about({ why: 7 })).toEqual({ question: "publish", unit: "T-1", about: {} });
    const each = ran([{ ...asks, each: "open" }], "T-1", {
      agent: "a",
      outcome: "o",
      open: ["ink", { what: "paper" }],
    });
    expect(each.asks).toBeNull();
    expect(each.more).toEqual([
      { question: "publish", unit: "T-1", about: { entry: "ink" }, apart: true },
      { question: "publish", unit: "T-1", about: { what: "paper" }, apart: true },
    ]);
    expect(ran([{ ...asks, each: "open" }]).more).toEqual([]);
  });

  test("spends from a budget until it is used up, and does something else then", () => {
    const within = (max: number, budget = "tries/{unit}"): readonly Event[] =>
      events([{ within: { budget, times: max, else: [reset] } }]);
    expect(within(2)).toEqual([{ type: "budget.spent", budget: "tries/T-1" }]);
    expect(within(1)).toEqual([{ type: "budget.reset", budget: "tries/T-1" }]);
    expect(within(1, "other")).toEqual([{ type: "budget.spent", budget: "other" }]);
    expect(within(0, "other")).toEqual([{ type: "budget.reset", budget: "tries/T-1" }]);
  });

  test("sets, notes, and wants effects", () => {
    expect(events([{ set: { mood: { value: "calm" } } }])).toEqual([
      { type: "vars.changed", vars: { mood: "calm" } },
    ]);
    expect(events([{ note: { list: "l", tag: "t", text: "{unit}" } }])).toMatchObject([
      { type: "note.added", list: "l", text: "T-1" },
    ]);
    const effect = { kind: "mail", args: {} };
    expect(ran([{ effect }]).effects).toEqual([{ row: effect, unit: "T-1" }]);
  });
});

describe("a report that waits", () => {
  const dispatches = {
    "W-1": { unit: "T-1", status: "ended" },
    "W-2": { unit: ".", status: "parked" },
    "W-3": {
      unit: "T-1",
      status: "parked",
      claim: { outcome: "late" },
      baseline: { "files:T-1": "f" },
    },
    "W-4": { unit: "T-1", status: "parked" },
  } as const;

  test("is that of the unit, or the first", () => {
    const draft = drafted({ dispatches });
    expect(parkedDispatch(draft, "T-1")).toBe("W-3");
    expect(parkedDispatch(draft, "other")).toBe("W-2");
    expect(parkedDispatch(drafted(), "T-1")).toBeUndefined();
  });

  test("is ended with what it claimed and what was measured, and none is where none waits", () => {
    const draft = drafted({ dispatches });
    failParked(draft, "T-1", "dropped");
    expect(draft.events).toMatchObject([
      { type: "dispatch.ended", dispatch: "W-3", outcome: "dropped", claim: { outcome: "late" } },
    ]);
    const plain = drafted({ dispatches });
    failParked(plain, ".", "dropped");
    expect(plain.events).toMatchObject([
      { dispatch: "W-2", claim: {}, measured: { unknown: "it was not measured" } },
    ]);
    const none = drafted();
    failParked(none, "T-1", "dropped");
    expect(none.events).toEqual([]);
  });
});

describe("effects", () => {
  const mail = { kind: "mail", args: { to: "{unit}", all: ["a,b", "{unit}"] } };
  const pending = { question: "publish", unit: ".", about: {} };

  function finished(change: (draft: Draft) => void): Draft {
    const draft = drafted();
    change(draft);
    finish(draft);
    return draft;
  }

  test("are wanted in order, and the question waits for the last of them", () => {
    const { events: told, asks } = finished((draft) => {
      draft.effects.push({ row: mail, unit: "T-1" }, { row: mail, unit: "gone" });
      draft.asks = pending;
    });
    expect(told).toMatchObject([
      {
        type: "effect.wanted",
        effect: "E-1",
        args: { to: "T-1", all: ["a,b", "T-1"] },
        asks: null,
        undo: null,
      },
      { effect: "E-2", unit: "gone", args: { to: "." }, asks: pending },
    ]);
    expect(asks).toBeNull();
  });

  test("that the place cannot have are left out, and said where the table says so", () => {
    const never = { ...mail, when: [{ guard: "var", args: { name: "mood", in: ["calm"] } }] };
    const quiet = finished((draft) => void draft.effects.push({ row: never, unit: "T-1" }));
    expect(quiet.events).toEqual([]);
    const said = finished((draft) => {
      draft.effects.push({ row: { ...never, otherwise: "no post for {unit}" }, unit: "T-1" });
    });
    expect(said.events).toEqual([{ type: "warned", about: "mail", text: "no post for T-1" }]);
  });

  test("say what is taken back if they fail: what moved and what was set, and nothing else", () => {
    const [wanted] = finished((draft) => {
      runConsequences(draft, [{ set: { mood: { value: "calm" } } }], ".");
      draft.effects.push({ row: { ...mail, failed: "mail-failed" }, unit: "T-1" });
    }).events.slice(-1);
    expect(wanted).toMatchObject({
      undo: { units: [], vars: { mood: null }, asks: "mail-failed" },
    });
  });
});
