import { describe, expect, test } from "vitest";
import type { Refusal } from "../../core/decide/answer.ts";
import { failedAnswer, refusedAnswer, usage } from "../../operations/parts/answers.ts";
import type { Held, Taken } from "../../operations/parts/answers.ts";
import type { NextSteps } from "../../operations/next.ts";
import type { OrderTold } from "../../operations/order.ts";
import type { Answer } from "../../operations/operation.ts";
import { tell as tellAnswer } from "./tell.ts";
import type { Telling } from "./tell.ts";

/** Answers are told apart by their members, as they come from outside. */
function tell(answer: Taken | NextSteps | OrderTold | Answer, telling?: Telling): string {
  return tellAnswer(answer, telling);
}

const STANDING = {
  workflow: "Echo",
  protocol: "plugin-workflow",
  state: "🚧 Stage 0",
  headline: "Concept Ready",
  seq: 1,
  held: [],
};

const TAKEN: Taken = {
  ok: true,
  ...STANDING,
  events: [],
  notes: [],
  warnings: [],
  commits: [],
  pending: [],
};

const NEXT: NextSteps = { ok: true, ...STANDING, decisions: [], orders: [], candidates: [] };

const HELD: Held = {
  id: "D-1",
  question: "after-plan",
  prompt: "Planning complete",
  nonce: "n",
  askedAt: "2026-11-18T10:00:00.000Z",
  about: {},
  options: [
    { number: 1, id: "continue", label: "Build it", recommended: true },
    { number: 2, id: "pause", label: "Pause here" },
  ],
};

function refusal(message: string, fix: Refusal["fix"] = "Mend it."): Refusal {
  return { code: "x", message, fix, rule: "core" };
}

function order(role: string, dispatch: string): NextSteps["orders"][number] {
  return { role, dispatch, prompt: "Do it.\n\nWell.", files: [] };
}

describe("a verdict", () => {
  test("says where it stands and what is out", () => {
    expect(tell({ ...TAKEN, order: order("dsp", "W-1") })).toBe(
      "Done.\nStart subagent dsp on W-1.",
    );
    const orders = [order("dsp", "W-1"), order("gui", "W-2")];
    expect(tell({ ...TAKEN, order: orders[1], orders }, { named: true })).toBe(
      "Done. Echo: Concept Ready.\nStart subagents dsp on W-1, gui on W-2 of Echo.",
    );
  });

  test("[TC-175] names an agent as its client knows it", () => {
    const out = { ...order("SpecAgent", "W-1"), agent: "spec-agent" };
    expect(tell({ ...NEXT, orders: [out] })).toContain("spec-agent on W-1");
  });

  test("names work that was out before, and who is at work where nothing leads on", () => {
    const ahead = { ...NEXT, orders: [order("dsp", "W-1"), order("gui", "W-2")] };
    expect(tell({ ...TAKEN, order: order("gui", "W-2") }, { ahead })).toBe(
      "Done.\nStart subagent gui on W-2.\nStart, unless it runs: subagent dsp on W-1.",
    );
    expect(tell(refusedAnswer([refusal("dsp is at work")]), { ahead })).toBe(
      "Start, unless it runs: subagents dsp on W-1, gui on W-2.",
    );
  });

  test("names a workflow that has just been begun", () => {
    expect(tell(TAKEN, { begun: true, ahead: NEXT })).toBe(
      "Done. Echo: Concept Ready.\nNothing is to be done.",
    );
  });

  test("on a report says what is next, to whom it may concern", () => {
    const forward = {
      do: "plan",
      label: "hand plan to Planner",
      allowed: true,
      hands: true,
      refusals: [],
    };
    expect(tell(TAKEN, { ahead: { ...NEXT, forward }, reported: true })).toBe(
      "Done.\nOrchestrator: Now call advance.",
    );
  });

  test("a step that lacks only checks which it runs itself is simply taken", () => {
    const refusals = [{ code: "red", message: "build did not run", fix: "Mend it.", rule: "X-1" }];
    const step = { do: "release", label: "release it", allowed: false, hands: false, refusals };
    const forward = { ...step, ready: true } as const;
    expect(tell({ ...NEXT, forward })).toBe("Now call advance: release it.");
    expect(tell({ ...NEXT, forward: step })).toContain("still lacks");
  });

  test("names what waits for a person, and of several workflows which one they answer", () => {
    const asked = { ...TAKEN, held: [HELD, { ...HELD, id: "D-2" }] };
    expect(tell(asked)).toBe(
      [
        "Done.",
        "Held: a person must answer: Planning complete",
        "1 Build it (recommended); 2 Pause here",
        "1 more after it.",
      ].join("\n"),
    );
    expect(tell(asked, { named: true })).toContain("2 Pause here. holdpoint answer Echo\n");
  });

  test("tells what is not done, and how it ended", () => {
    const pending = [
      { effect: "commit", code: "hook", message: "a hook said no", fix: "Mend it." },
    ];
    expect(tell({ ...TAKEN, ok: false, pending })).toMatch(
      /^Recorded, but not all is done\. .*\n! a hook said no: Mend it\./,
    );
    const closing = { message: "merged", fix: { operation: "next", input: {} } };
    expect(tell({ ...TAKEN, closing })).toBe("Done.\nmerged. next");
  });
});

