import { describe, expect, test } from "vitest";
import { rootOf } from "../../../core/state/evolve.ts";
import { isJsonObject } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import {
  AGENT,
  JUSTIFICATION,
  PERSON,
  TASK,
  atImplementation,
  atSynthesis,
  codes,
  implement,
  planReleased,
  reportOf,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";
import { entryReport } from "../words/gate-report.ts";
import { taskProtocol } from "./protocol.ts";

const at = (one: Story): string => rootOf(one.state).at;

describe("showing the plan", () => {
  const parts: readonly (readonly [string, Readonly<Record<string, Json>>])[] = [
    ["synthesis-incomplete", { [`synthesis:${TASK}`]: { missing: ["Trade-offs"] } }],
    ["synthesis-incomplete", { [`synthesis:${TASK}`]: { unmapped: ["R2"] } }],
    ["synthesis-incomplete", { [`synthesis:${TASK}`]: { undecided: ["style against quality"] } }],
    ["entry-4-plan", { [`plan:${TASK}`]: { missing: ["Decision Log"], problems: [] } }],
    ["entry-4-plan", { [`plan:${TASK}`]: { missing: [], problems: ['"36 tests" is a number'] } }],
    ["entry-4-plan", { [`plan:${TASK}`]: null }],
  ];

  test.each(parts)(
    "[TP-126] [TP-127] [TP-128] [TP-129] [TP-130] [TP-131] %s is named and nobody is asked",
    (code, given) => {
      const one = atSynthesis().given(given).move("present-plan", AGENT);
      expect(codes(one)).toEqual([code]);
      const [part] = Object.values(given).flatMap((value) =>
        isJsonObject(value) ? Object.values(value).flat() : ["no implementation plan"],
      );
      expect(one.refusals[0]?.message).toContain(part);
      expect(one.open).toEqual([]);
    },
  );

  test("[TP-132] it halts: nothing moves on, however long it waits", () => {
    const one = atSynthesis().move("present-plan", AGENT);
    expect(codes(one)).toEqual(["held"]);
    const week = { ...AGENT, at: "2026-03-08T10:00:00.000Z" };
    one.when(
      { type: "unit.move", unit: ".", move: "implement", input: { acknowledged: true } },
      week,
    );
    expect(codes(one)).toContain("held");
    expect(at(one)).toBe("SYNTHESIS");
  });

  test("[TP-134] a word before the plan was shown releases nothing", () => {
    const one = atSynthesis();
    const early = { type: "decision.answer", decision: "D-1", text: "proceed" } as const;
    expect(codes(one.when(early, PERSON))).toEqual(["decision-unknown"]);
    expect(codes(implement(one))).toEqual(["entry-5-approval"]);
  });

  test.each(["okay", "nice work", "continue", "looks good?", ""])(
    "[TP-113] [TP-136] %j is not a release; the question stays",
    (text) => {
      const one = atSynthesis().move("present-plan", AGENT).reply("plan", text);
      expect(codes(one)).toEqual([text === "" ? "answer-empty" : "not-an-option"]);
      expect(one.open).toHaveLength(1);
    },
  );

  test.each(["approved", "proceed", "approve", "1"])("[TP-136] %j is one", (text) => {
    const one = atSynthesis().move("present-plan", AGENT).reply("plan", text);
    expect(codes(implement(one))).toEqual(["accepted"]);
  });

  test("[TP-140] an agent cannot release it", () => {
    const one = atSynthesis().move("present-plan", AGENT).reply("plan", "approved", AGENT);
    expect(codes(one)).toEqual(["person-required"]);
  });

  test("[TP-135] no variable and no grant releases it", () => {
    expect(taskProtocol.questions["plan"]?.grant).toBeUndefined();
    expect(taskProtocol.questions["change"]?.grant).toBeUndefined();
    const one = atSynthesis();
    one.when({ type: "gate.waive", unit: ".", gate: "plan", reason: "hurry" }, PERSON);
    expect(codes(implement(one))).toEqual(["entry-5-approval"]);
  });

  test("[TP-137] feedback is kept, and the plan must be shown and released again", () => {
    const one = atSynthesis().move("present-plan", AGENT);
    one.reply("plan", "revise", { ...PERSON, reason: "use a table" });
    expect(one.state.notes).toContainEqual(expect.objectContaining({ text: "use a table" }));
    expect(codes(implement(one))).toEqual(["entry-5-approval"]);
    one.move("present-plan", AGENT).reply("plan", "approved");
    expect(codes(implement(one))).toEqual(["accepted"]);
  });

  test("[TP-138] a release is in the journal: folding it again keeps it", () => {
    expect(codes(implement(planReleased().fork()))).toEqual(["accepted"]);
  });

  test("[TP-139] one changed character of the plan voids it", () => {
    const one = planReleased().given({ [`plan-digest:${TASK}`]: "sha256:plan-2" });
    implement(one);
    expect(codes(one)).toEqual(["entry-5-approval"]);
    expect(one.refusals[0]?.message).toContain("plan_changed_since_approval");
  });

  test("[TP-139] the release names who gave it and what for", () => {
    const decision = Object.values(planReleased().state.decisions)[0];
    expect(decision?.settled?.by).toBe("person:ada");
    expect(decision?.bound).toEqual({ [`plan-digest:${TASK}`]: "sha256:plan-1" });
  });

  test("[TP-062] unclear requirements lead back to REQUIREMENTS, with a reason", () => {
    const one = atSynthesis().move("present-plan", AGENT);
    one.reply("plan", "unclear", { ...PERSON, reason: "what about errors?" });
    expect(at(one)).toBe("REQUIREMENTS");
    expect(one.history.findLast((event) => event.type === "unit.moved")).toMatchObject({
      reason: "what about errors?",
    });
  });
});

describe("the seven guards", () => {
  const broken: readonly (readonly [number, Readonly<Record<string, Json>>])[] = [
    [1, { [`task-md:${TASK}`]: null }],
    [2, { [`task-md:${TASK}`]: { missing: ["Stakeholder Agent Reports"] } }],
    [3, { "report:quality": null }],
    [4, { [`plan:${TASK}`]: { missing: ["File Manifest"], problems: [] } }],
    [5, { [`plan-digest:${TASK}`]: "sha256:other" }],
  ];

  test.each(broken)(
    "[TP-144] [TP-145] [TP-146] [TP-147] [TP-148] [TP-151] guard %i fails with expectation, cause and abort",
    (number, given) => {
      const report = entryReport(implement(planReleased().given(given)).answer);
      expect(report.failed).toBe(number);
      const said = report.lines.slice(number - 1);
      expect(said.map((line) => line.split(":")[0])).toEqual([
        "ENTRY GUARD FAILED",
        "EXPECTED",
        "CAUSE",
        "ABORT",
      ]);
    },
  );

  test("[TP-144] guard 1 says that CLASSIFIED did not create it", () => {
    const report = entryReport(implement(planReleased().given(broken[0]?.[1] ?? {})).answer);
    expect(report.lines).toContain("CAUSE: CLASSIFIED did not create task.md");
  });

  test("[TP-149] guard 6: another state", () => {
    const report = entryReport(implement(atImplementation()).answer);
    expect(report.failed).toBe(6);
    expect(report.lines[0]).toMatch(/^ENTRY GUARD FAILED: /);
  });

  test("[TP-152] refused for another reason, no guard is said to have passed", () => {
    const one = planReleased().move("implement", { ...AGENT, session: "s-9" });
    expect(codes(one)).toEqual(["lease-held"]);
    expect(entryReport(one.answer)).toMatchObject({ passed: false, failed: null, lines: [] });
  });

  test("[TP-150] guard 7: the limits of the role are acknowledged", () => {
    const one = planReleased().move("implement", AGENT);
    expect(codes(one)).toEqual(["entry-7-acknowledgement"]);
    expect(entryReport(one.answer).failed).toBe(7);
    expect(one.refusals[0]?.message).toMatch(/Role: .+ Not allowed: .+ Way of work: /);
  });

  test("[TP-152] all seven pass", () => {
    const report = entryReport(implement(planReleased()).answer);
    expect(report.lines).toHaveLength(8);
    expect(report.lines.at(-1)).toBe("ALL ENTRY GUARDS PASSED");
  });

  test("[TP-069] no plan and no release are both in one refusal", () => {
    const one = implement(atSynthesis().given({ [`plan:${TASK}`]: null }));
    expect(codes(one)).toEqual(["entry-4-plan", "entry-5-approval"]);
  });
});

describe("an agent that joins", () => {
  const add = (one: Story, unit: string, data: Readonly<Record<string, Json>> = {}): Story =>
    one.when(
      { type: "unit.open", kind: "agent", unit, data: { justification: JUSTIFICATION, ...data } },
      AGENT,
    );

  test("[TP-222] in SYNTHESIS voids the release, and must be heard first", () => {
    const one = add(planReleased(), "security").settle();
    implement(one);
    expect(codes(one)).toEqual(["entry-3-requirements", "entry-5-approval"]);
    one.send("requirements", "security", AGENT);
    reportOf(one, "security", "COMPLETE").move("present-plan", AGENT).reply("plan", "approved");
    expect(codes(implement(one))).toEqual(["accepted"]);
  });

  test("[TP-222] the open question about the plan goes", () => {
    const one = add(atSynthesis().move("present-plan", AGENT), "security");
    expect(one.open).toEqual([]);
  });

  test("[TP-218] every part of the justification is needed", () => {
    for (const part of ["missing_expertise", "unmet_requirement", "why_not_first", "evidence"]) {
      const justification = { ...JUSTIFICATION, [part]: " " };
      const one = add(atSynthesis(), "security", { justification });
      expect(codes(one)).toEqual(["justification-missing"]);
      expect(one.refusals[0]?.message).toContain(part);
    }
  });

  test("[TP-079] only stakeholder agents, under their own name", () => {
    expect(codes(add(atSynthesis(), "config"))).toEqual(["agent-unknown"]);
    expect(codes(add(atSynthesis(), "auditor"))).toEqual(["agent-unknown"]);
    expect(add(atSynthesis(), "hacker").refusals[0]?.message).toContain("security");
  });

  test("[TP-219] all of it or nothing: a failed worktree leaves no agent", () => {
    const one = add(atSynthesis(), "security").settle("failed");
    expect(one.state.units["security"]).toBeUndefined();
    expect(one.open).toEqual([]);
    const two = add(atSynthesis(), "security").settle();
    expect(two.state.units["security"]).toMatchObject({
      at: "ready",
      data: { added_at_state: "SYNTHESIS", justification: JUSTIFICATION },
    });
    expect(codes(add(two, "security"))).toEqual(["open-illegal"]);
  });

  test("[TP-223] in IMPLEMENTATION looks at the branch first, and is waited for", () => {
    const one = add(atImplementation(), "security").settle();
    expect(codes(one.send("implementation", "security", AGENT))).toEqual(["review-first"]);
    one.send("round-review", "security", AGENT);
    reportOf(one, "security", "APPROVED").send("implementation", "security", AGENT);
    expect(codes(one)).toEqual(["accepted"]);
    expect(one.state.units["security"]?.data["added_at_state"]).toBe("IMPLEMENTATION");
  });
});
