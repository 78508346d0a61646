import { describe, expect, test } from "vitest";
import { emptyWorkflow } from "../core/state/evolve.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Decision, Dispatch, Workflow } from "../core/state/state.ts";
import { toy } from "../../test/toy.ts";
import { saidSince } from "./said.ts";

const at = "2026-01-01T00:00:00.000Z";
const spec = { unit: "root", in: ["open"], outcomes: { OK: [], BLOCKED: [] }, rule: "toy" };
const protocol: Protocol = {
  ...toy,
  work: { code: { ...spec, role: "Coder" }, review: { ...spec, role: "Reviewer" } },
};

function sent(number: number, role: string, more: Partial<Dispatch> = {}): Dispatch {
  return {
    id: `W-${number}`,
    spec: role === "Coder" ? "code" : "review",
    role,
    unit: "T-1",
    status: "ended",
    outcome: "OK",
    claim: { summary: "did it" },
    notes: [],
    session: "s",
    sentAt: at,
    sentSeq: number * 10,
    endedAt: at,
    baseline: {},
    ...more,
  };
}

function answered(seq: number, more: Partial<Decision> = {}): Decision {
  return {
    id: `D-${seq}`,
    question: "q",
    unit: "T-1",
    status: "answered",
    prompt: "How?",
    options: [{ id: "free", label: "Guidance" }],
    bound: {},
    nonce: "",
    askedAt: at,
    askedSeq: seq - 1,
    about: {},
    settled: { option: "free", text: `words ${seq}`, by: "person:ada", at, seq },
    ...more,
  };
}

function told(
  dispatches: readonly Dispatch[],
  decisions: readonly Decision[],
  more: Partial<Workflow> = {},
): readonly string[] {
  const state: Workflow = {
    ...emptyWorkflow("Toy"),
    dispatches: Object.fromEntries(dispatches.map((one) => [one.id, one])),
    decisions: Object.fromEntries(decisions.map((one) => [one.id, one])),
    ...more,
  };
  const last = dispatches.at(-1);
  if (last === undefined) throw new Error("nothing was sent");
  return saidSince(protocol, state, last).map((one) => one.text);
}

const now = sent(9, "Coder", { status: "open", outcome: null, claim: null });

describe("what an order has to tell", () => {
  test("what a person answered since the role last finished its work on this unit", () => {
    const said = told([sent(1, "Coder"), now], [answered(5), answered(15)]);
    expect(said).toEqual(['person:ada answered "How?": Guidance (words 15)']);
  });

  test("an order that came back without its work is given whole again", () => {
    const blocked = sent(2, "Coder", { outcome: "BLOCKED", claim: { summary: "no key" } });
    expect(told([blocked, now], [answered(5), answered(25)])).toEqual([
      'person:ada answered "How?": Guidance (words 5)',
      "Coder (W-2) reported BLOCKED: no key",
      'person:ada answered "How?": Guidance (words 25)',
    ]);
  });

  test("another role's order takes nothing away, and another unit's answers are not told", () => {
    const said = told(
      [sent(1, "Coder"), sent(3, "Reviewer"), now],
      [answered(15), answered(16, { unit: "T-2" }), answered(17, { unit: "." })],
    );
    expect(said).toHaveLength(2);
    expect(said.join(" ")).not.toContain("words 16");
  });

  test("a rejection with its words, until the same role has let it pass", () => {
    const no = sent(2, "Reviewer", { outcome: "BLOCKED", claim: { summary: "off by one" } });
    expect(told([sent(1, "Coder"), no, now], [])).toEqual([
      "Reviewer (W-2) reported BLOCKED: off by one",
    ]);
    expect(told([sent(1, "Coder"), no, sent(3, "Reviewer"), now], [])).toEqual([]);
  });

  test("the end of what a red run printed", () => {
    const detail = { runs: [{ passed: false, tail: `${"x".repeat(9_000)} 1 of 3 failed` }] };
    const red = { unit: ".", kind: "tests", by: "engine", value: "failed", bound: {}, detail, at };
    const [said = ""] = told([now], [], { findings: { red: { ...red, seq: 4 } } });
    expect(said).toMatch(/^The last run of tests failed:\n.*1 of 3 failed$/s);
    expect(said.length).toBeLessThan(2_000);
  });

  test("the files it is about, and what was said before the answer", () => {
    const one = answered(15, { about: { file: "src/a.ts" }, bound: { "digest:b.md": "d" } });
    const note = { list: "other", tag: "D-15", text: "why at all? (ada)", at };
    const state: Workflow = {
      ...emptyWorkflow("Toy"),
      dispatches: { "W-9": now },
      decisions: { "D-15": one },
      notes: [note],
    };
    const [said] = saidSince(protocol, state, now);
    expect(said?.files).toEqual(["src/a.ts", "b.md"]);
    expect(said?.text).toContain("before that: why at all? (ada)");
  });

  test("what the engine withdrew, nobody said", () => {
    const by = { option: "", text: "what it was about changed", by: "engine", at, seq: 15 };
    expect(told([now], [answered(15, { status: "void", settled: by })])).toEqual([]);
  });
});
