/** Whether a task may be taken, and where its work stands: each guard by itself. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Stands } from "../../../../../test/scope.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { unknown } from "../../../../core/values/unknown.ts";
import { guards } from "./guards.ts";

const on = (name: string): ReturnType<typeof judged> => judged(guards, name);
const seen = (name: string, key: string, args?: JsonObject) => {
  return (found: Json | undefined, more: Stands = {}): string | undefined =>
    on(name)({ ...more, facts: { [key]: found, ...more.facts } }, args);
};

describe("taking a task", () => {
  test("[TP-011][TP-024] needs a name, a session, and no other task of that session", () => {
    expect(on("task-name")({ id: "add-parser" })).toBeUndefined();
    expect(on("task-name")({ id: "../x" })).toBeDefined();
    expect(on("session")({})).toBeUndefined();
    const one = seen("one-task", "session-tasks:s");
    expect([one(undefined), one([]), one(["w"])]).toEqual([undefined, undefined, undefined]);
    expect(one(["w", "a", "b"])).toBe("session s still owns a, b, which is not finished");
  });

  test("[TP-050] needs an entry that says what it is, and is not blocked", () => {
    const entry = seen("todo-entry", "todo:w");
    const whole = { purpose: true, scope: true, components: true };
    expect([entry(undefined), entry(whole)]).toEqual([undefined, undefined]);
    expect(entry(null)).toBe("{todo} has no entry `w`");
    expect(entry({ scope: true })).toBe(
      "the entry `w` in {todo} does not state purpose, components",
    );
    expect(entry({ ...whole, scope: false })).toContain("does not state scope");
    const start = seen("startable", "todo:w");
    expect([start(undefined), start({ status: "READY" })]).toEqual([undefined, undefined]);
    expect(start({ status: "BLOCKED" })).toBe("w is BLOCKED");
    expect(start({ status: "BLOCKED", blockedBy: ["a", "b"] })).toBe("w is BLOCKED by a, b");
  });

  test("[TP-058] needs to be feasible in three respects, and no choice of the user's", () => {
    const record = { deliverables_clear: true, no_external_blocker: true, within_capability: true };
    const feasible = (feasibility: Json, next?: Json): unknown =>
      on("feasible")({ vars: { feasibility }, facts: { "next-task": next } });
    expect(feasible(record)).toBeUndefined();
    expect(feasible(null)).toBe("no feasibility record was given");
    expect(feasible({ ...record, deliverables_clear: false }, "other")).toBe(
      "w is not feasible: its deliverables are not clear; SELECT_ALTERNATIVE: other",
    );
    expect(feasible({})).toBe(
      "w is not feasible: its deliverables are not clear; something outside blocks it; its approach is beyond what can be done here",
    );
    expect(feasible({ ...record, blocker_kind: "no access" })).toBe("w is not feasible: no access");
    expect(feasible({ ...record, needs_user_design_choice: true })).toBe(
      "w is not feasible: needs_user_design_choice: the user must choose the design first",
    );
  });

  test("[TP-013][TP-016][TP-029] needs a free place: no lock, no branch, no worktree of another", () => {
    const other = seen("alternative", "selection:w");
    for (const free of [undefined, "PROCEED_WITH_INIT", "ASK_USER"])
      expect(other(free)).toBeUndefined();
    expect(other("TAKEN")).toBe("{root}/w/task.json is the lock of another session (TAKEN)");
    const branch = seen("branch-free", "selection:w");
    const taken = { facts: { "branch:w": true } };
    expect(branch("PROCEED_WITH_INIT")).toBeUndefined();
    expect(branch("ASK_USER", taken)).toBeUndefined();
    expect(branch("PROCEED_WITH_INIT", taken)).toBe(
      "the branch w exists, and was not made for this task",
    );
    const orphan = seen("no-orphan", "selection:w");
    expect(orphan("PROCEED_WITH_INIT")).toBeUndefined();
    expect(orphan("ASK_USER")).toBe("{root}/w/code exists without {root}/w/task.json");
  });

  test("[TP-139] a scope that changed outside reads otherwise", () => {
    const changed = (reason: string, before: Json, digest: Json): unknown =>
      on("scope-changed")({
        input: { reason },
        vars: { scope_digest: before },
        facts: { "todo:w": { digest } },
      });
    const SAID = "scope_changed_externally";
    expect(changed(SAID, "1", "2")).toBeUndefined();
    expect(changed(SAID, "1", "1")).toBe("the scope of the task has not changed");
    expect(changed("other", "1", "1")).toBeUndefined();
    expect(changed(SAID, null, null)).toBeUndefined();
  });
});

describe("where it stands", () => {
  test("[TP-021][TP-048] in its state, on its branch, with its own session", () => {
    const units = { ".": { kind: "root", at: "INIT" } };
    expect(on("at")({ units }, { state: "INIT" })).toBeUndefined();
    expect(on("at")({ units }, { state: "REVIEW" })).toBe("the state is INIT, not REVIEW");
    const branch = seen("on-branch", "worktree:.");
    expect([branch(undefined), branch({ branch: "w" }), branch({})]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(branch({ branch: "" })).toBe("{root}/w/code has a detached HEAD, not on w");
    expect(branch({ branch: "x" })).toBe("{root}/w/code is on x, not on w");
    const free = seen("main-free", "main-lock");
    expect([free(undefined), free(null), free("s")]).toEqual([undefined, undefined, undefined]);
    expect(free("t")).toBe("the main worktree is locked by t");
    expect(on("leased")({ lease: { session: "s" } })).toBeUndefined();
    expect(on("leased")({ lease: { session: "t" } })).toBe("w belongs to session t");
    expect(on("leased")({})).toBe("w belongs to no session");
  });

  test("[TP-090] nobody is asked, nothing is wanted, and this agent is not at work", () => {
    const idle = on("idle");
    const at: Stands = { unit: "a", units: { a: { kind: "agent" } } };
    const over = { dispatches: { "W-1": { unit: "a", status: "ended" }, "W-2": { unit: "b" } } };
    expect(idle({ ...at, ...over, effects: { E: {} } } as Stands)).toBeUndefined();
    expect(idle({ ...at, decisions: { D: { prompt: "Why?" } } })).toBe("a person is asked: Why?");
    expect(idle({ ...at, decisions: { D: { status: "answered" } } })).toBeUndefined();
    expect(idle({ ...at, effects: { E: { kind: "push", status: "wanted" } } })).toBe(
      "push is not done yet",
    );
    expect(idle({ ...at, dispatches: { "W-1": { unit: "a" } } })).toBe(
      "a is at work already (W-1)",
    );
  });

  test("[TP-165] nothing lies about, something is there, and what is asked is known", () => {
    const none = seen("none", "clean:w", { fact: "clean:{id}", says: "{id} has" });
    expect([none(undefined), none([])]).toEqual([undefined, undefined]);
    expect(none(["a", "b"])).toBe("w has: a, b");
    expect(none(unknown("gone"))).toBe("clean:w: gone");
    const some = seen("some", "x:w", { fact: "x:{id}" });
    expect([some(undefined), some(["a"])]).toEqual([undefined, undefined]);
    expect(some([])).toBe("there is none");
    const known = seen("known", "x:w", { fact: "x:{id}", says: "{id} lacks it" });
    expect([known(undefined), known(true), known("")]).toEqual([undefined, undefined, undefined]);
    expect([known(null), known(false)]).toEqual(["w lacks it", "w lacks it"]);
  });

  test("[TP-034] no name of the task's own is given from outside", () => {
    const own = (more: Stands): unknown =>
      on("own-names")({ vars: { root: "x", main: "y" }, ...more });
    expect(own({})).toBeUndefined();
    expect(own({ input: { other: 1 } })).toBeUndefined();
    expect(own({ input: { root: 1 }, claim: { main: 2 } })).toBe("root, main cannot be given here");
    expect(own({ input: { root: 1 }, command: { type: "workflow.start" } })).toBeUndefined();
  });

  test("[TP-022] in the directory that is asked for", () => {
    const cwd = seen("cwd", "cwd:w");
    expect([cwd(undefined), cwd({ same: true })]).toEqual([undefined, undefined]);
    expect(cwd({ same: false, current: "", required: "a" })).toBe(
      "the current directory is the top of the repository, required is a",
    );
    expect(cwd({ current: "b" })).toBe(
      "the current directory is b, required is the top of the repository",
    );
    const outside = seen("cwd-outside", "cwd:w");
    expect([outside(undefined), outside({ inside: false })]).toEqual([undefined, undefined]);
    expect(outside({ inside: true, current: "a" })).toBe(
      "the current directory a is inside the task",
    );
  });

  test("[TP-048][TP-197] each agent has its place, made for it", () => {
    const units = {
      a: { kind: "agent", at: "ready" },
      b: { kind: "agent", at: "preparing" },
      c: { kind: "agent", at: "ready" },
      d: { kind: "other", at: "preparing" },
    };
    expect(on("worktrees")({ units, facts: { "worktree:a": null } })).toBe("no worktree for a, b");
    expect(on("worktrees")({ units: { a: units.a } })).toBeUndefined();
    const made = (effect: object, unit: object = {}): unknown =>
      on("worktree-made")({
        unit: "a",
        units: { a: { kind: "agent", entered: { preparing: 5 }, ...unit } },
        effects: {
          E: { kind: "worktree", unit: ".", by: { seq: 5 }, ...effect } as never,
          F: { kind: "push" },
        },
      });
    const not = "the worktree is not made";
    const together = { args: { scope: "agents" } };
    expect([made(together), made({ unit: "a" }), made({ ...together, by: undefined })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    for (const other of [
      { ...together, kind: "push" },
      { ...together, status: "wanted" },
      { ...together, by: { seq: 4 } },
      { args: { scope: "task" } },
    ])
      expect(made(other), JSON.stringify(other)).toBe(not);
    expect(made(together, { data: { added_at: "t" } })).toBe(not);
    const places = on("agent-places");
    expect(places({ units: { a: units.a } })).toBeUndefined();
    expect(places({})).toBe("it has no agents");
    const left = (branch: string): Stands => ({
      effects: { E: { kind: "worktree", detail: { made: [{ path: "x", branch }] } } },
    });
    expect(places(left("w-a"))).toBeUndefined();
    expect(places(left("w"))).toBe("it has no agents");
    expect(on("merged")({ units, facts: { "merged:a": false, "merged:b": false } })).toBe(
      "not merged to the task branch: a",
    );
    expect(on("merged")({ units, facts: { "merged:a": true } })).toBeUndefined();
  });

  test("[TP-064] the states were walked through, or an adopted task brings them", () => {
    const walked = (vars: JsonObject): unknown =>
      on("walked")(
        { vars, units: { ".": { kind: "root", entered: { INIT: 0 } } } },
        { states: ["INIT", "REVIEW", "X"] },
      );
    expect(walked({})).toBe("the log does not show REVIEW, X");
    expect(walked({ adopted: { states: ["REVIEW", "X"] } })).toBeUndefined();
  });
});

describe("task.md", () => {
  test("[TP-139] is there, in its place, with its sections", () => {
    const there = seen("task-md-exists", "task-md:w");
    expect([there(undefined), there({})]).toEqual([undefined, undefined]);
    expect(there(null)).toBe("{root}/w/task.md does not exist");
    const all = seen("task-md", "task-md:w");
    const only = seen("task-md", "task-md:w", { only: ["Plan", "Tests"] });
    expect([all(undefined), all({}), only({ missing: ["Scope"] })]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(all(null)).toBe("{root}/w/task.md does not exist");
    expect(only(null)).toBe("{root}/w/task.md does not exist, and so has no Plan, Tests");
    expect(all({ misplaced: true })).toContain("lies in the code worktree");
    expect(all({ missing: ["Scope", "Plan"] })).toBe("task.md lacks Scope, Plan");
    expect(only({ missing: ["Scope", "Plan"] })).toBe("task.md lacks Plan");
  });

  test("[TP-141] has a whole plan and a whole synthesis", () => {
    const plan = seen("plan", "plan:w");
    expect([plan(undefined), plan({})]).toEqual([undefined, undefined]);
    expect(plan(null)).toBe("task.md has no implementation plan");
    expect(plan({ missing: ["a"], problems: ["b is odd"] })).toBe(
      "the plan is not complete: missing: a; b is odd",
    );
    const synthesis = seen("synthesis", "synthesis:w");
    expect([synthesis(undefined), synthesis({})]).toEqual([undefined, undefined]);
    expect(synthesis(null)).toBe("the synthesis is not documented");
    expect(synthesis({ missing: ["a"], unmapped: ["R1"], undecided: ["c"] })).toBe(
      "the synthesis is not complete: missing: a; requirement R1 is not mapped; conflict c is not decided: the architect decides",
    );
  });
});
