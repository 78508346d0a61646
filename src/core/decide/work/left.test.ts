/** What a step leaves behind: where the files stand, and what nobody was ordered to change. */
import { describe, expect, test } from "vitest";
import { scopeFor } from "../../../../test/scope.ts";
import type { Stands } from "../../../../test/scope.ts";
import { beginDraft, emitAll } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { measure, noteLeft } from "./left.ts";
import type { Event } from "../../state/events.ts";
import type { Dispatch } from "../../state/state.ts";
import type { Protocol } from "../../table/protocol.ts";
import type { Json, JsonObject } from "../../values/json.ts";

const LEFT = { at: "then", baseline: {} };
const CHANGED: JsonObject = { files: { "a.md": ["1", "2"] }, moved: {}, commits: [] };

interface Case {
  readonly command?: string;
  readonly events?: readonly JsonObject[];
  readonly stands?: Stands;
  /** Units that something was left in before. */
  readonly left?: readonly string[];
  readonly evidence?: Readonly<Record<string, Json>>;
  readonly rules?: Readonly<Record<string, string>>;
  readonly refused?: boolean;
  readonly begun?: boolean;
}

const moved = (unit = "."): JsonObject => ({
  type: "unit.moved",
  unit,
  move: "m",
  from: "",
  to: "x",
  back: [],
  reason: "",
});
const sent = (unit: string): JsonObject => ({
  type: "dispatch.sent",
  dispatch: `N-${unit}`,
  spec: "write",
  role: "writer",
  unit,
  session: "s",
  baseline: {},
});
const ended = (dispatch: string, more: JsonObject = {}): JsonObject => ({
  type: "dispatch.ended",
  dispatch,
  outcome: "done",
  claim: {},
  notes: [],
  measured: CHANGED,
  ...more,
});
const settled = (effect: string): JsonObject => ({
  type: "effect.settled",
  effect,
  status: "done",
  detail: {},
});

const STANDS: Stands = {
  units: { "T-1": {}, "T-2": {} },
  dispatches: { "W-1": { unit: "T-1" }, "W-2": { unit: "gone" } },
  effects: { merge: { kind: "merge" }, commit: { kind: "commit" } },
};

function drafted({
  command = "unit.move",
  events = [],
  stands,
  left = ["."],
  evidence,
  rules,
  refused,
  begun = true,
}: Case): Draft {
  const { workflow } = scopeFor({ ...STANDS, ...stands });
  const units = begun ? workflow.units : {};
  const state = {
    ...workflow,
    units,
    left: Object.fromEntries(left.map((unit) => [unit, LEFT])),
  } as never;
  const draft = beginDraft({
    protocol: { rules } as unknown as Protocol,
    state,
    envelope: { id: "1", at: "now", session: "s", actor: { kind: "person", name: "p" } },
    command: { type: command } as never,
    evidence: evidence ?? {},
  });
  emitAll(draft, events as unknown as readonly Event[]);
  if (refused === true) draft.refusals.push({ code: "no", message: "", fix: "", rule: "core" });
  return draft;
}

/** Units in which a step leaves something, with an asterisk where what changed is told. */
function leaves(one: Case): readonly string[] {
  const draft = drafted(one);
  const before = draft.events.length;
  noteLeft(draft);
  return draft.events.slice(before).map((event) => {
    if (event.type !== "work.left") throw new Error(event.type);
    return `${event.unit}${event.changed === undefined ? "" : "*"}`;
  });
}

const unordered = (unit: string, changed: Json = CHANGED): Readonly<Record<string, Json>> => ({
  [`unordered:${unit}`]: changed,
});

