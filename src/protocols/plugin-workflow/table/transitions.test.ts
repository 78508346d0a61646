// Stories assert with expectAccepted, expectHeld and expectRefused.
// oxlint-disable vitest/expect-expect
import { describe, expect, test } from "vitest";
import type { Workflow } from "../../../core/state/state.ts";
import {
  ID,
  START,
  adopted,
  honest,
  phases,
  plugin,
  startedPlugin,
  statusesOf,
} from "../../../../test/plugin.ts";
import type { Given } from "../../../../test/plugin.ts";
import type { Story } from "../../../../test/story.ts";
import { positionOf } from "./position.ts";
import { pluginWorkflow } from "./protocol.ts";

const IDEATED = "💡 Ideated";
const DRAFTED = "💡 Ideated (Draft Params)";
const WORKING = "✅ Working";
const INSTALLED = "📦 Installed";
const IMPROVING = "🚧 Improving";
const REMOVED = "";
const stage = (number: number | string): string => `🚧 Stage ${number}`;

const WEBVIEW: Given = { [`mockup:${ID}`]: true };
const gui = { gui_type: "webview", handoff: true, version: "1.0.0" };
const headless = { ...gui, gui_type: "headless" };

/** Every place a plugin can stand at, in all its variants. */
const PLACES: readonly (readonly [string, () => Story])[] = [
  [IDEATED, () => startedPlugin()],
  [DRAFTED, () => startedPlugin().move("draft")],
  [stage(0), () => adopted("s0")],
  [stage(2), () => adopted("s2")],
  [stage(2), () => adopted("s2", {}, { units: phases() })],
  [stage("3.1"), () => adopted("s2", {}, { units: phases("3.1") })],
  [stage("3.2"), () => adopted("s2", {}, { units: phases("3.1", "3.2") })],
  [stage(3), () => adopted("s3", WEBVIEW, { vars: gui })],
  [stage(3), () => adopted("s3", {}, { vars: headless })],
  [stage(3), () => adopted("s3", WEBVIEW, { vars: gui, units: phases("3.1", "3.2", "3.3") })],
  [
    stage("4.1"),
    () => adopted("s3", WEBVIEW, { vars: gui, units: phases("3.1", "3.2", "3.3", "4.1") }),
  ],
  [
    stage("4.2"),
    () => adopted("s3", WEBVIEW, { vars: gui, units: phases("3.1", "3.2", "3.3", "4.1", "4.2") }),
  ],
  [stage(4), () => adopted("s4")],
  [stage(5), () => adopted("s5")],
  [WORKING, () => adopted("working")],
  [INSTALLED, () => adopted("installed")],
  [IMPROVING, () => adopted("working").move("improve").settle()],
  [IMPROVING, () => adopted("installed").move("improve").settle()],
];

const RUNNING = [2, "3.1", "3.2", 3, "4.1", "4.2", 4, 5].map(stage);
const ANY = [IDEATED, DRAFTED, stage(0), ...RUNNING, WORKING, INSTALLED, IMPROVING];

/** The legal transitions, as the rules number them. T16 is T14 and T15 in one step; T20 to T22 are imports. */
const LEGAL: readonly (readonly [string, string, string])[] = [
  ["T02", IDEATED, DRAFTED],
  ["T03", DRAFTED, stage(0)],
  ["T04", IDEATED, stage(0)],
  ["T05", stage(0), stage(2)],
  ["T06", stage(2), stage(3)],
  ["T07", stage(2), stage("3.1")],
  ["T08", stage("3.1"), stage("3.2")],
  ["T08", stage("3.2"), stage("3.3")],
  ["T09", stage("3.3"), stage(3)],
  ["T10", stage(3), stage(4)],
  ["T11", stage(3), stage("4.1")],
  ["T12", stage("4.1"), stage("4.2")],
  ["T12", stage("4.2"), stage("4.3")],
  ["T13", stage("4.3"), stage(4)],
  ["T14", stage(4), stage(5)],
  ["T15", stage(5), WORKING],
  ["T17", WORKING, INSTALLED],
  ["T18", INSTALLED, IMPROVING],
  ["T19", IMPROVING, INSTALLED],
  ["T23", WORKING, IMPROVING],
  ["T23", IMPROVING, WORKING],
  ["T24", INSTALLED, WORKING],
  ...[...RUNNING, WORKING, INSTALLED].map((from) => ["T25", from, IDEATED] as const),
  ...ANY.map((from) => ["T26", from, REMOVED] as const),
];

