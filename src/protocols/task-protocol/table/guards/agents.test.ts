/** What agents must have done, may claim: each guard by itself. */
import { describe, expect, test } from "vitest";
import { AT, judged, scopeFor } from "../../../../../test/scope.ts";
import type { Stands } from "../../../../../test/scope.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { agentGuards, lastError } from "./agents.ts";

const on = (name: string): ReturnType<typeof judged> => judged(agentGuards, name);

/** Agents at their places, and the task in a state that it came to with record 5. */
function task(more: Stands = {}, state = "IMPLEMENTATION"): Stands {
  const { units, ...rest } = more;
  return {
    units: {
      ".": { kind: "root", at: state, entered: { [state]: 5 } },
      quality: { kind: "agent", at: "ready" },
      style: { kind: "agent", at: "ready" },
      ...units,
    },
    unit: "quality",
    ...rest,
  };
}
const word = (kind: string, by: string, value: string, more: object = {}): object => ({
  kind,
  by,
  value,
  ...more,
});

describe("agents of a task", () => {
  test("[TP-073] are chosen, or the risk is LOW and it is said why", () => {
    const none = (vars: JsonObject): unknown => on("agents-chosen")({ vars });
    expect(on("agents-chosen")(task())).toBeUndefined();
    expect(none({ risk_level: "LOW", risk_reason: "prose" })).toBeUndefined();
    expect(none({ risk_level: "LOW" })).toBe("no agent is selected for LOW risk");
    expect(none({ risk_level: "HIGH", risk_reason: "x" })).toBe(
      "no agent is selected for HIGH risk",
    );
    expect(none({})).toBe("no agent is selected for unclassified risk");
    expect(on("agents-some")(task())).toBeUndefined();
    expect(on("agents-some")({})).toBe("no agent is selected");
    const preparing = { units: { a: { kind: "agent", at: "preparing" } } };
    expect(on("agents-some")(preparing)).toBe("no agent is selected");
  });

  test("[TP-169] have each vouched for what is there now, since", () => {
    const each = (...findings: readonly object[]): unknown =>
      on("each-agent")(
        task({
          findings: Object.fromEntries(findings.map((one, n) => [`f${n}`, one])),
          facts: { x: "1" },
        }),
        { kind: "review", value: "APPROVED", since: "IMPLEMENTATION" },
      );
    const a = word("review", "quality", "APPROVED", { bound: { x: "1" } });
    expect(each(a, word("review", "style", "APPROVED"))).toBeUndefined();
    const says = "no fresh review APPROVED by style";
    expect(each(a)).toBe(says);
    for (const other of [
      word("round", "style", "APPROVED"),
      word("review", "style", "REJECTED"),
      word("review", "style", "APPROVED", { seq: 5 }),
      word("review", "style", "APPROVED", { bound: { x: "2" } }),
    ])
      expect(each(a, other)).toBe(says);
    expect(each()).toBe("no fresh review APPROVED by quality, style");
  });

  test("[TP-093] are done, or counted and named", () => {
    const done = (...findings: readonly object[]): unknown =>
      on("completed")(
        task({
          findings: Object.fromEntries(findings.map((one, n) => [`f${n}`, one])),
          facts: { x: "1" },
        }),
        { kind: "implementation", since: "IMPLEMENTATION" },
      );
    const a = word("implementation", "quality", "COMPLETE", { bound: { x: "1" } });
    const b = word("implementation", "style", "COMPLETE", { bound: { y: null } });
    expect(done(a, b)).toBeUndefined();
    expect(done(a)).toBe("1/2 agents complete; missing: style");
    expect(done()).toBe("0/2 agents complete; missing: quality, style");
    for (const other of [
      word("implementation", "style", "ERROR"),
      word("implementation", "style", "COMPLETE", { seq: 5 }),
      word("implementation", "style", "COMPLETE", { bound: { x: "2" } }),
      word("requirements", "style", "COMPLETE"),
    ])
      expect(done(a, other)).toBe("1/2 agents complete; missing: style");
    // The newest word counts, in whichever order they lie.
    expect(done(a, b, word("implementation", "style", "ERROR", { seq: 10 }))).toContain("style");
    expect(done(a, word("implementation", "style", "ERROR", { seq: 8 }), b)).toBeUndefined();
    expect(done(a, b, word("implementation", "style", "ERROR", { seq: 8 }))).toBeUndefined();
  });

  test("[TP-090] that failed are named with what they said", () => {
    const args = { kind: "implementation", since: "IMPLEMENTATION" };
    const failed = (more: object, dispatches: Stands["dispatches"] = {}): unknown =>
      on("no-errors")(
        task({ findings: { f: word("implementation", "style", "ERROR", more) }, dispatches }),
        args,
      );
    expect(failed({})).toBe("style: error");
    expect(failed({ seq: 5 })).toBeUndefined();
    expect(failed({ value: "COMPLETE" })).toBeUndefined();
    const ended = (
      outcome: string,
      claim: JsonObject | null = null,
      more: object = {},
    ): object => ({
      unit: "style",
      status: "ended",
      outcome,
      claim,
      ...more,
    });
    expect(failed({}, { a: ended("ERROR", { error_message: "no disk" }) })).toBe("style: no disk");
    expect(failed({}, { a: ended("ERROR") })).toBe("style: ERROR");
    const older = ended("ERROR", { error_message: "old" });
    expect(failed({}, { a: older, b: ended("BLOCKED") })).toBe("style: BLOCKED");
    for (const other of [
      ended("COMPLETE"),
      ended("X", null, { status: "open" }),
      ended("X", null, { unit: "q" }),
    ])
      expect(failed({}, { a: older, b: other })).toBe("style: old");
    expect(lastError(scopeFor({}).workflow, "style")).toBe("error");
  });
});

