/** What a role changed, each guard on it by itself. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Some, Stands } from "../../../../../test/scope.ts";
import type { Dispatch } from "../../../../core/state/state.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { unknown } from "../../../../core/values/unknown.ts";
import { pathGuards, touchedPaths } from "./paths.ts";
import { isCode, isProduct } from "../paths.ts";

const SESSION = ".agents-work/w";

interface Done extends Stands {
  readonly role?: string;
  readonly changed?: readonly string[];
  readonly commits?: readonly string[];
  readonly unmeasured?: readonly string[];
  readonly committed?: readonly string[];
  readonly order?: Some<Dispatch>;
}

/** Somebody has worked: an order with its reading, and what was measured since. */
function worked(name: string): (done: Done, args?: JsonObject) => string | undefined {
  const guard = judged(pathGuards, name);
  return ({ role = "Coder", changed = [], order = {}, facts = {}, ...rest }, args) => {
    const { commits = [], unmeasured = [], committed = [], ...stands } = rest;
    const change: Json = {
      files: Object.fromEntries(changed.map((path) => [path, ["f 1", "f 2"]])),
      moved: {},
      commits: [...commits],
      ...(unmeasured.length === 0 ? {} : { unmeasured: [...unmeasured] }),
      ...(committed.length === 0 ? {} : { committed: [...committed] }),
    };
    const baseline = { "files:.": "reading", "files:T-1": "reading", ...order.baseline };
    return guard(
      {
        ...stands,
        dispatches: { "W-1": { role, ...order, baseline } },
        facts: { "change:W-1": change, ...facts },
      },
      args,
    );
  };
}

/** A run of the checks since the order that wrote this file itself. */
const wrote = (path: string, seq = 9): Stands["findings"] => ({
  f: { kind: "checks", seq, detail: { wrote: [path] } },
});

describe("a role's paths", () => {
  const paths = worked("role-paths");

  test("[TC-169] are named where they are another's, committed or not", () => {
    expect(paths({ changed: ["src/a.ts"] })).toBeUndefined();
    expect(paths({ role: "Reviewer", changed: ["src/a.ts", "b.ts"] })).toBe(
      "Reviewer may not change src/a.ts, b.ts",
    );
    expect(paths({ role: "Reviewer", committed: ["c.ts"] })).toBe("Reviewer may not change c.ts");
    expect(paths({ role: "Reviewer", commits: ["abc x"] })).toBe(
      "Reviewer may not commit, but did: abc x",
    );
    for (const role of ["Coder", "Integrator", "QA", "Docs"])
      expect(paths({ role, commits: ["abc x"] }), role).toBeUndefined();
    expect(paths({ role: "Security", changed: ["a"], commits: ["abc x"] })).toBe(
      "Security may not change a; Security may not commit, but did: abc x",
    );
  });

  test("[TC-170] follow the state of the session", () => {
    const at = (state: string): Stands["units"] => ({ ".": { at: state } });
    const changed = ["src/a.ts"];
    expect(paths({ role: "Integrator", changed, units: at("INTEGRATE") })).toBeUndefined();
    expect(paths({ role: "Integrator", changed, units: at("RELEASE") })).toContain(
      "may not change",
    );
  });

  test("[TC-028] are watched in the sessions also where nothing was measured there", () => {
    const sessions = (before: Json, now: Json, changed: readonly string[] = []): unknown =>
      paths({
        changed,
        order: { baseline: { "sessions:w": before } },
        facts: { "sessions:w": now },
      });
    const old = ".agents-work/old/spec.md";
    expect(sessions({ [old]: "1" }, { [old]: "1" })).toBeUndefined();
    expect(sessions({ [old]: "1" }, { [old]: "2" })).toBe(`Coder may not change ${old}`);
    expect(sessions({ [old]: "1" }, { [old]: "2" }, ["a.ts"])).toBe(`Coder may not change ${old}`);
    // What was measured as well is told once.
    expect(sessions({ [old]: "1" }, { [old]: "2" }, [old])).toBe(`Coder may not change ${old}`);
    const folder = ".agents-work/old";
    expect(sessions({ [folder]: "1" }, { [folder]: "2" }, [`${folder}/a`])).toBe(
      `Coder may not change ${folder}/a`,
    );
    expect(sessions(unknown("a link"), {})).toBe("it cannot be told what changed: a link");
    expect(sessions({}, unknown("a pipe"))).toBe("it cannot be told what changed: a pipe");
  });

  test("[TC-149] hold nobody for what a run of the checks wrote since", () => {
    const role = "Reviewer";
    expect(paths({ role, changed: ["cov.txt"], findings: wrote("cov.txt") })).toBeUndefined();
    expect(paths({ role, changed: ["cov.txt"], findings: wrote("cov.txt", 5) })).toContain(
      "cov.txt",
    );
    expect(paths({ role, changed: ["a.ts"], findings: wrote("cov.txt") })).toContain("a.ts");
  });

  test("are compared entry by entry, and only where both are known", () => {
    expect(touchedPaths({ a: "1", b: "1" }, { b: "2", c: "1" })).toEqual(["a", "b", "c"]);
    expect(touchedPaths({ a: "nothing" }, { a: "nothing" })).toEqual([]);
    expect(touchedPaths({ a: "1" }, {})).toEqual(["a"]);
    expect(touchedPaths(undefined, { a: "1" })).toEqual([]);
    expect(touchedPaths({ a: "1" }, null)).toEqual([]);
  });
});

