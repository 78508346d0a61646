/** Whose turn it is, what is still missing, what was run and attested: each guard by itself. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Some, Stands } from "../../../../../test/scope.ts";
import type { Finding } from "../../../../core/state/state.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { checkGuards } from "./check.ts";

const on = (name: string): ReturnType<typeof judged> => judged(checkGuards, name);

const PER_TASK = { mode: "full", strategy: "per-batch" };
const AT_ONCE = { mode: "full", strategy: "single-final" };
const ok = (of = "T-1", ...kinds: readonly string[]): Record<string, Some<Finding>> => {
  const by: Readonly<Record<string, string>> = {
    review: "Reviewer",
    qa: "QA",
    security: "Security",
  };
  return Object.fromEntries(
    kinds.map((kind) => [`${of} ${kind} ${by[kind] ?? ""}`, { kind, unit: of, value: "OK" }]),
  );
};
const tasks = (...at: readonly string[]): Record<string, object> =>
  Object.fromEntries(at.map((one, n) => [`T-${n + 1}`, { at: one, data: { type: "feat" } }]));

describe("checks of tasks", () => {
  test("[TC-125] are all there, of the task or of the whole", () => {
    const checked = on("checked");
    const units = tasks("implemented");
    const task: Stands = { units, unit: "T-1", vars: PER_TASK };
    expect(checked({ ...task, findings: ok("T-1", "review", "qa") })).toBeUndefined();
    expect(checked({ ...task, findings: ok("T-1", "review") })).toBe(
      "T-1: QA has not looked at it",
    );
    const whole: Stands = { unit: "T-1", vars: AT_ONCE };
    const all = ok(".", "review", "qa", "security");
    expect(checked({ ...whole, units: tasks("implemented", "completed"), findings: all })).toBe(
      undefined,
    );
    expect(checked({ ...whole, units: tasks("in-progress", "not-started"), findings: all })).toBe(
      "T-1, T-2 not yet implemented",
    );
    expect(checked({ ...whole, units, findings: ok(".", "review", "qa") })).toBe(
      "session: Security has not looked at it",
    );
  });

  test("[TC-145][TC-146] go in turn", () => {
    const turn = on("turn");
    const task: Stands = { units: tasks("implemented"), unit: "T-1", vars: PER_TASK };
    expect(turn(task, { kind: "review" })).toBeUndefined();
    expect(turn(task, { kind: "odd" })).toBeUndefined();
    expect(turn(task, { kind: "qa" })).toBe("review goes first");
    const both = { ...task, findings: ok("T-1", "review", "qa") };
    expect(turn(both, { kind: "qa" })).toBe("qa has already passed what is there now");
    expect(turn(both, { kind: "security" })).toBeUndefined();
    expect(turn({ ...task, vars: AT_ONCE }, { kind: "review" })).toBe(
      "the strategy is single-final: no task is checked on its own",
    );
    const root = (vars: JsonObject, ...at: readonly string[]): unknown =>
      turn({ units: tasks(...at), vars }, { kind: "review" });
    expect(root(PER_TASK, "completed")).toBeUndefined();
    expect(root(PER_TASK, "implemented", "completed")).toBe("T-1 not yet completed");
    expect(root(AT_ONCE, "implemented", "completed")).toBeUndefined();
    expect(root(AT_ONCE, "in-progress")).toBe("T-1 not yet implemented");
  });

  test("[TC-145] end before the next task begins", () => {
    const batch = on("batch");
    const beside = (at: string, vars = PER_TASK): unknown =>
      batch({ units: tasks("in-progress", at), unit: "T-1", vars });
    expect(beside("completed")).toBeUndefined();
    expect(beside("not-started")).toBeUndefined();
    expect(beside("in-progress")).toBe("T-2 is not checked yet");
    expect(beside("implemented")).toBe("T-2 is not checked yet");
    expect(beside("implemented", AT_ONCE)).toBeUndefined();
  });

  test("[TC-129] wait for what the task depends on", () => {
    const ready = (at: string, vars = PER_TASK, after: Json = ["T-2"]): unknown =>
      on("ready")({
        units: { "T-1": { at: "not-started", data: { after } }, "T-2": { at } },
        unit: "T-1",
        vars,
      });
    expect(ready("completed")).toBeUndefined();
    expect(ready("implemented")).toBe("T-1 depends on T-2, which is not completed");
    for (const at of ["implemented", "completed"]) expect(ready(at, AT_ONCE)).toBeUndefined();
    expect(ready("in-progress", AT_ONCE)).toBe("T-1 depends on T-2, which is not implemented");
    expect(ready("completed", PER_TASK, ["T-2", "T-9", "T-8"])).toBe(
      "T-1 depends on T-9, T-8, which is not completed",
    );
    expect(ready("in-progress", PER_TASK, "T-2")).toBeUndefined();
  });

  test("[TC-151] were everybody's who has to have worked", () => {
    const used = on("agents-used");
    const args = { agents: ["Coder", "QA"] };
    const by = (role: string, outcome: string | null, sentSeq = 5): object => ({
      role,
      outcome,
      sentSeq,
    });
    const says = (dispatches: Record<string, object>, more: Stands = {}): unknown =>
      used({ dispatches, ...more }, args);
    for (const outcome of ["OK", "OK_WITH_NOTES", "BLOCKED", "NEEDS_DECISION", "NEEDS_INFO"])
      expect(says({ a: by("Coder", outcome), b: by("QA", outcome) }), outcome).toBeUndefined();
    expect(says({ a: by("Coder", "cancelled"), b: by("QA", null) })).toBe(
      "not at work in this session yet: Coder, QA",
    );
    expect(says({}, { vars: { used: ["Coder", "QA"] } })).toBeUndefined();
    const reopened: Stands = { units: { ".": { entered: { DONE: 5 } } } };
    const before = { a: by("Coder", "OK", 5), b: by("QA", "OK", 6) };
    expect(says(before, reopened)).toBe("not at work in this session yet: Coder");
    expect(says({}, { ...reopened, vars: { used: ["Coder", "QA"] } })).toContain("Coder, QA");
    expect(used({}, { agents: "Coder" })).toBeUndefined();
  });
});

/** At INTEGRATE since record 5, with tasks that name these checks. */
function atEnd(checks: readonly string[], more: Stands = {}): Stands {
  return {
    ...more,
    units: {
      ".": { at: "INTEGRATE", entered: { INTEGRATE: 5, IMPLEMENT_LOOP: 2 } },
      "T-1": { data: { checks: [...checks] } },
      "T-2": { data: { checks: "none" } },
    },
  };
}
const run = (name: string, passed: boolean, more: Some<Finding> = {}): Some<Finding> => ({
  kind: "checks",
  value: passed ? "passed" : "failed",
  detail: { runs: [{ name, passed, ended: passed ? "exit 0" : "exit 1" }] },
  ...more,
});
const CMD = "cmd: npm test";
const MANUAL = "manual: it looks right";
const ENGINE = ". checks engine";

