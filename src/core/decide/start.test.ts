/** How a workflow begins: where, by whom, on what word, and what else comes into being on the way. */
import { describe, expect, test } from "vitest";
import { beginDraft } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { adopt, openUnit, start } from "./start.ts";
import { emptyWorkflow } from "../state/evolve.ts";
import type { Command } from "../state/commands.ts";
import type { Workflow } from "../state/state.ts";
import type { Protocol } from "../table/protocol.ts";
import { showJson } from "../values/json.ts";
import type { JsonObject } from "../values/json.ts";
import { scopeFor } from "../../../test/scope.ts";

const calm = { guard: "var", args: { name: "mood", in: ["calm"] } };
const row = { code: "not-calm", fix: "Calm down.", rule: "R-2" };
const MAIL = { kind: "mail", args: {} };

const STARTS = [
  {
    when: [{ guard: "var", args: { name: "pace", in: ["quick"] } }],
    to: "drafted",
    needs: [{ ...calm, ...row }],
    notes: [{ list: "timeline", tag: "begun", text: "at {input.pace}" }],
    effects: [MAIL],
    rule: "R-1",
  },
  { when: [{ guard: "var", args: { name: "pace", in: ["slow"] } }], to: "idea", rule: "R-1" },
  {
    when: [{ guard: "var", args: { name: "pace", in: ["held"] } }],
    needs: [{ guard: "var", args: { name: "mood", in: ["glad"] }, ...row, ask: "really" }],
    effects: [MAIL],
    rule: "R-1",
  },
];

const OPENS = [
  {
    from: ["idea"],
    when: [calm],
    to: "ready",
    needs: [{ ...calm, ...row }],
    effects: [MAIL],
    rule: "R-3",
  },
  {
    from: ["idea", "late"],
    when: [{ guard: "var", args: { name: "mood", in: ["wild"] } }],
    needs: [{ ...calm, ...row }],
    rule: "R-4",
  },
  { from: ["late"], rule: "R-5" },
];

const PROTOCOL = {
  name: "press",
  version: 1,
  root: "article",
  vars: { mood: "calm", pace: null },
  guards: {},
  looks: [],
  questions: {
    begin: { prompt: "Begin?", options: [{ id: "yes", label: "Yes", does: [] }], rule: "R-6" },
    shy: {
      prompt: "Shy?",
      options: [],
      needs: [{ guard: "var", args: { name: "mood", in: ["glad"] } }],
      rule: "R-7",
    },
  },
  work: {},
  kinds: {
    article: {
      states: [],
      start: "idea",
      ends: [],
      moves: [],
      starts: STARTS,
      gates: { drafted: "begin", late: "shy" },
    },
    part: { states: [], start: "fresh", ends: [], moves: [], starts: OPENS },
    plain: { states: [], start: "fresh", ends: [], moves: [] },
  },
} as unknown as Protocol;

function drafted(
  command: object,
  {
    state = emptyWorkflow("w"),
    person = true,
    signed = false,
  }: {
    readonly state?: Workflow;
    readonly person?: boolean;
    readonly signed?: boolean;
  } = {},
): Draft {
  return beginDraft({
    protocol: PROTOCOL,
    state,
    envelope: {
      id: "1",
      at: "2030-01-01T00:00:00.000Z",
      session: "s",
      actor: person ? { kind: "person", name: "ada" } : { kind: "agent", name: "bot" },
      ...(signed ? { policy: [{ strength: "signed", gates: {} }] } : {}),
    },
    command: command as Command,
    evidence: {},
  });
}

const codes = ({ refusals }: Draft): readonly string[] => refusals.map(({ code }) => code);

describe("a start", () => {
  function started(vars: JsonObject): Draft {
    const command = { type: "workflow.start", workflow: "w", vars } as const;
    const draft = drafted(command);
    start(draft, command);
    return draft;
  }

  test("is where the protocol begins, with its variables", () => {
    const draft = started({});
    expect(draft.state.units["."]).toMatchObject({ kind: "article", at: "idea" });
    expect(draft.state.vars).toEqual({ mood: "calm", pace: null });
    expect(draft.events.map(({ type }) => type)).toEqual(["workflow.started", "unit.opened"]);
    expect([draft.effects, draft.asks]).toEqual([[], null]);
  });

  test("by a row is where the row leads, once, with what it does and asks", () => {
    const draft = started({ pace: "quick" });
    expect(draft.state.units["."]?.at).toBe("drafted");
    expect(draft.events.map(({ type }) => type)).toEqual([
      "workflow.started",
      "unit.opened",
      "note.added",
    ]);
    expect(draft.events[2]).toMatchObject({ tag: "begun", text: "at quick" });
    expect(draft.effects).toEqual([{ row: MAIL, unit: "." }]);
    expect(draft.asks).toEqual({ question: "begin", unit: ".", about: {} });
    expect(started({ pace: "slow" }).events).toHaveLength(2);
  });

  test("is refused by the guards of its row, and held before it touches anything", () => {
    expect(codes(started({ pace: "quick", mood: "wild" }))).toEqual(["not-calm"]);
    const held = started({ pace: "held" });
    expect(held.holds).toHaveLength(1);
    expect(held.effects).toEqual([]);
    expect(started({ pace: "held", mood: "glad" }).effects).toHaveLength(1);
  });
});

