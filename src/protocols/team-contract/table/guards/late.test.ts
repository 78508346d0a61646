/** What the gates after the loop let through, each guard by itself: exactly what was checked. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Some, Stands } from "../../../../../test/scope.ts";
import type { Finding } from "../../../../core/state/state.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { lateGuards } from "./late.ts";

const on = (name: string): ((stands: Stands, args?: JsonObject) => string | undefined) =>
  judged(lateGuards, name);

const PER_TASK = { mode: "full", strategy: "per-batch" };
const AT_ONCE = { mode: "full", strategy: "single-final" };
const BY: Readonly<Record<string, string>> = { review: "Reviewer", qa: "QA", security: "Security" };

function verdicts(
  of: string,
  kinds: Readonly<Record<string, Some<Finding>>>,
): Record<string, Some<Finding>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, one]) => [
      `${of} ${kind} ${BY[kind] ?? ""}`,
      { kind, unit: of, value: "OK", ...one },
    ]),
  );
}

describe("the final review", () => {
  const final = on("final-review");

  test("[TC-147] of a full session is one of the whole, and whoever else looked passed it", () => {
    const after = (kinds: Readonly<Record<string, Some<Finding>>>, vars = PER_TASK): unknown =>
      final({ vars, findings: verdicts(".", kinds) });
    expect(after({ review: {} })).toBeUndefined();
    expect(after({})).toBe("the whole session has no fresh review that passed it");
    expect(after({ review: {}, qa: { value: "BLOCKED" } })).toBe(
      "the whole session has no fresh qa that passed it",
    );
    expect(after({ review: { bound: { x: "1" } } })).toContain("no fresh review");
    expect(after({ review: {} }, AT_ONCE)).toBe(
      "the whole session has no fresh qa, security that passed it",
    );
    expect(after({ review: {}, qa: {}, security: {} }, AT_ONCE)).toBeUndefined();
  });

  test("[TC-143] of a lean one is that of its task, while it is what it was", () => {
    const after = (bound: JsonObject, of = "T-1"): unknown =>
      final({
        vars: { mode: "lean" },
        units: { "T-1": {}, "T-2": {} },
        facts: { x: "1" },
        findings: verdicts(of, { review: { bound }, qa: { bound: { x: "1" } } }),
      });
    expect(after({ x: "1" })).toBeUndefined();
    expect(after({ x: "2" })).toBe("the task is not what was checked any more");
    expect(after({ x: "2" }, "T-2")).toBe("the task is not what was checked any more");
    expect(after({ x: "2" }, "T-3")).toBeUndefined();
  });
});

describe("code after the loop", () => {
  const stands = (code: Json | undefined, more: Stands = {}): Stands => ({
    vars: { ...PER_TASK, checked: "1" },
    facts: { "code:w": code },
    ...more,
  });
  const tree = on("tree-checked");
  const turn = on("late-turn");
  const says = (who: string): string =>
    `the code has changed since it was checked, and ${who} not passed it as it is now`;

  test("[TC-125] is what was checked, or everybody looks again whose check it needed", () => {
    expect(tree(stands("1"))).toBeUndefined();
    expect(tree(stands(undefined))).toBeUndefined();
    expect(tree(stands("2"))).toBe(says("Reviewer has"));
    const feature: Stands = { units: { "T-1": { data: { type: "feat", risks: ["security"] } } } };
    expect(tree(stands("2", feature))).toBe(says("Reviewer, QA, Security have"));
    const passed = { findings: verdicts(".", { review: {}, security: {} }) };
    expect(tree(stands("2", { ...feature, ...passed }))).toBe(says("QA has"));
    expect(tree(stands("2", passed))).toBeUndefined();
    // What could not be read equals nothing.
    const odd = { vars: { ...PER_TASK, checked: { unknown: "x" } } };
    expect(tree(stands({ unknown: "x" }, odd))).toBe(says("Reviewer has"));
    expect(tree(stands(null, { vars: { ...PER_TASK, checked: null } }))).toBe(says("Reviewer has"));
  });

  test("[TC-146] is looked at in turn", () => {
    const feature: Stands = { units: { "T-1": { data: { type: "feat" } } } };
    expect(turn(stands(undefined), { kind: "qa" })).toBeUndefined();
    expect(turn(stands("2", feature), { kind: "review" })).toBeUndefined();
    expect(turn(stands("2", feature), { kind: "qa" })).toBe("review goes first");
    expect(turn(stands("1"), { kind: "review" })).toBe("the code is as it was checked");
  });
});

const CMD = "cmd: npm test";

/** A task that its checkers have passed. */
function task(more: Stands = {}, checks: Json = [CMD]): Stands {
  const { findings = {}, ...rest } = more;
  return {
    unit: "T-1",
    vars: PER_TASK,
    units: {
      ".": { at: "IMPLEMENT_LOOP", entered: { IMPLEMENT_LOOP: 2 } },
      "T-1": { at: "implemented", data: { type: "feat", checks } },
      "T-2": { data: { checks: ["cmd: other"] } },
    },
    findings: { ...verdicts("T-1", { review: {}, qa: {} }), ...findings },
    facts: { "changes:.": {}, x: "1", "red:w": { seq: 9 } },
    ...rest,
  };
}
const own = (value: string, more: Some<Finding> = {}): Stands["findings"] => ({
  f: { kind: "tasks:T-1", value, ...more },
});
const accepted = (more: object = {}): Stands["decisions"] => ({
  D: {
    question: "retry-exhausted",
    about: { budget: "FIX_TESTS/T-1" },
    settled: { option: "known-issues", seq: 2 },
    ...more,
  } as never,
});

