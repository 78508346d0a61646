/** What a session's files and decisions must say, each guard by itself. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Stands } from "../../../../../test/scope.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { unknown } from "../../../../core/values/unknown.ts";
import { guards } from "./guards.ts";

const on = (name: string): ((stands: Stands, args?: JsonObject) => string | undefined) =>
  judged(guards, name);

describe("artifacts", () => {
  test("[TC-135] are there, and hold what is asked of them", () => {
    const content = (problems: Json | undefined, paths: Json = ["{id}.md"]): string | undefined =>
      on("content")({ facts: { "content:w.md": problems } }, { paths });
    expect(content([])).toBeUndefined();
    expect(content(undefined)).toBeUndefined();
    expect(content(null)).toBe("w.md does not exist");
    expect(content(["a", "b"])).toBe("w.md: a, b");
    expect(content(Array.from({ length: 12 }, (_, n) => n))).toBe(
      "w.md: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
    );
    expect(content(["a"], "w.md")).toBeUndefined();
    const facts = { "content:a": null, "content:b": ["x"] };
    expect(on("content")({ facts }, { paths: ["a", "b"] })).toBe("a does not exist; b: x");
  });

  test("[TC-135] that should be written better are remarked", () => {
    const remarks = (found: Json | undefined): string | undefined =>
      on("remarks")({ facts: { "remarks:w.md": found } }, { path: "{id}.md" });
    expect([remarks(undefined), remarks([]), remarks("x")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(remarks([1, 2, 3, 4, 5, 6])).toBe("w.md: 1; 2; 3; 4; 5");
  });

  test("[TC-088] of a folder: one at least, and nothing wrong with any", () => {
    const folder = (found: Json | undefined): string | undefined =>
      on("folder")({ facts: { "designs:w": found } }, { fact: "designs:{id}", what: "design" });
    expect(folder(undefined)).toBeUndefined();
    expect(folder({})).toBe("there is no design");
    expect(folder(["a"])).toBe("there is no design");
    expect(folder({ a: { problems: [] } })).toBeUndefined();
    expect(folder({ a: { problems: ["x", "y"] }, b: { problems: ["z"] } })).toBe("a: x, y; b: z");
    expect(folder({ a: ["x"], b: { problems: "odd" }, c: null })).toBeUndefined();
  });

  test("[TC-085] that a role must read are there before it begins", () => {
    const context = (found: Json | undefined): string | undefined =>
      on("context")({ facts: { "context:Coder": found } }, { agent: "Coder" });
    expect([context(undefined), context([]), context("odd")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(context(Array.from({ length: 11 }, (_, n) => n))).toBe("0; 1; 2; 3; 4; 5; 6; 7; 8; 9");
  });
});

describe("decisions", () => {
  const settled = { option: "approved", by: "person:ada", text: "approved", at: "t", seq: 4 };
  const DESIGN = "UD-APPROVE-DESIGN";
  const given = (more: object = {}, bound: JsonObject = {}): Stands["decisions"] => ({
    [DESIGN]: {
      question: "approve-design",
      status: "answered",
      settled: { ...settled, ...more },
      bound,
    } as never,
  });

  test("[TC-042] on disk are what was decided", () => {
    const disk = (found: Json | undefined, decisions = given()): string | undefined =>
      on("on-disk")({ decisions, facts: { [`decision:${DESIGN}`]: found } }, { id: DESIGN });
    expect(disk({ status: "answered", answer: "approved" })).toBeUndefined();
    expect(disk(undefined)).toBeUndefined();
    expect(disk({ status: "answered", answer: "no" }, {})).toBeUndefined();
    const but = `for ${DESIGN}, but it was decided approved`;
    expect(disk({ status: "pending", answer: "approved" })).toBe(
      `status.json says approved ${but}`,
    );
    expect(disk({ status: "answered", answer: "no" })).toBe(`status.json says no ${but}`);
    expect(disk(null)).toBe(`status.json says nothing ${but}`);
  });

  test("[TC-109] a strategy is one of two, and on disk", () => {
    const strategy = (chosen: Json, found?: Json): string | undefined =>
      on("strategy")({
        vars: { strategy: chosen },
        decisions: {
          "UD-REVIEW-STRATEGY": {
            question: "review-strategy",
            status: "answered",
            settled: { ...settled, option: "per-batch" },
          },
        },
        facts: { "decision:UD-REVIEW-STRATEGY": found },
      });
    expect([strategy("per-batch"), strategy("single-final")]).toEqual([undefined, undefined]);
    expect(strategy(null)).toBe("no review strategy is chosen");
    expect(strategy("per-batch", { status: "answered", answer: "single-final" })).toContain(
      "status.json says single-final",
    );
  });

  test("[TC-089] a design was approved here, by a person", () => {
    const once = on("approved-once");
    expect(once({ decisions: given() })).toBeUndefined();
    expect(once({})).toBe("the design was never approved");
    expect(once({ decisions: given({ by: "adopted" }) })).toBe("the design was never approved");
    expect(once({ decisions: given({ option: "no" }) })).toBe("the design was never approved");
  });

  test("[TC-042][TC-067] a design that changed since is named by its files", () => {
    const stands = on("design-stands");
    const bound = { "digest:a/spec.md": "1", "digest:a/plan.md": "2" };
    const facts = { "digest:a/spec.md": "1", "digest:a/plan.md": "2" };
    expect(stands({ decisions: given({}, bound), facts })).toBeUndefined();
    expect(
      stands({ decisions: given({}, bound), facts: { ...facts, "digest:a/plan.md": "3" } }),
    ).toBe("the approved design has changed since: a/plan.md");
    expect(stands({ facts })).toBe("the design was never approved");
    expect(stands({ decisions: given({ by: "adopted" }), facts })).toBe(
      "its files say that the design was approved, and nobody has said so here",
    );
    // Approved once more as it is now.
    const again = { kind: "design-approval", seq: 12, bound: { "digest:a/plan.md": "3" } };
    const now = { ...facts, "digest:a/plan.md": "3" };
    expect(
      stands({ decisions: given({}, bound), findings: { f: again }, facts: now }),
    ).toBeUndefined();
  });

  test("[TC-083] a question by hand has a text and an origin", () => {
    const ask = on("askable");
    for (const origin of ["requirements", "design", "scope"])
      expect(ask({ input: { question: "why?", origin } })).toBeUndefined();
    expect(ask({ input: { question: "why?", origin: "security" } })).toBe(
      '"security" is no origin of a question',
    );
    for (const question of ["", "  ", 7, null])
      expect(ask({ input: { question, origin: "scope" } })).toBe("the question has no text");
  });
});

describe("a plan and a session", () => {
  test("[TC-122] nothing of a new plan is begun", () => {
    const fresh = (tasks: Json | undefined): string | undefined =>
      on("plan-fresh")({ facts: { "tasks:w": tasks } });
    expect(fresh(undefined)).toBeUndefined();
    for (const none of [[], null, ["T-001"], "x"])
      expect(fresh(none)).toBe("tasks.yaml has no task");
    const task = (id: string, status: string): JsonObject => ({ id, status });
    expect(fresh([task("T-1", "not-started")])).toBeUndefined();
    expect(
      fresh([task("T-1", "not-started"), task("T-2", "completed"), task("T-3", "implemented")]),
    ).toBe("T-2 is completed, T-3 is implemented");
  });

  test("[TC-123] a task is open where it can be checked", () => {
    const loop = (at: string): string | undefined => on("in-loop")({ units: { ".": { at } } });
    for (const at of ["IMPLEMENT_LOOP", "FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY"])
      expect(loop(at)).toBeUndefined();
    expect(loop("INTEGRATE")).toBe("the session is at INTEGRATE");
  });

  test("[TC-022] a session is named by its day and its goal", () => {
    const name = (id: string): string | undefined => on("session-name")({ id });
    expect(name("2026-03-01_add-dark-mode")).toBeUndefined();
    for (const id of ["add-dark-mode", "2026-03-01_one", "2026-03-01_a-b-c-d-e", "2026-03-01_A-b"])
      expect(name(id)).toBe(`"${id}" is not a session name`);
  });

  test("[TC-141] a lean session is counted, not declared", () => {
    const lean = (changed: Json | undefined, decisions: Stands["decisions"] = {}): unknown =>
      on("lean-size")({ facts: { "worktree:w": changed, x: "1" }, decisions });
    const files = (count: number): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, "1"]));
    const says = "a lean session changes at most 3 files, and this one has changed 4";
    expect([lean(undefined), lean(files(3)), lean(null), lean("long text")]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(lean(files(4))).toBe(says);
    expect(lean(unknown("too many"))).toBe("it cannot be told how much changed: too many");
    const keep = {
      question: "lean-outgrown",
      settled: { option: "keep" },
      bound: { x: "1" },
    };
    const agreed = (more: object): unknown => lean(files(4), { D: { ...keep, ...more } as never });
    expect(agreed({})).toBeUndefined();
    for (const other of [{ question: "x" }, { settled: { option: "full" } }, { bound: { x: "2" } }])
      expect(agreed(other)).toBe(says);
    const criteria = on("lean-criteria");
    expect(criteria({})).toMatch(/^lean mode needs: /);
  });
});