/** Examples that must be refused. */
const ILLEGAL: readonly (readonly [string, string])[] = [
  [stage(2), stage(5)],
  [stage(0), stage(3)],
  [stage(4), stage(2)],
  [stage("3.2"), stage("3.1")],
  [stage("3.1"), stage("3.3")],
  [stage("3.1"), stage(3)],
  [WORKING, stage(3)],
  [INSTALLED, stage(2)],
  [INSTALLED, stage(5)],
  [IDEATED, stage(2)],
  [DRAFTED, stage(3)],
  [stage(2), stage("2.1")],
  [stage(0), stage("0.1")],
  [stage(5), stage("5.1")],
  [stage(4), INSTALLED],
  [IMPROVING, stage(3)],
];

const MOVES = [...new Set(pluginWorkflow.kinds["plugin"]?.moves.map((move) => move.id))];
const SPECS = Object.keys(pluginWorkflow.work);

/** Everything anybody could try at a place, and the pairs of statuses it leads through. */
function tryEverything(place: () => Story): readonly string[] {
  const tries: ((told: Story) => Story)[] = [
    ...MOVES.map((move) => (told: Story) => told.when(asked(move))),
    ...SPECS.flatMap((spec) =>
      Object.keys(place().state.units).map((unit) => (told: Story) => {
        told.send(spec, unit);
        if (told.answer.kind === "refused" || told.open.length > 0) return told;
        return told.report(honest(told));
      }),
    ),
  ];
  return tries.flatMap((attempt) => {
    const told = place();
    const before: Workflow = told.state;
    const since = told.history.length;
    attempt(told);
    const after = statusesOf(before, told, since);
    return after.slice(1).map((to, index) => `${after[index] ?? ""} → ${to}`);
  });
}

function asked(move: string) {
  const input = { version: "1.1.0", description: "better" };
  return { type: "unit.move", unit: ".", move, reason: "because", input } as const;
}

describe("transitions of the status", () => {
  const reached = new Set(PLACES.flatMap(([, place]) => tryEverything(place)));

  test.each(LEGAL)("[PW-170] %s %s → %s is accepted under its condition", (_, from, to) => {
    expect(reached).toContain(`${from} → ${to}`);
  });

  test.each(ILLEGAL)("[PW-171] %s → %s is refused", (from, to) => {
    expect(reached).not.toContain(`${from} → ${to}`);
  });

  test("[PW-172] no other pair can be reached", () => {
    const legal = new Set(LEGAL.map(([, from, to]) => `${from} → ${to}`));
    expect([...reached].filter((pair) => !legal.has(pair))).toEqual([]);
  });

  test.each(PLACES)("[PW-170] %s is where it says it stands", (status, place) => {
    expect(positionOf(place().state).registry).toBe(status);
  });

  test("[PW-170] T01: a plugin begins as an idea", () => {
    expect(positionOf(plugin().when(START).state).registry).toBe(IDEATED);
  });

  test("[PW-170] T16: validation begins and passes", () => {
    const told = adopted("s4").move("begin-validation").move("validate");
    expect(positionOf(told.state).registry).toBe(WORKING);
  });

  test("[PW-170] T20, T21: files with phases are taken over, the roll-up is recorded first", () => {
    const first = adopted("s2", {}, { units: phases("3.1") }).expectAccepted();
    expect(positionOf(first.state).registry).toBe(stage("3.1"));
    const last = adopted("s2", {}, { units: phases("3.1", "3.2", "3.3") });
    last.expectHeld("stage-3-complete");
    expect(positionOf(last.state).registry).toBe(stage(3));
    expect(last.state.notes.filter((note) => note.tag === "Stage 3")).toHaveLength(2);
  });

  test("[PW-170] T22: an old stage 6 comes in as validation", () => {
    const told = adopted("s5").move("validate");
    expect(positionOf(told.state).registry).toBe(WORKING);
  });
});