describe("commands", () => {
  const green = on("checks-green");

  test("[TC-149] have passed since INTEGRATE began, on what is there now", () => {
    const after = (finding: Some<Finding> | undefined, more: Stands = {}): unknown =>
      green(
        atEnd([CMD], {
          ...more,
          ...(finding === undefined ? {} : { findings: { [ENGINE]: finding } }),
        }),
      );
    expect(after(run(CMD, true))).toBeUndefined();
    expect(after(run(CMD, false))).toBe(`${CMD}: exit 1`);
    expect(after(undefined)).toBe(`not run on what is there now: ${CMD}`);
    expect(after(run(CMD, true, { seq: 5 }))).toBe(`not run on what is there now: ${CMD}`);
    expect(after(run(CMD, true, { bound: { x: "1" } }))).toBe(
      `not run on what is there now: ${CMD}`,
    );
    expect(after(run("cmd: another", true))).toBe(`not run on what is there now: ${CMD}`);
    expect(after({ kind: "checks", value: { result: "not-run" } })).toBe(`${CMD}: not-run`);
    expect(after({ kind: "checks", value: { result: 1 } })).toBe(`${CMD}: unknown`);
    expect(after({ kind: "checks", value: "passed" })).toBeUndefined();
    expect(after(run(CMD, true, { unit: "T-1" }))).toContain("not run");
  });

  test("[TC-149] of the newest run count, whichever way it was recorded", () => {
    const two = (a: Some<Finding>, b: Some<Finding>): unknown =>
      green(atEnd([CMD], { findings: { a: { kind: `check:${CMD}`, ...a }, b } }));
    expect(two({ value: "passed", seq: 8 }, run(CMD, false, { seq: 7 }))).toBeUndefined();
    expect(two({ value: "passed", seq: 7 }, run(CMD, false, { seq: 8 }))).toBe(`${CMD}: exit 1`);
  });

  test("[TC-149] that are none at all show nothing", () => {
    expect(green(atEnd([]))).toBe("there is no check at all that could show it works");
    expect(green(atEnd([MANUAL]))).toBe(`no named person has vouched for "${MANUAL}"`);
    const word = { a: { kind: `attest:${MANUAL}`, value: "passed" } };
    expect(green(atEnd([MANUAL], { findings: word }))).toBeUndefined();
    expect(green(atEnd([CMD, CMD, "cmd: b"]))).toBe(
      `not run on what is there now: ${CMD}; not run on what is there now: cmd: b`,
    );
    // Where commands are, the word of a person does not stand in for them, nor they for it.
    expect(green(atEnd([CMD, MANUAL], { findings: { [ENGINE]: run(CMD, true) } }))).toBeUndefined();
    const attested = on("attested");
    expect(attested(atEnd([CMD]))).toBeUndefined();
    expect(attested(atEnd([MANUAL, CMD]))).toBe(`no named person has vouched for "${MANUAL}"`);
    expect(attested(atEnd([MANUAL], { findings: word }))).toBeUndefined();
  });

  test("[TC-149] of CI speak for themselves while they are fresh", () => {
    const ci = (value: Json, more: Some<Finding> = {}): Stands =>
      atEnd([CMD], { findings: { ". ci engine": { kind: "ci", value, ...more } } });
    expect(green(ci("green"))).toBeUndefined();
    expect(green(ci("red"))).toContain("not run");
    expect(green(ci("green", { seq: 5 }))).toContain("not run");
    expect(on("some-red")(ci("red"))).toBeUndefined();
    expect(on("some-red")(ci("green"))).toBe("no check has failed on what is there now");
  });

  test("[TC-149] that wrote into what they judge count for nothing, and are mended", () => {
    const wrote = (seq: number): Stands =>
      atEnd([CMD], {
        facts: { "changes:.": { cov: "1" } },
        findings: {
          [ENGINE]: run(CMD, true, {
            seq,
            bound: { "changes:.": {} },
            detail: { wrote: ["cov"], runs: [] },
          }),
        },
      });
    expect(green(wrote(9))).toBe(`${CMD} does not count: cov changed while the checks ran`);
    expect(green(wrote(5))).toBe(`not run on what is there now: ${CMD}`);
    expect(on("some-red")(wrote(9))).toBeUndefined();
    expect(on("some-red")(wrote(5))).toBe("no check has failed on what is there now");
  });
});