describe("reports", () => {
  test("[TP-104] are there, and say something", () => {
    const found = (
      report: Json | undefined,
      vars: JsonObject = { report_bytes_min: 10 },
    ): unknown => on("report")(task({ facts: { "report:quality": report }, vars }));
    expect(found(undefined)).toBeUndefined();
    expect(found(null)).toBe("quality: the report is missing");
    expect(found({ bytes: 0 })).toBe("quality: the report is empty");
    expect(found({})).toBe("quality: the report is empty");
    expect(found({ bytes: 9 })).toBe("quality: the report has 9 bytes, at least 10 needed");
    expect(found({ bytes: 10 })).toBeUndefined();
    expect(found({ bytes: 1 }, {})).toBeUndefined();
    const all = (facts: Stands["facts"]): unknown => on("reports")(task({ facts }));
    expect(all({ "report:quality": { bytes: 3 } })).toBeUndefined();
    expect(all({ "report:quality": null, "report:style": { bytes: 0 } })).toBe(
      "quality: the report is missing; style: the report is empty",
    );
  });

  test("[TP-099] are for this task, mode and round", () => {
    const current = (claim: JsonObject, dispatch = "W-1"): unknown =>
      on("current")(
        task({
          claim,
          dispatch,
          dispatches: {
            "W-0": { unit: "quality", spec: "implementation" },
            "W-1": { unit: "quality", spec: "implementation" },
          },
        }),
      );
    expect(current({})).toBeUndefined();
    expect(current({ task: "w", mode: "implementation", round: 2 })).toBeUndefined();
    expect(current({ round: 1 }, "W-9")).toBeUndefined();
    expect(current({ task: "x", mode: "validation", round: 1 })).toBe(
      'the report is for something else: task is "x", handed out was "w"; mode is "validation", handed out was "implementation"; round is 1, handed out was 2',
    );
  });

  test("[TP-096] are waited for so many minutes", () => {
    const minutes = (count: number): string =>
      new Date(Date.parse(AT) - count * 60_000).toISOString();
    const overdue = (sent: number, status: Json | undefined, vars: JsonObject = {}): unknown =>
      on("overdue")(
        task({
          vars,
          facts: { "agent-status:quality": status },
          dispatches: { "W-1": { unit: "quality", sentAt: minutes(sent) } },
        }),
      );
    expect(on("overdue")(task())).toBeUndefined();
    expect(overdue(61, {})).toBeUndefined();
    expect(overdue(60, { updated_at: AT })).toBe("last heard of 0.0 of 30 minutes ago");
    expect(overdue(4, undefined)).toBeUndefined();
    expect(overdue(5, null)).toBe("started 5.0 of 5 minutes ago");
    expect(overdue(6, null)).toBeUndefined();
    expect(overdue(30, {})).toBe("last heard of 30.0 of 30 minutes ago");
    expect(overdue(31, {})).toBeUndefined();
    expect(overdue(50, { updated_at: minutes(31) })).toBeUndefined();
    expect(overdue(9, null, { status_minutes_max: 10 })).toContain("of 10 minutes");
    expect(overdue(9, {}, { stale_minutes_max: 10 })).toContain("of 10 minutes");
    expect(overdue(9, {}, { wait_minutes_max: 8 })).toBeUndefined();
  });

  test("[TP-171] give what was asked for", () => {
    const said = (claim: JsonObject): unknown => on("said")(task({ claim }), { field: "feedback" });
    expect(said({ feedback: "x" })).toBeUndefined();
    expect(said({ feedback: " " })).toBe("the report does not give feedback");
    expect(on("said")(task(), { field: "feedback" })).toBe("the report does not give feedback");
  });
});

