/** What was released, rejected, negotiated and audited: each guard by itself. */
import { describe, expect, test } from "vitest";
import { judged } from "../../../../../test/scope.ts";
import type { Stands } from "../../../../../test/scope.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import { releaseGuards } from "./release.ts";

const on = (name: string): ReturnType<typeof judged> => judged(releaseGuards, name);

function task(more: Stands = {}, state = "REVIEW", entered: Record<string, number> = {}): Stands {
  const { units, ...rest } = more;
  return {
    units: {
      ".": { kind: "root", at: state, entered: { [state]: 5, ...entered } },
      quality: { kind: "agent", at: "ready" },
      style: { kind: "agent", at: "ready" },
      ...units,
    },
    ...rest,
  };
}
const word = (kind: string, by: string, value: Json, more: object = {}): object => ({
  kind,
  by,
  value,
  ...more,
});
const words = (...all: readonly object[]): NonNullable<Stands["findings"]> =>
  Object.fromEntries(all.map((one, n) => [`f${n}`, one]));

describe("who vouched", () => {
  const cameFrom = (from: string): NonNullable<Stands["notes"]> => [
    { list: "log", tag: `${from} AWAITING_USER_APPROVAL`, text: "" },
  ];

  test("[TP-169] still does, on whichever way the change came here", () => {
    const vouched = (findings: readonly object[], more: Stands = {}): unknown =>
      on("vouched")(
        task(
          { findings: words(...findings), facts: { x: "1" }, ...more },
          "AWAITING_USER_APPROVAL",
          {
            REVIEW: 5,
          },
        ),
      );
    const ok = (by: string, more: object = {}): object => word("review", by, "APPROVED", more);
    expect(vouched([ok("quality"), ok("style")])).toBeUndefined();
    expect(vouched([ok("quality")])).toBe(
      "nobody has judged this very change for style: it is another since",
    );
    expect(vouched([ok("quality"), ok("style", { bound: { x: "2" } })])).toContain("for style");
    expect(vouched([ok("quality"), ok("style", { seq: 5 })])).toContain("for style");
    expect(vouched([ok("quality"), word("review", "style", "REJECTED")])).toContain("for style");
    const short = {
      notes: cameFrom("SYNTHESIS"),
      facts: { "classification:w": { level: "HIGH" } },
    };
    expect(vouched([], short)).toContain("no short way");
    // What was put off was judged as well: it is still the same change.
    const no = (more: object): object => word("review", "style", "REJECTED", more);
    const notes = cameFrom("SCOPE_NEGOTIATION");
    expect(vouched([ok("quality"), no({ bound: { x: "1" } })], { notes })).toBeUndefined();
    expect(vouched([ok("quality"), no({ bound: { x: "2" } })], { notes })).toContain("for style");
    expect(vouched([no({})], { notes })).toContain("for quality:");
  });

  test("[TP-148] a person released it, since, and it is still that", () => {
    const released = (more: object, args: JsonObject, extra: Stands = {}): unknown =>
      on("approved")(
        task(
          {
            facts: { x: "1" },
            decisions: {
              D: {
                question: "plan",
                status: "answered",
                settled: { option: "approve", by: "person:ada", seq: 6 },
                bound: { x: "1" },
                ...more,
              } as never,
            },
            ...extra,
          },
          "SYNTHESIS",
        ),
        { question: "plan", since: ["SYNTHESIS"], ...args },
      );
    expect(released({}, {})).toBeUndefined();
    for (const other of [
      { question: "change" },
      { status: "open" },
      { settled: { option: "changes", by: "person:ada", seq: 6 } },
      { settled: { option: "approve", by: "agent:ada", seq: 6 } },
      { settled: { option: "approve", by: "person:ada", seq: 5 } },
      { settled: null },
    ])
      expect(released(other, {}), JSON.stringify(other)).toBe("no person has released the plan");
    expect(released({ bound: { x: "2" } }, {})).toBe(
      "plan_changed_since_approval: the plan is not the one that was released",
    );
    const late: Stands = {
      units: {
        ".": { kind: "root", at: "SYNTHESIS", entered: { SYNTHESIS: 5 } },
        test: { kind: "agent", entered: { preparing: 7 } },
        build: { kind: "agent", entered: { preparing: 6 } },
        x: { kind: "other", entered: { preparing: 7 } },
      },
    };
    expect(released({}, { agents: true })).toBeUndefined();
    expect(released({}, { agents: true }, late)).toBe("test joined after the plan was released");
    expect(released({}, {}, late)).toBeUndefined();
  });

  test("[TP-180][TP-181] a person released this very commit", () => {
    const change = (bound: JsonObject, vars: JsonObject = {}): Stands =>
      task(
        {
          vars,
          facts: { "head:w": "1", "patch:w": "p" },
          decisions: {
            D: {
              question: "change",
              status: "answered",
              settled: { option: "approve", by: "person:ada", seq: 6 },
              bound,
            } as never,
          },
        },
        "AWAITING_USER_APPROVAL",
        { SYNTHESIS: 2, IMPLEMENTATION: 5 },
      );
    const fresh = on("change-fresh");
    const not = "the commit to merge is not the released one";
    expect(fresh(task())).toBeUndefined();
    expect(fresh(change({ "head:w": "1", "patch:w": "p" }))).toBeUndefined();
    expect(fresh(change({ "head:w": "2", "patch:w": "p" }))).toBe(not);
    const policy = { merge_policy: "same-patch" };
    expect(fresh(change({ "head:w": "2", "patch:w": "p" }, policy))).toBeUndefined();
    expect(fresh(change({ "head:w": "1", "patch:w": "q" }, policy))).toBe(not);
    const checkpoint = on("checkpoint");
    expect(checkpoint(change({}))).toBeUndefined();
    expect(checkpoint(task())).toBe("CHECKPOINT VIOLATION: User approval not obtained");
    const entered = { ...change({}), ...task({}, "X", { IMPLEMENTATION: 6 }) };
    expect(checkpoint({ ...change({}), units: entered.units })).toContain("CHECKPOINT VIOLATION");
    const again = task({}, "X", { SYNTHESIS: 6 });
    expect(checkpoint({ ...change({}), units: again.units })).toContain("CHECKPOINT VIOLATION");
    expect(on("acknowledged")({ input: { acknowledged: true } })).toBeUndefined();
    expect(on("acknowledged")({ input: { acknowledged: "yes" } })).toContain("not acknowledged");
  });
});

