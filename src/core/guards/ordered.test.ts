/** What changed while nobody was ordered to change it: what stands, who took it over, and what a person has seen. */
import { describe, expect, test } from "vitest";
import { says } from "../../../test/says.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Dispatch, Finding, Workflow } from "../state/state.ts";
import { unknown } from "../values/unknown.ts";
import { finding, input, sealed } from "./guards.ts";

const KEY = "unordered:.";
const A = { files: { "src/a": ["f 1", "f 2"] } };
const STILL = { "digest:src/a": "sha256:2", "digest:src/b": "sha256:2" };

interface Given {
  readonly now?: Json;
  readonly facts?: JsonObject;
  readonly args?: JsonObject;
  readonly findings?: readonly Partial<Finding>[];
  readonly earlier?: readonly { readonly seq: number; readonly changed: Json }[];
  readonly dispatches?: readonly Partial<Dispatch>[];
}

function ordered(given: Given): string | undefined {
  const { now, facts = STILL, args = {}, findings = [], earlier = [], dispatches = [] } = given;
  const has = {
    findings: Object.fromEntries(findings.map((one, at) => [String(at), one])),
    dispatches: Object.fromEntries(dispatches.map((one, at) => [String(at), one])),
    unordered: earlier,
  } as unknown as Partial<Workflow>;
  return says(
    "ordered",
    { paths: ["src/**"], kept: "kept", ...args },
    { facts: { ...facts, ...(now === undefined ? {} : { [KEY]: now }) }, has },
  );
}

const told = (what: string): string => `changed while no agent was at work: ${what}`;

describe("what is there now", () => {
  test("nothing, and nothing known yet, is nothing", () => {
    expect(ordered({ now: null })).toBeUndefined();
    expect(ordered({})).toBeUndefined();
  });

  test("stands unless it reads again as it did before", () => {
    const at = (digest: Json): string | undefined =>
      ordered({ now: A, facts: { "digest:src/a": digest } });
    expect(at("sha256:2")).toBe(told("src/a"));
    expect(at("sha256:1")).toBeUndefined();
    for (const odd of [null, unknown("is a link")]) expect(at(odd)).toBe(told("src/a"));
  });

  test("what was added stands while it is there", () => {
    const at = (digest: Json): string | undefined =>
      ordered({ now: { files: { "src/a": [null, "f 2"] } }, facts: { "digest:src/a": digest } });
    expect(at("sha256:2")).toBe(told("src/a"));
    expect(at(null)).toBeUndefined();
  });

  test("counts in these paths, but for those that are left out", () => {
    const now = { files: { "src/a": ["f 1", "f 2"], "src/b": ["f 1", "f 2"], other: [null, "f"] } };
    expect(ordered({ now })).toBe(told("src/a, src/b"));
    expect(ordered({ now, args: { except: ["src/b", "x/**"] } })).toBe(told("src/a"));
    expect(ordered({ now, args: { paths: ["lib/**"] } })).toBeUndefined();
  });

  test("that cannot be told is told, and nobody can have seen it", () => {
    const now = unknown("src/a is odd");
    expect(ordered({ now })).toBe(told("what changed is not known: src/a is odd"));
    const findings = [{ kind: "kept", seq: 1, bound: { [KEY]: now } }];
    expect(ordered({ now, findings })).toBe(told("what changed is not known: src/a is odd"));
    expect(ordered({ now: "text" })).toContain("nobody has measured what changed");
  });
});