describe("what is red", () => {
  const red = on("some-red");
  const not = on("not-red");
  const FAILED = "no check has failed on what is there now";

  test("[TC-149][TC-150] is a check of the whole that failed since, on this", () => {
    const after = (finding: Some<Finding>): unknown =>
      red(atEnd([CMD], { findings: { [ENGINE]: finding } }));
    expect(after(run(CMD, false))).toBeUndefined();
    expect(after({ kind: `check:${CMD}`, value: { result: "failed" } })).toBeUndefined();
    expect(after(run(CMD, true))).toBe(FAILED);
    expect(after({ kind: "tasks:T-1", value: "failed" })).toBe(FAILED);
    expect(after(run(CMD, false, { unit: "T-1" }))).toBe(FAILED);
    expect(after(run(CMD, false, { seq: 5 }))).toBe(FAILED);
    expect(after(run(CMD, false, { bound: { x: "1" } }))).toBe(FAILED);
  });

  test("[TC-075] and was taken as it is by a person, for exactly this", () => {
    const failed = { [ENGINE]: run(CMD, false) };
    const taken = (more: object): Stands =>
      atEnd([CMD], {
        findings: failed,
        facts: { x: "1" },
        decisions: {
          D: {
            question: "retry-exhausted",
            about: { budget: "FIX_BUILD/meta" },
            settled: { option: "known-issues", seq: 5 },
            bound: { x: "1" },
            ...more,
          } as never,
        },
      });
    expect(not(atEnd([CMD], { findings: failed }))).toBe("the last checks are red");
    expect(not(atEnd([CMD]))).toBeUndefined();
    expect(not(taken({}))).toBeUndefined();
    expect(on("checks-green")(taken({}))).toBeUndefined();
    expect(on("integrated")(taken({}))).toBeUndefined();
    for (const other of [
      { question: "x" },
      { about: { budget: "FIX_TESTS/meta" } },
      { settled: { option: "again", seq: 5 } },
      { settled: { option: "known-issues", seq: 4 } },
      { bound: { x: "2" } },
    ])
      expect(not(taken(other)), JSON.stringify(other)).toBe("the last checks are red");
  });

  test("[TC-149] the Integrator has brought it together since", () => {
    const by = (finding: Some<Finding>): unknown =>
      on("integrated")(atEnd([], { findings: { ". integrate Integrator": finding } }));
    expect(by({ value: "OK", seq: 3 })).toBeUndefined();
    for (const other of [
      { value: "OK", seq: 2 },
      { value: "BLOCKED", seq: 3 },
    ])
      expect(by(other)).toBe("the Integrator has not brought it together");
    expect(on("integrated")(atEnd([]))).toBe("the Integrator has not brought it together");
  });
});