describe("an adoption", () => {
  const IMPORT = {
    at: "idea",
    why: "found",
    vars: {},
    units: [],
    notes: [],
    seals: {},
    from: {},
  };
  function adopted(more: object, as: Parameters<typeof drafted>[1] = {}): Draft {
    const command = {
      type: "workflow.adopt",
      workflow: "w",
      import: { ...IMPORT, ...more },
    } as never;
    const draft = drafted(command, as);
    adopt(draft, command);
    return draft;
  }
  const decision = (settled: object | null): object => ({
    id: "D-1",
    question: "begin",
    prompt: "Begin?",
    about: {},
    settled,
  });

  test.each<[string, object, boolean]>([
    ["a beginning", {}, false],
    ["a beginning by a row", { at: "drafted" }, false],
    ["a step", { at: "printed" }, true],
    [
      "a part that began by a row",
      { units: [{ id: "p", kind: "part", at: "ready", data: {} }] },
      false,
    ],
    ["a fresh part", { units: [{ id: "p", kind: "part", at: "fresh", data: {} }] }, false],
    [
      "a part that is done beside a fresh one",
      {
        units: [
          { id: "p", kind: "part", at: "fresh", data: {} },
          { id: "q", kind: "part", at: "done", data: {} },
        ],
      },
      true,
    ],
    ["an open question", { decisions: [decision(null)] }, false],
    [
      "an answer beside an open question",
      {
        decisions: [
          decision(null),
          { ...decision({ status: "answered", option: "yes", text: "" }), id: "D-2" },
        ],
      },
      true,
    ],
  ])("of %s", (_, more, beyond) => {
    const agent = { person: false };
    expect(codes(adopted(more, agent))).toEqual(beyond ? ["person-required"] : []);
    expect(codes(adopted(more))).toEqual([]);
    expect(codes(adopted(more, { signed: true }))).toEqual(beyond ? ["signature-missing"] : []);
    expect(adopted(more).state.units["."]).toBeDefined();
    expect(adopted(more, agent).events.length > 0).toBe(!beyond);
  });

  test("keeps the owner, and asks what stands there", () => {
    expect(adopted({}).events.some(({ type }) => type === "lease.taken")).toBe(false);
    expect(adopted({ owner: "human:ben" }).events).toContainEqual({
      type: "lease.taken",
      session: "human:ben",
      holder: "person:ada",
    });
    expect(adopted({}).asks).toBeNull();
    expect(adopted({ at: "drafted" }).asks).toMatchObject({ question: "begin" });
    expect(adopted({ asks: "begin" }).asks).toMatchObject({ question: "begin" });
    expect(adopted({ at: "drafted", asks: "shy" }).asks).toMatchObject({ question: "begin" });
    expect(adopted({ at: "late" }).asks).toBeNull();
    expect(adopted({ at: "late", vars: { mood: "glad" } }).asks).toMatchObject({ question: "shy" });
  });
});

describe("a part", () => {
  function opened(at: string, more: object = {}, vars: JsonObject = {}): Draft {
    const { workflow } = scopeFor({
      units: { ".": { kind: "article", at }, old: { kind: "part" } },
      vars: { mood: "calm", ...vars },
    });
    const command = {
      type: "unit.open",
      unit: "p",
      kind: "part",
      data: { name: "n" },
      ...more,
    } as never;
    const draft = drafted(command, { state: workflow });
    openUnit(draft, command);
    return draft;
  }
  const told = ({ refusals }: Draft): string =>
    refusals.map(({ code, fix, rule }) => `${code} ${showJson(fix as string)} ${rule}`).join();

  test("comes by the row that fits where the workflow stands", () => {
    const first = opened("idea");
    expect(first.state.units["p"]).toMatchObject({
      kind: "part",
      at: "ready",
      data: { name: "n", added_at_state: "idea" },
    });
    expect(first.effects).toEqual([{ row: MAIL, unit: "p" }]);
    expect(opened("late").state.units["p"]).toMatchObject({ at: "fresh" });
  });

  test("is refused where no row fits, once it is there, and by the guards of its row", () => {
    const nowhere = (rule: string, places = "idea, late"): string =>
      `open-illegal It can be added in ${places}, once. ${rule}`;
    expect(told(opened("printed"))).toBe(nowhere("R-3"));
    expect(told(opened("idea", {}, { mood: "glad" }))).toBe(nowhere("R-3"));
    expect(told(opened("idea", { unit: "old" }))).toBe(nowhere("R-3"));
    expect(told(opened("idea", { kind: "plain" }))).toMatch(
      /Give plain starts .* from: \["idea"\]/,
    );
    expect(told(opened("idea", { kind: "article" }))).toBe(nowhere("core", "no state"));
    expect(told(opened("idea", { kind: "none" }))).toBe(nowhere("core", "no state"));
    const wild = opened("idea", {}, { mood: "wild" });
    expect(codes(wild)).toEqual(["not-calm"]);
    expect(wild.events).toEqual([]);
  });
});