describe("work that is none", () => {
  const busy = worked("busy");
  const NOTHING = "nothing has changed since the work was handed out";

  test("[TC-006][TC-085] is told, with what could not be measured", () => {
    expect(busy({ changed: ["a"] })).toBeUndefined();
    expect(busy({})).toBe(NOTHING);
    expect(busy({ committed: ["a"] })).toBe(NOTHING);
    expect(busy({ unmeasured: ["dist/"] })).toBe(`${NOTHING}; ignored, and so not measured: dist/`);
    expect(busy({ changed: ["cov"], findings: wrote("cov") })).toBe(NOTHING);
  });

  test("[TC-085] a person agreed to, for this very order", () => {
    const agreed = (more: object): unknown =>
      busy({
        order: { unit: "T-1" },
        decisions: {
          D: {
            question: "nothing-done",
            unit: "T-1",
            askedSeq: 6,
            settled: { option: "agree" },
            ...more,
          } as never,
        },
      });
    expect(agreed({})).toBeUndefined();
    for (const other of [
      { question: "x" },
      { unit: "T-2" },
      { askedSeq: 5 },
      { askedSeq: 4 },
      { settled: { option: "again" } },
      { settled: null },
    ])
      expect(agreed(other), JSON.stringify(other)).toBe(NOTHING);
  });
});

describe("a list of files", () => {
  test("[TC-006] names what is there, was deleted, or is known to have changed", () => {
    const claimed = worked("claimed-files");
    const says = (files: readonly string[], done: Done = {}): string | undefined =>
      claimed({ ...done, claim: { files: [...files] } });
    expect(says([])).toBeUndefined();
    expect(says(["./a"], { facts: { "digest:a": "1" } })).toBeUndefined();
    const gone = { "digest:a": null, "digest:b": null };
    expect(says(["a", "b"], { facts: gone })).toBe(
      "the report names files that do not exist: a, b",
    );
    expect(says(["a"], { facts: gone, changed: ["a"] })).toBeUndefined();
    expect(says(["a"], { facts: { ...gone, "worktree:w": { a: "1" } } })).toBeUndefined();
    expect(says(["length"], { facts: { "digest:length": null, "worktree:w": ["x"] } })).toBe(
      "the report names files that do not exist: length",
    );
  });

  test("[TC-006] leaves nothing out but the session's own", () => {
    const unclaimed = worked("unclaimed");
    const changed = ["a.ts", "b.ts", `${SESSION}/report.md`];
    expect(unclaimed({ changed, claim: { files: ["./a.ts", "b.ts"] } })).toBeUndefined();
    expect(unclaimed({ changed, claim: { files: ["a.ts"] } })).toBe("changed, but not named: b.ts");
    expect(unclaimed({ changed })).toBe("changed, but not named: a.ts, b.ts");
  });

  test("[TC-170] of the Integrator has no product code, whatever it says", () => {
    const product = worked("product-code");
    expect(product({ changed: ["package.json", "README.md", "ci/run.sh"] })).toBeUndefined();
    expect(product({ changed: ["package.json", "src/a.ts", "b.js"] })).toBe(
      "the Integrator changed product code: src/a.ts, b.js",
    );
  });
});

test("[TC-125] what a path is, by its name", () => {
  const all = ["src/a.ts", "README.md", "docs/x.png", `${SESSION}/a.ts`, "package.json", ".x"];
  expect(all.filter(isCode)).toEqual(["src/a.ts", "package.json", ".x"]);
  expect(all.filter(isProduct)).toEqual(["src/a.ts"]);
});

test("[TC-124] a task that its file calls completed too early is told", () => {
  const own = judged(pathGuards, "own-status");
  const units = { "T-1": { at: "implemented" }, "T-2": { at: "completed" } };
  const says = (tasks: Json | undefined): string | undefined =>
    own({ units, facts: { "tasks:w": tasks } });
  const task = (id: string, status = "completed"): JsonObject => ({ id, status });
  expect([says(undefined), says([]), says("T-1"), says([null, "T-1"])]).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(says([task("T-2"), task("T-9"), task("T-1", "implemented")])).toBeUndefined();
  expect(says([task("T-1"), task("T-2")])).toBe(
    "tasks.yaml said completed, but T-1 is implemented; only checks complete a task",
  );
});

test("[TC-096] an artifact that was to change has changed", () => {
  const changed = judged(pathGuards, "artifact-changed");
  const says = (facts: Stands["facts"], keys: Json = ["digest:{id}.md", "digest:b"]): unknown =>
    changed(
      {
        facts: facts ?? {},
        dispatches: { "W-1": { baseline: { "digest:w.md": "1", "digest:b": null } } },
      },
      { keys },
    );
  expect(says({ "digest:w.md": "1", "digest:b": null })).toBe("nothing changed in w.md, b");
  expect(says({ "digest:w.md": "2", "digest:b": null })).toBeUndefined();
  expect(says({ "digest:w.md": "1", "digest:b": "x" })).toBeUndefined();
  expect(says({ "digest:b": null }), "not known yet").toBeUndefined();
  expect(says({}, "digest:b")).toBe("nothing changed in ");
});