describe("rejections", () => {
  const no = (by: string, more: object = {}): object => word("review", by, "REJECTED", more);

  test("[TP-171] stand until their agent says otherwise", () => {
    const rejected = (...all: readonly object[]): unknown =>
      on("rejected")(task({ findings: words(...all) }));
    expect(rejected(no("style"))).toBeUndefined();
    for (const other of [
      no("style", { seq: 5 }),
      word("review", "style", "APPROVED"),
      no("nobody"),
    ])
      expect(rejected(other)).toBe("no agent has rejected the change");
    expect(rejected(no("style"), word("review", "style", "APPROVED", { seq: 10 }))).toContain(
      "no agent",
    );
  });

  test("[TP-173] of several who see far more work are about the scope", () => {
    const effort = (by: string, value: Json): object => word("effort", by, value);
    const concern = (args: JsonObject, vars: JsonObject, ...all: readonly object[]): unknown =>
      on("scope-concern")(
        task({ vars, findings: words(no("quality"), no("style"), ...all) }),
        args,
      );
    const both = [effort("quality", 3), effort("style", 2.5)];
    expect(concern({}, {}, ...both)).toBeUndefined();
    expect(concern({ not: true }, {}, ...both)).toBe(
      "quality, style see more than 2 times the planned work",
    );
    expect(concern({}, {}, effort("quality", 3), effort("style", 2))).toBe(
      "1 agent(s) see more than 2 times the planned work, 2 needed",
    );
    expect(concern({ not: true }, {}, effort("quality", 3))).toBeUndefined();
    expect(concern({}, { effort_ratio_max: 0.5 })).toBeUndefined();
    expect(concern({}, { effort_ratio_max: 1 })).toContain("0 agent(s)");
    expect(concern({}, { scope_rejections_min: 1 }, effort("quality", 3))).toBeUndefined();
    expect(concern({}, { scope_rejections_min: 3 }, ...both)).toContain("3 needed");
  });

  test("[TP-174] are deferred by all of them, or kept by some", () => {
    const decided = (args: JsonObject, ...all: readonly object[]): unknown =>
      on("scope-decided")(
        task({ findings: words(no("quality"), no("style"), ...all) }, "SCOPE_NEGOTIATION", {
          REVIEW: 5,
          SCOPE_NEGOTIATION: 7,
        }),
        args,
      );
    const say = (by: string, value: string, seq = 9): object => word("scope", by, value, { seq });
    const both = [say("quality", "DEFER"), say("style", "DEFER")];
    expect(decided({ every: "DEFER" }, ...both)).toBeUndefined();
    expect(decided({ every: "DEFER" }, say("quality", "DEFER"), say("style", "KEEP"))).toBe(
      "style did not say DEFER",
    );
    expect(decided({ every: "DEFER" }, say("quality", "DEFER", 7))).toBe(
      "quality, style did not say DEFER",
    );
    expect(decided({ some: "KEEP" }, say("style", "KEEP"))).toBeUndefined();
    expect(decided({ some: "KEEP" }, ...both)).toBe("nobody says KEEP");
  });
});

test("[TP-163] a change of documents alone has three pieces of evidence", () => {
  const docs = (changed: Json | undefined, value?: Json, more: object = {}): unknown =>
    on("docs-only")(
      task(
        {
          facts: { "source-changed:w": changed, "tree:w": "1" },
          findings: words(
            word("docs-only", "x", value ?? null, { bound: { "tree:w": "1" }, ...more }),
          ),
        },
        "VALIDATION",
      ),
    );
  const all = { a: true, b: true, c: true };
  const not = "the documentation-only check is not recorded";
  expect(docs(undefined)).toBeUndefined();
  for (const changed of [true, null]) expect(docs(changed, all)).toContain("full build is needed");
  expect(docs(false, all)).toBeUndefined();
  for (const [value, more] of [
    [{ a: true, b: true }, {}],
    [{ ...all, c: false }, {}],
    [[true, true, true], {}],
    [all, { seq: 5 }],
    [all, { kind: "x" }],
    [all, { bound: {} }],
    [all, { bound: { "tree:w": "2" } }],
  ] as const)
    expect(docs(false, value as Json, more), JSON.stringify([value, more])).toBe(not);
});

test("[TP-199] nothing is lost at the end: work that runs, work that nobody did", () => {
  const audit = on("audit");
  const ended = { status: "ended" } as const;
  expect(audit(task({ dispatches: { "W-1": ended } }))).toBeUndefined();
  expect(audit(task({ dispatches: { "W-1": ended, "W-2": {}, "W-3": {} } }))).toBe(
    "W-2, W-3 never ended",
  );
  expect(audit({})).toBe("no agent was ever invoked");
  expect(audit({ vars: { risk_level: "LOW" } })).toBeUndefined();
  expect(audit(task({ vars: { risk_level: "LOW" } }))).toBe("no agent was ever invoked");
  expect(audit({ vars: { risk_level: "MEDIUM" } })).toBe("no agent was ever invoked");
});