describe("a refusal", () => {
  test("is a line for each reason, with its fix: a tool where there is one, else the command", () => {
    const tool = {
      operation: "advance",
      input: { workflow: "Echo", step: "close" },
      says: "Close it",
    };
    const typed = { operation: "reconcile", input: { workflow: "Echo" } };
    expect(
      tell(refusedAnswer([refusal("one", tool), refusal("two", typed), refusal("three")])),
    ).toBe(
      [
        "Refused:",
        '- one. Fix: Close it: advance {"step":"close"}',
        "- two. Fix: holdpoint reconcile Echo",
        "- three. Fix: Mend it.",
      ].join("\n"),
    );
  });

  test("is bounded, whatever is wrong", () => {
    const many = Array.from({ length: 500 }, (_, at) =>
      refusal(`${at} ${"long\n".repeat(10_000)}`),
    );
    const text = tell(refusedAnswer(many));
    expect(text.split("\n")).toHaveLength(8);
    expect(text).toContain("(and 494 more)");
    expect(text.length).toBeLessThan(3_000);
  });

  test("because of a question is that question", () => {
    const held = [{ ...refusal("Echo waits"), code: "held" }];
    expect(tell(refusedAnswer(held, { ...STANDING, held: [HELD] }))).toMatch(
      /^Held: a person must answer/,
    );
  });

  test("has no tool in it for what only the command line has", () => {
    const take = { operation: "advance", input: { workflow: "Echo", take: true } };
    expect(tell(refusedAnswer([refusal("held by s", take)]))).toContain(
      "holdpoint advance Echo --take",
    );
  });
});

describe("next", () => {
  test("says what may not be done yet and what it lacks", () => {
    const forward = {
      do: "validate",
      label: "x",
      allowed: false,
      hands: false,
      refusals: [refusal("no preset")],
    };
    expect(tell({ ...NEXT, forward })).toBe(
      'Then call advance. "validate" still lacks:\n- no preset. Fix: Mend it.',
    );
  });

  test("says what is out, what may be asked for, or that there is nothing", () => {
    expect(tell({ ...NEXT, orders: [order("dsp", "W-1")] })).toContain(
      "Start, unless it runs: subagent dsp on W-1.",
    );
    const may = { label: "x", allowed: true, hands: false, refusals: [] };
    const candidates = [
      { ...may, do: "rework" },
      { ...may, do: "replan" },
    ];
    expect(tell({ ...NEXT, candidates })).toContain("advance with step rework, replan.");
    expect(tell(NEXT)).toBe("Nothing is to be done.");
    expect(tell({ ...NEXT, candidates, blocked: refusal("its settings have changed") })).toBe(
      "Nothing can be done here yet:\n- its settings have changed. Fix: Mend it.",
    );
  });
});

describe("anything else", () => {
  test("a failure says what failed and what to do", () => {
    expect(tell(failedAnswer({ code: "io", message: "the disk is gone", fix: "Mount it." }))).toBe(
      "Failed: the disk is gone Mount it.",
    );
    expect(
      tell(
        usage("start needs a name.", "Give one.", [
          { operation: "start", input: { protocol: "p" } },
        ]),
      ),
    ).toContain('start {"protocol":"p"}');
  });

  test("an order is passed on whole, with the way to report", () => {
    const text = tell({ ok: true, ...STANDING, order: order("dsp", "W-1") });
    expect(text).toContain("Do it.\n\nWell.");
    expect(text).toContain('{"workflow":"Echo","dispatch":"W-1","text":"..."}');
  });

  test("details leave out what is empty, and tell what happened once", () => {
    const entries = [
      { seq: 1, at: "now", events: ["a", "b"], story: ["a"], note: "", head: { hash: "x" } },
    ];
    expect(tell({ ok: true, workflow: "Echo", entries } as Answer)).toBe(
      "workflow: Echo\nentries:\n- at now, story a",
    );
  });

  test("details are bounded and without control characters", () => {
    const shown = { ok: true, id: "x", kind: "blob", text: `\u001B[31m${"a\n".repeat(100_000)}` };
    const text = tell(shown);
    expect(text.length).toBeLessThan(9_000);
    expect(text).not.toContain("\u001B");
    const none: Answer & { readonly workflows: readonly [] } = { ok: true, workflows: [] };
    expect(tell(none)).toBe("no workflows");
  });
});
