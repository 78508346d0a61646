import fc from "fast-check";
import { expect, test } from "vitest";
import { PHASED, START, plugin } from "../../../../test/plugin.ts";
import { AGENT } from "../../../../test/story.ts";
import type { As, Story } from "../../../../test/story.ts";
import type { Command } from "../../../core/state/commands.ts";
import type { Json } from "../../../core/values/json.ts";
import { targetOf } from "./position.ts";
import { pluginWorkflow } from "./protocol.ts";

/*
 * PW-215: nobody goes on to the next stage without a person's confirmation. Agents may try anything
 * in any order: hand work out, report truth and lies, cancel, take leases over, answer, waive, set
 * grants, ask for moves. The engine settles whatever is wanted. Persons do nothing but start.
 */

const RUNS = 120;
const STEPS_MAX = 25;

const specs = fc.constantFrom(...Object.keys(pluginWorkflow.work));
const moves = fc.constantFrom(
  ...Object.values(pluginWorkflow.kinds).flatMap((kind) => kind.moves.map((move) => move.id)),
);
const units = fc.constantFrom(".", "3.1", "3.2", "4.1", "nope");
const outcomes = fc.constantFrom("success", "state-failure", "failure", "not-ready", "unreadable");
const texts = fc.constantFrom("1", "continue", "pause", "retry", "other: go", "manual", "resume");
const questions = fc.constantFrom(...Object.keys(pluginWorkflow.questions));

type Step = (told: Story, as: As) => void;

const says =
  (command: (told: Story) => Command): Step =>
  (told, as) =>
    void told.when(command(told), as);

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(specs, units)
      .map(([spec, unit]) => says(() => ({ type: "dispatch.send", spec, unit }))),
  },
  { weight: 4, arbitrary: outcomes.map((outcome) => says((told) => report(told, { outcome }))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(outcomes, units)
      .map(([outcome, phase]) => says((told) => report(told, { outcome, phase, stage: 3 }))),
  },
  {
    weight: 2,
    arbitrary: texts.map((text) =>
      says((told) => ({ type: "decision.answer", decision: lastOf(told.state.decisions), text })),
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(moves, units)
      .map(([move, unit]) =>
        says(() => ({ type: "unit.move", unit, move, reason: "r", input: { version: "1.0.1" } })),
      ),
  },
  {
    weight: 2,
    arbitrary: fc.constant(
      says((told) => ({
        type: "dispatch.cancel",
        dispatch: lastOf(told.state.dispatches),
        reason: "r",
      })),
    ),
  },
  {
    weight: 1,
    arbitrary: questions.map((question) =>
      says(() => ({ type: "decision.ask", question, unit: ".", about: {} })),
    ),
  },
  {
    weight: 1,
    arbitrary: questions.map((asks) =>
      says((told) => ({
        type: "dispatch.park",
        dispatch: lastOf(told.state.dispatches),
        claim: { agent: "x", outcome: "success" },
        asks,
        about: {},
      })),
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("express", "auto_phase", "gui_type", "paused")
      .map((name) =>
        says(() => ({ type: "vars.set", name, value: name === "gui_type" ? "headless" : true })),
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<"dead" | "none">("dead", "none")
      .map((previous) => says(() => ({ type: "lease.take", previous, why: "r" }))),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom<Command>(
        { type: "lease.release" },
        { type: "lease.break", reason: "r" },
        { type: "gate.waive", unit: ".", gate: "stage-0-complete", reason: "r" },
        { type: "artifact.reseal", artifacts: [], reason: "r" },
        { type: "note.add", list: "overrides", tag: "design-sync", text: "ok" },
        {
          type: "finding.record",
          unit: ".",
          kind: "tests",
          by: "engine",
          value: "passed",
          bound: {},
        },
      )
      .map((command) => says(() => command)),
  },
  { weight: 5, arbitrary: fc.constant<Step>((told) => void told.settle()) },
);

const plays = fc.array(fc.tuple(steps, fc.constantFrom("s-1", "s-2")), { maxLength: STEPS_MAX });

function report(told: Story, extra: Readonly<Record<string, Json>>): Command {
  const dispatch = Object.values(told.state.dispatches).at(-1);
  const target = dispatch === undefined ? {} : targetOf(dispatch);
  const claim = {
    agent: dispatch?.role ?? "x",
    outcome: "success",
    files: [],
    ...target,
    ...extra,
  };
  return { type: "dispatch.report", dispatch: dispatch?.id ?? "W-1", claim };
}

function lastOf(record: Readonly<Record<string, unknown>>): string {
  return Object.keys(record).at(-1) ?? "none";
}

function play(told: Story, script: readonly (readonly [Step, string])[]): Story {
  for (const [step, session] of script) step(told, { ...AGENT, session });
  return told;
}

test("[PW-215][PW-100] agents alone never get past the first report", () => {
  fc.assert(
    fc.property(plays, (script) => {
      const told = play(plugin(PHASED).when(START), script);
      const sent = told.history.flatMap((event, index) =>
        event.type === "dispatch.sent" ? [{ event, index }] : [],
      );
      // Only planning is ever handed out; a second time only when the first was given up, not reported.
      expect(new Set(sent.map(({ event }) => event.spec)).size).toBeLessThanOrEqual(1);
      expect(sent.every(({ event }) => event.spec === "research")).toBe(true);
      const reported = told.history.findIndex(
        (event) => event.type === "dispatch.ended" && event.outcome !== "cancelled",
      );
      expect(sent.every(({ index }) => reported < 0 || index < reported)).toBe(true);
      expect(answeredBy(told)).toEqual([]);
    }),
    { numRuns: RUNS, seed: 215 },
  );
});

test("[PW-215] and from a menu in the middle they get nowhere at all", () => {
  const middle = plugin(PHASED).when(START).send("research").report(claim()).settle();
  middle
    .reply("stage-0-complete", "1")
    .report({ ...claim(), stage: 2 })
    .settle();
  middle.expectHeld("stage-2-complete");
  fc.assert(
    fc.property(plays, (script) => {
      const told = play(middle.fork(), script);
      expect(Object.keys(told.state.dispatches)).toEqual(["W-1", "W-2"]);
      expect(told.state.units["."]?.at).toBe("s2");
      expect(told.open.map((one) => one.question)).toContain("stage-2-complete");
    }),
    { numRuns: RUNS, seed: 216 },
  );
});

test("[PW-215][PW-312] with a person's grant they go on, and the journal says by which", () => {
  fc.assert(
    fc.property(plays, (script) => {
      const told = plugin(PHASED).when(START);
      told.when({ type: "vars.set", name: "express", value: true });
      play(told, script);
      for (const by of answeredBy(told)) expect(by).toMatch(/^grant:(express|auto_phase)$/);
    }),
    { numRuns: RUNS, seed: 312 },
  );
});

test("[PW-215] the players can do harm: with a person who always says yes, stages are passed", () => {
  const told = plugin(PHASED).when(START).send("research", ".", AGENT);
  told.report(claim(), AGENT).settle().reply("stage-0-complete", "1");
  expect(Object.keys(told.state.dispatches)).toEqual(["W-1", "W-2"]);
});

function answeredBy(told: Story): readonly string[] {
  return told.history.flatMap((event) =>
    event.type === "decision.settled" && event.status === "answered" ? [event.by] : [],
  );
}

function claim(): Readonly<Record<string, Json>> {
  return { stage: 0, phase: null, files: [], stateUpdated: true };
}