describe("work and judgement", () => {
  test("[TP-222] who joined late has looked at the branch first", () => {
    const first = (state: string, findings: Stands["findings"] = {}): unknown =>
      on("reviewed-first")(
        task({ findings, units: { quality: { kind: "agent", data: { added_at_state: state } } } }),
      );
    expect(first("SYNTHESIS")).toBeUndefined();
    expect(first("IMPLEMENTATION")).toBe(
      "quality joined during IMPLEMENTATION and has not looked at the task branch",
    );
    expect(first("IMPLEMENTATION", { f: word("round", "quality", "APPROVED") })).toBeUndefined();
    expect(first("IMPLEMENTATION", { f: word("round", "style", "APPROVED") })).toContain("quality");
  });

  test("[TP-155] is on the agent's own branch", () => {
    const branch = (place: Json | undefined): unknown =>
      on("agent-branch")(task({ facts: { "worktree:quality": place } }));
    expect(branch(undefined)).toBeUndefined();
    expect(branch({ branch: "w-quality" })).toBeUndefined();
    for (const other of [null, {}, { branch: "w" }])
      expect(branch(other)).toBe("{root}/w/agents/quality/code is not on w-quality");
  });

  test("[TP-161] brings something, or the plan has no part for it, or a person agreed", () => {
    const says = "the plan gives quality a part, and its branch brings nothing";
    const brings = (files: Json | undefined, part: Json | undefined, more: Stands = {}): unknown =>
      on("brought")(
        task({ ...more, facts: { "brings:quality": files, "parts:quality": part, x: "1" } }),
      );
    expect(brings(undefined, true)).toBeUndefined();
    expect(brings([], undefined)).toBeUndefined();
    expect(brings(["a"], true)).toBeUndefined();
    expect(brings([], false)).toBeUndefined();
    expect(brings([], true)).toBe(says);
    expect(brings([], true, { claim: { details: "none needed" } })).toBe(`${says} (none needed)`);
    expect(brings([], true, { claim: { feedback: "why" } })).toBe(`${says} (why)`);
    const agreed = (more: object): unknown =>
      brings([], true, {
        decisions: {
          D: {
            question: "no-work",
            unit: "quality",
            settled: { option: "agree", seq: 6 },
            bound: { x: "1" },
            ...more,
          } as never,
        },
      });
    expect(agreed({})).toBeUndefined();
    for (const other of [
      { question: "x" },
      { unit: "style" },
      { settled: { option: "no", seq: 6 } },
      { settled: { option: "agree", seq: 5 } },
      { bound: { x: "2" } },
    ])
      expect(agreed(other), JSON.stringify(other)).toBe(says);
  });

  test("[TP-169] is for what was handed out, by one who leaves it alone, once", () => {
    const order = (baseline: JsonObject, facts: Stands["facts"]): Stands =>
      task({ facts, dispatches: { "W-1": { baseline } } });
    const handed = on("as-handed-out");
    expect(handed(order({ "work:w": "1" }, { "work:w": "1" }))).toBeUndefined();
    expect(handed(order({ "work:w": "1" }, {}))).toBeUndefined();
    expect(handed(order({}, { "work:w": "1" }))).toBeUndefined();
    expect(handed(task({ facts: { "work:w": "1" } }))).toBeUndefined();
    expect(handed(order({ "work:w": "1" }, { "work:w": "2" }))).toBe(
      "the change is another one than the one that was handed out to be judged",
    );
    const idle = on("judge-idle");
    expect(idle(order({ "clean:w": ["a"] }, { "clean:w": ["a"] }))).toBeUndefined();
    expect(idle(order({ "clean:w": ["a"] }, { "clean:w": ["a", "b", "c"] }))).toBe(
      "changed in the task's worktree while it was judged: b, c",
    );
    expect(idle(task({ facts: { "clean:w": [] } }))).toBeUndefined();
    const judge = (more: object, by = "quality"): unknown =>
      on("not-judged")(
        task({ findings: { f: word("review", by, "APPROVED", more) }, facts: { x: "1" } }),
        {
          kind: "review",
        },
      );
    expect(judge({ bound: { x: "1" } })).toBe("quality has judged this tree: APPROVED");
    for (const other of [{ seq: 5 }, { bound: { x: "2" } }]) expect(judge(other)).toBeUndefined();
    expect(judge({}, "style")).toBeUndefined();
  });
});