describe("what a person has seen", () => {
  const seen = (bound: Json, kind = "kept", seq = 1): Partial<Finding> => ({
    kind,
    seq,
    bound: { [KEY]: bound },
  });

  test("is no news, for exactly what was seen", () => {
    expect(ordered({ now: A, findings: [seen(A)] })).toBeUndefined();
    expect(ordered({ now: A, findings: [seen({ files: {} }), seen(A)] })).toBeUndefined();
    expect(ordered({ now: A, findings: [seen({ files: {} })] })).toBe(told("src/a"));
    expect(ordered({ now: A, findings: [seen(A, "review")] })).toBe(told("src/a"));
    expect(ordered({ now: A, findings: [{ kind: "kept", seq: 1, bound: {} }] })).toBe(
      told("src/a"),
    );
  });

  test("lies behind it, where all since the first step is asked for", () => {
    const earlier = [{ seq: 3, changed: A }];
    const args = { ever: true };
    expect(ordered({ now: null, earlier })).toBeUndefined();
    expect(ordered({ now: null, earlier, args: { ever: false } })).toBeUndefined();
    expect(ordered({ now: null, earlier, args })).toBe(told("src/a"));
    const since = (seq: number): string | undefined =>
      ordered({ now: null, earlier, args, findings: [seen(null, "kept", seq)] });
    expect([since(2), since(3), since(4)]).toEqual([told("src/a"), undefined, undefined]);
    const other = ordered({ now: null, earlier, args, findings: [seen(null, "review", 9)] });
    expect(other).toBe(told("src/a"));
    expect(ordered({ now: A, earlier, args })).toBe(told("src/a"));
    const odd = [{ seq: 3, changed: unknown("gone") }];
    expect(ordered({ now: null, earlier: odd, args })).toBe(
      told("what changed is not known: gone"),
    );
  });
});

describe("whoever took it over", () => {
  const args = { ever: true };
  const earlier = [{ seq: 3, changed: A }];
  const out = (more: Partial<Dispatch> = {}): Partial<Dispatch> => ({
    sentSeq: 3,
    status: "ended",
    outcome: "OK",
    measured: A,
    ...more,
  });
  const after = (...dispatches: readonly Partial<Dispatch>[]): string | undefined =>
    ordered({ now: null, earlier, args, dispatches });

  test("was told of it, worked on the file and reported that", () => {
    expect(after(out())).toBeUndefined();
    expect(after(out({ sentSeq: 4 }))).toBeUndefined();
    expect(after(out({ measured: { files: {} } }), out())).toBeUndefined();
  });

  test.each<readonly [string, Partial<Dispatch>]>([
    ["before it changed", { sentSeq: 2 }],
    ["who is not done", { status: "open" }],
    ["whose work was called off", { outcome: "cancelled" }],
    ["who worked on other files", { measured: { files: { "src/b": ["f 1", "f 2"] } } }],
    ["whose work nobody could measure", { measured: unknown("odd") }],
  ])("is nobody %s", (_, more) => {
    expect(after(out(more))).toBe(told("src/a"));
  });

  test("is nobody yet for what changed since", () => {
    expect(ordered({ now: A, dispatches: [out({ sentSeq: 99 })] })).toBe(told("src/a"));
  });
});

test("what is claimed and was not measured is told as that, beside what did not change", () => {
  const change = { files: { "src/a": [null, "f"] }, unmeasured: ["dist/"] };
  const baseline = { "files:.": "r" };
  const dispatches = { "W-1": { id: "W-1", unit: ".", baseline } as unknown as Dispatch };
  const claimed = (...files: readonly string[]): string | undefined =>
    says(
      "claimed-changed",
      { field: "files" },
      {
        facts: { "change:W-1": change },
        dispatch: "W-1",
        claim: { files: [...files] },
        has: { dispatches },
      },
    );
  expect(claimed("src/a")).toBeUndefined();
  expect(claimed("dist/x")).toBe("named, but ignored, and so not measured: dist/x");
  expect(claimed("b", "dist/x")).toBe(
    "named, but not changed: b; named, but ignored, and so not measured: dist/x",
  );
});

test("rows say what they were given, and nothing that was not", () => {
  expect(sealed([])).toStrictEqual({ guard: "sealed", args: {} });
  expect(sealed(["a"])).toEqual({ guard: "sealed", args: { paths: ["a"] } });
  expect(input("size")).toStrictEqual({ guard: "is", args: { text: "{input.size}" } });
  expect(input("size", ["s"])).toEqual({ guard: "is", args: { text: "{input.size}", in: ["s"] } });
  const says = { code: "c", fix: "f" };
  expect(finding("tests").passed(says)).toEqual({
    guard: "finding",
    args: { kind: "tests", in: ["passed"] },
    ...says,
  });
});