test("[TC-179] criteria are met, one by one, or waived", () => {
  const met = (criteria: Json | undefined, findings: Stands["findings"] = {}): unknown =>
    on("criteria-met")(atEnd([CMD], { facts: { "acceptance:w": criteria }, findings }));
  const one = (id: string, ...checks: readonly string[]): JsonObject => ({ id, checks });
  expect(met(undefined)).toBeUndefined();
  for (const odd of [null, {}, "x"]) expect(met(odd)).toBe("acceptance.json cannot be read");
  expect(met([])).toBeUndefined();
  expect(met(["odd"])).toBeUndefined();
  expect(met([one("AC-1")])).toBe("not met: AC-1 ()");
  expect(met([{ id: "AC-1", checks: CMD }])).toBe("not met: AC-1 ()");
  const passed = { [ENGINE]: run(CMD, true) };
  expect(met([one("AC-1", CMD)], passed)).toBeUndefined();
  expect(met([one("AC-1", CMD), one("AC-2", MANUAL)], passed)).toBe(
    `not met: AC-2 (no named person has vouched for "${MANUAL}")`,
  );
  const waived = { ...passed, w: { kind: "waiver:AC-2" } };
  expect(met([one("AC-1", CMD), one("AC-2", MANUAL)], waived)).toBeUndefined();
  expect(met([one("AC-3", MANUAL), one("AC-4")], waived)).toBe(
    `not met: AC-3 (no named person has vouched for "${MANUAL}"), AC-4 ()`,
  );
});