describe("a task's own commands", () => {
  const green = on("task-green");
  const NOT_RUN = "T-1: its own checks have not been run on what is there now";
  const FAILED = "T-1: its own checks failed on what is there now";

  test("[TC-125] are run once everybody has passed it, and must be green", () => {
    const runs: string[] = [];
    expect(green(task({ runs }))).toBe(NOT_RUN);
    expect(runs).toEqual(["tasks:T-1 changes:."]);
    expect(green(task({ findings: own("passed") }))).toBeUndefined();
    expect(green(task({ findings: own("failed") }))).toBe(FAILED);
    expect(green(task({ findings: own("passed", { bound: { x: "2" } }) }))).toBe(NOT_RUN);
    expect(green(task({ findings: own("passed", { unit: "T-1" }) }))).toBe(NOT_RUN);
    expect(green(task({ findings: { f: { kind: "tasks:T-2", value: "passed" } } }))).toBe(NOT_RUN);
    expect(green(task({ findings: own("failed"), decisions: accepted() }))).toBeUndefined();
    const other = accepted({ about: { budget: "FIX_TESTS/T-2" } });
    expect(green(task({ findings: own("failed"), decisions: other }))).toBe(FAILED);
  });

  test("[TC-125] are not run while a checker is missing, or where there are none", () => {
    const runs: string[] = [];
    const late = verdicts("T-1", { review: { value: "BLOCKED" } });
    expect(green(task({ runs, findings: late }))).toBeUndefined();
    for (const none of [[], ["manual: look"], "cmd: odd", null])
      expect(green(task({ runs }, none))).toBeUndefined();
    expect(runs).toEqual([]);
  });

  test("[TC-109] of all tasks together, where they are checked together", () => {
    const runs: string[] = [];
    const passed = verdicts(".", { review: {}, qa: {}, security: {} });
    const together = (more: Stands): unknown => green({ ...task(more, []), vars: AT_ONCE });
    expect(together({ runs, findings: passed })).toBe(NOT_RUN);
    expect(runs).toEqual(["tasks changes:."]);
    expect(together({ findings: {} }), "the whole has not been looked at").toBeUndefined();
    const failed = { ...passed, f: { kind: "tasks", value: "failed" } };
    expect(together({ findings: failed })).toBe(FAILED);
    const meta = accepted({ about: { budget: "FIX_TESTS/meta" } });
    expect(together({ findings: failed, decisions: meta })).toBeUndefined();
    expect(together({ findings: failed, decisions: accepted() })).toBe(FAILED);
  });
});