describe("every state with every move", () => {
  /** Which moves anybody can ask for, by state. Everything else is refused. */
  const ALLOWED: Readonly<Record<string, readonly string[]>> = {
    ideated: ["draft", "destroy"],
    drafted: ["destroy"],
    s0: ["destroy"],
    s2: ["reset", "destroy"],
    s3: ["reset", "destroy"],
    s4: ["begin-validation", "reset", "destroy"],
    s5: ["validate", "reset", "destroy"],
    working: ["install", "improve", "reset", "destroy"],
    installed: ["uninstall", "improve", "reset", "destroy"],
    improving: ["improved", "destroy"],
    removed: [],
  };
  const states = pluginWorkflow.kinds["plugin"]?.states ?? [];
  const pairs = states.flatMap((state) =>
    [...MOVES, "finish-phase", "teleport"].map((move) => [state, move] as const),
  );

  test.each(pairs)("[PW-172][PW-173][PW-174] %s, %s", (state, move) => {
    const back = state === "improving" ? { back: ["working"] } : {};
    const told = adopted(state, {}, back).when(asked(move));
    const refused = told.refusals.map((one) => one.code);
    const moved = told.state.units["."]?.at !== state;
    const allowed = ALLOWED[state]?.includes(move) === true;
    expect({ moved, reasons: refused.length }).toEqual({
      moved: allowed,
      reasons: allowed ? 0 : 1,
    });
    expect(["transition-illegal", "actor-not-allowed"]).toEqual(expect.arrayContaining(refused));
  });

  test("[PW-171] no phase where the plan has none, and none out of order", () => {
    const told = adopted("s2");
    for (const spec of ["dsp-phase", "gui-phase"])
      for (const unit of ["3.1", "."]) told.send(spec, unit).expectRefused("dispatch-illegal");
    const phased = adopted("s2", {}, { units: phases() });
    phased.send("dsp").expectRefused("dispatch-illegal");
    phased.send("dsp-phase", "3.2").expectRefused("phase-order");
    phased.send("gui-phase", "4.1").expectRefused("dispatch-illegal");
    phased.send("dsp-phase", "3.1").expectAccepted();
  });
});

describe("pointers", () => {
  test("[PW-176][PW-305] at a finished plugin every stage is refused, pointing to improve", () => {
    for (const state of ["working", "installed"]) {
      const told = adopted(state);
      for (const spec of SPECS) {
        told.send(spec).expectRefused("dispatch-illegal");
        expect(told.refusals[0]?.fix).toContain("improve");
      }
      told.move("finish-3").expectRefused("transition-illegal");
      expect(told.refusals[0]?.fix).toContain("improve");
    }
  });

  test("[PW-177][PW-305] at an idea building is refused, pointing to planning", () => {
    const told = startedPlugin().send("foundation").expectRefused("dispatch-illegal");
    expect(told.refusals[0]?.fix).toContain("research");
  });

  test("[PW-306] planning is refused from stage 2 on", () => {
    for (const state of ["s2", "s3", "s4", "s5"])
      adopted(state).send("research").expectRefused("dispatch-illegal");
  });

  test("[PW-308] a plugin in development is not improved", () => {
    for (const state of ["s0", "s2", "s3", "s4", "s5"])
      adopted(state).move("improve").expectRefused("transition-illegal");
  });
});