describe("a step", () => {
  test.each<[string, readonly string[], Case]>([
    ["that moves the root leaves it", ["."], { events: [moved()] }],
    ["of something else leaves nothing", [], { events: [moved("T-1")] }],
    ["after others leaves the root", ["."], { events: [sent("T-1"), moved()] }],
    ["that is refused leaves nothing", [], { events: [moved()], refused: true }],
    [
      "that hands out work has nothing to tell",
      [],
      { command: "dispatch.send", events: [sent("T-1")] },
    ],
    ["that answers leaves the root", ["."], { command: "decision.answer", events: [moved()] }],
    ["that only notes leaves nothing", [], { command: "note.add", events: [moved()] }],
    [
      "before the first order leaves nothing",
      [],
      { left: [], stands: { dispatches: {} }, events: [moved()] },
    ],
    [
      "with the first order leaves the root",
      ["."],
      { left: [], events: [moved()], evidence: unordered(".") },
    ],
    ["tells what changed in the root", [".*"], { events: [moved()], evidence: unordered(".") }],
    [
      "that leaves nothing changed tells nothing",
      ["."],
      { events: [moved()], evidence: unordered(".", null) },
    ],
    [
      "tells what changed where work is handed out",
      ["T-1*"],
      { command: "dispatch.send", events: [sent("T-1")], evidence: unordered("T-1") },
    ],
    [
      "tells nothing of where none is handed out",
      [],
      { command: "dispatch.send", events: [sent("T-1")], evidence: unordered("T-2") },
    ],
    [
      "tells once what changed in one place",
      ["T-1*"],
      {
        command: "dispatch.send",
        events: [sent("T-1"), sent("T-2")],
        evidence: { ...unordered("T-1"), ...unordered("T-2") },
      },
    ],
    [
      "tells each of two changes",
      ["T-1*", "T-2*"],
      {
        command: "dispatch.send",
        events: [sent("T-1"), sent("T-2")],
        evidence: { ...unordered("T-1"), ...unordered("T-2", { ...CHANGED, moved: { b: "c" } }) },
      },
    ],
    [
      "does not tell what a person was shown",
      ["."],
      {
        events: [moved()],
        evidence: unordered("."),
        stands: { findings: { a: { bound: {} }, b: { bound: unordered(".") } } },
      },
    ],
    [
      "tells what a person was shown otherwise",
      [".*"],
      {
        events: [moved()],
        evidence: unordered("."),
        stands: { findings: { b: { bound: unordered(".", "other") } } },
      },
    ],
    [
      "tells what a person was shown elsewhere",
      [".*"],
      {
        events: [moved()],
        evidence: unordered("."),
        stands: { findings: { b: { bound: unordered("T-1") } } },
      },
    ],
    ["that brings work back leaves its unit", ["T-1"], { events: [ended("W-1"), moved()] }],
    [
      "that brings work back by another command does too",
      ["T-1"],
      { command: "dispatch.report", events: [ended("W-1")] },
    ],
    [
      "that does away with its unit leaves the root",
      ["."],
      { command: "dispatch.report", events: [ended("W-2")] },
    ],
    [
      "that brings back two of a unit leaves it once",
      ["T-1"],
      { command: "dispatch.report", events: [ended("W-1"), ended("W-1")] },
    ],
    [
      "that calls work off judges nothing",
      [],
      { command: "dispatch.cancel", events: [ended("W-1", { outcome: "cancelled" })] },
    ],
    [
      "that ends work unmeasured leaves nothing",
      [],
      { command: "dispatch.report", events: [ended("W-1", { measured: undefined as never })] },
    ],
    [
      "that merges leaves all that was left before",
      ["T-1", "."],
      { command: "effect.settle", events: [settled("merge")], left: ["T-1", ".", "away"] },
    ],
    [
      "that commits changes no file",
      [],
      { command: "effect.settle", events: [settled("commit")], left: ["T-1", "."] },
    ],
    [
      "that commits and merges does",
      ["."],
      { command: "effect.settle", events: [settled("commit"), settled("merge")] },
    ],
    ["that adopts leaves the root", ["."], { command: "workflow.adopt", left: [] }],
    [
      "that adopts leaves nothing else",
      ["."],
      { command: "workflow.adopt", left: [], events: [settled("merge")] },
    ],
    [
      "that waits for facts to adopt leaves nothing",
      [],
      { command: "workflow.adopt", begun: false },
    ],
  ])("%s", (_, units, one) => {
    expect(leaves(one)).toEqual(units);
  });

  test("keeps how the files are and which commit is checked out, and notes what changed", () => {
    const evidence = { ...unordered("."), "files:.": "f1", tip: "c1" };
    const draft = drafted({ events: [moved()], evidence });
    noteLeft(draft);
    expect(draft.events.at(-1)).toEqual({
      type: "work.left",
      unit: ".",
      baseline: { "files:.": "f1", tip: "c1" },
      changed: CHANGED,
    });
    expect(draft.notes).toEqual([
      {
        code: "nobody-at-work",
        message: expect.stringMatching(/^changed while no agent was at work: .*a\.md/),
        rule: "core",
      },
    ]);
    const named = drafted({ events: [moved()], evidence, rules: { "nobody-at-work": "R-9" } });
    noteLeft(named);
    expect(named.notes).toMatchObject([{ rule: "R-9" }]);
    const quiet = drafted({ events: [moved()], evidence: { "files:.": "f1", tip: "c1" } });
    noteLeft(quiet);
    expect(quiet.notes).toEqual([]);
  });

  test("in a unit that is gone keeps what the root knows", () => {
    const draft = drafted({ command: "effect.settle", events: [settled("merge")], left: ["T-1"] });
    noteLeft(draft);
    expect(draft.events.at(-1)).toMatchObject({
      unit: "T-1",
      baseline: { "files:T-1": null, tip: null },
    });
  });
});

describe("work that comes back", () => {
  const dispatch = (baseline: JsonObject): Dispatch =>
    ({ id: "W-1", unit: "T-1", baseline }) as unknown as Dispatch;

  test("is what changed since it was handed out, or not known", () => {
    const known = drafted({ evidence: { "change:W-1": CHANGED } });
    expect(measure(known, dispatch({ "files:T-1": "f" }))).toEqual(CHANGED);
    const never = { unknown: "it was not measured" };
    expect(measure(known, dispatch({ "files:.": "f" }))).toEqual(never);
    const asked = drafted({});
    expect(measure(asked, dispatch({ "files:T-1": "f" }))).toEqual(never);
    expect([...asked.needs]).toEqual(["change:W-1"]);
  });
});