describe("a red task", () => {
  const red = on("task-red");
  const NOT = "its own checks are not red";

  test("[TC-153] is one that everybody passed and whose commands fail", () => {
    expect(red(task({ findings: own("failed") }))).toBeUndefined();
    expect(red(task({ findings: own("passed") }))).toBe(NOT);
    expect(red(task())).toBe(NOT);
    expect(red(task({ findings: own("failed", { bound: { x: "2" } }) }))).toBe(NOT);
    expect(red(task({ findings: own("failed"), decisions: accepted() }))).toBe(NOT);
    const late = { ...verdicts("T-1", { review: {} }), ...own("failed") };
    const { findings: _, ...rest } = task();
    expect(red({ ...rest, findings: late })).toBe(NOT);
  });

  test("[TC-153] is told only once the run itself was told of, and in the loop", () => {
    const told = (facts: Readonly<Record<string, Json>>): unknown =>
      red(task({ findings: own("failed"), facts: { "changes:.": {}, ...facts } }));
    expect(told({ "red:w": { seq: 8 } })).toBe(NOT);
    expect(told({ "red:w": null })).toBe(NOT);
    const { units = {}, ...rest } = task({ findings: own("failed") });
    const elsewhere = { ...units, ".": { ...units["."], at: "INTEGRATE" } };
    expect(red({ ...rest, units: elsewhere })).toBe(NOT);
  });

  test("[TC-149] is also one whose commands write into what they judge", () => {
    const wrote = (now: Json): unknown =>
      red(
        task({
          facts: { "changes:.": now, "red:w": { seq: 9 } },
          findings: own("passed", { bound: { "changes:.": {} }, detail: { wrote: ["cov"] } }),
        }),
      );
    expect(wrote({ cov: "1" })).toBeUndefined();
    expect(wrote({ other: "1" })).toBe(NOT);
    expect(wrote({})).toBe(NOT);
  });

  test("[TC-109] is the session where all are checked together", () => {
    const passed = verdicts(".", { review: {}, qa: {}, security: {} });
    const failed = { f: { kind: "tasks", value: "failed" } };
    const at = (findings: Stands["findings"]): unknown =>
      red({ ...task({ findings }), vars: AT_ONCE });
    expect(at({ ...passed, ...failed })).toBeUndefined();
    expect(at(failed)).toBe(NOT);
  });
});

test("[TC-179] criteria are those that were approved, or that a lean session began with", () => {
  const approved = on("criteria-approved");
  const path = ".agents-work/w/acceptance.json";
  const key = `digest:${path}`;
  const given = (bound: JsonObject): Stands["decisions"] => ({
    "UD-APPROVE-DESIGN": {
      status: "answered",
      settled: { option: "approved", by: "person:ada" },
      bound,
    } as never,
  });
  const changed = `${path} is not what was approved: the criteria have changed since`;
  expect(approved({ decisions: given({ [key]: "1" }), facts: { [key]: "1" } })).toBeUndefined();
  expect(approved({ decisions: given({ [key]: "1" }), facts: { [key]: "2" } })).toBe(changed);
  expect(approved({ vars: { criteria: "1" }, facts: { [key]: "1" } })).toBeUndefined();
  expect(approved({ vars: { criteria: "1" }, facts: { [key]: "2" } })).toBe(changed);
  // What was approved comes before what it began with, and nothing at all is not approved.
  const both = { vars: { criteria: "2" }, decisions: given({ [key]: "1" }) };
  expect(approved({ ...both, facts: { [key]: "2" } })).toBe(changed);
  expect(approved({ facts: { [key]: null } })).toBe(changed);
});
