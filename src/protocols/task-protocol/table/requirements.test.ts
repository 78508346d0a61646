import { describe, expect, test } from "vitest";
import { rootOf } from "../../../core/state/evolve.ts";
import type { Json } from "../../../core/values/json.ts";
import {
  AGENT,
  TASK,
  atClassified,
  atRequirements,
  atSynthesis,
  begun,
  codes,
  everyAgent,
  reportOf,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Story } from "../../../../test/story.ts";
import { exitReport, gateLine } from "../words/gate-report.ts";
import { taskProtocol } from "./protocol.ts";
import { escalationOf, missingEvidence } from "../world/resume.ts";
import { STATES } from "./states.ts";

describe("CLASSIFIED", () => {
  test("[TP-092] source that was written while requirements were asked for is not taken for any", () => {
    const one = atRequirements().send("requirements", "quality", AGENT);
    one.given({ "change:W-1": { files: { "src/A.java": [null, "f 1"] }, moved: {}, commits: [] } });
    expect(codes(reportOf(one, "quality", "COMPLETE"))).toEqual(["source-written"]);
    expect(one.refusals[0]?.message).toContain("src/A.java");
  });

  test("[TP-049] [TP-080] selecting stores the record and makes a place for every agent", () => {
    const one = atClassified().move("select", AGENT);
    expect(one.state.units["architect"]?.at).toBe("preparing");
    one.settle();
    expect(one.state.units["architect"]?.at).toBe("ready");
    expect(one.state.vars["risk"]).toMatchObject({
      level: "HIGH",
      method: "pattern",
      triggers: ["src/Main.java"],
      variant: "FULL",
      agents: ["architect", "quality"],
    });
  });

  test("[TP-084] [TP-085] task.md in the wrong place or without a section is named", () => {
    const one = atClassified().move("select", AGENT).settle();
    one.given({ [`task-md:${TASK}`]: { missing: [], misplaced: true } }).move("gather", AGENT);
    expect(codes(one)).toEqual(["task-md-incomplete"]);
    expect(one.refusals[0]?.message).toContain(`.holdpoint/tasks/${TASK}/task.md`);
    one.given({ [`task-md:${TASK}`]: { missing: ["Scope Definition"] } }).move("gather", AGENT);
    expect(one.refusals[0]?.message).toContain("Scope Definition");
  });

  test("[TP-088] a missing agent worktree is named before anything is handed out", () => {
    const one = atClassified().move("select", AGENT).settle();
    one.given({ "worktree:quality": null }).move("gather", AGENT);
    expect(codes(one)).toEqual(["worktree-missing"]);
    expect(one.refusals[0]?.message).toContain("quality");
  });
});

describe("handing out", () => {
  test("[TP-083] no agent starts without task.md", () => {
    const one = atRequirements().given({ [`task-md:${TASK}`]: null });
    expect(codes(one.send("requirements", "architect", AGENT))).toEqual(["task-md-missing"]);
  });

  test("[TP-049] [TP-088] [TP-089] nor without its worktree, nor from elsewhere", () => {
    const one = atRequirements().given({
      "worktree:architect": null,
      [`cwd:${TASK}`]: { current: "/r", required: "/r/code", same: false },
    });
    one.send("requirements", "architect", AGENT);
    expect(codes(one)).toEqual(["wrong-directory", "worktree-missing"]);
    expect(one.refusals[0]?.message).toContain("/r/code");
  });

  test("[TP-090] all agents are out at once; one agent is not out twice", () => {
    const one = atRequirements();
    one.send("requirements", "architect", AGENT).send("requirements", "quality", AGENT);
    expect(codes(one)).toEqual(["accepted"]);
    expect(codes(one.send("requirements", "quality", AGENT))).toContain("dispatch-open");
  });

  test("[TP-091] which mode is valid in which state", () => {
    const valid = Object.fromEntries(
      Object.entries(taskProtocol.work).map(([name, spec]) => [name, spec.rootIn]),
    );
    const implementing = STATES.filter((state) => valid["implementation"]?.includes(state));
    expect(implementing).toEqual(["IMPLEMENTATION"]);
    const judging = new Set(
      Object.entries(valid).flatMap(([name, states]) =>
        name === "implementation" ? [] : (states ?? []),
      ),
    );
    expect(STATES.filter((state) => judging.has(state))).toEqual([
      "REQUIREMENTS",
      "SYNTHESIS",
      "IMPLEMENTATION",
      "VALIDATION",
      "REVIEW",
      "SCOPE_NEGOTIATION",
    ]);
  });
});

describe("what counts as done", () => {
  const reported = (given: Readonly<Record<string, Json>>, claim = {}): readonly string[] => {
    const one = atRequirements().given(given).send("requirements", "architect", AGENT);
    return codes(reportOf(one, "architect", "COMPLETE", claim));
  };

  test("[TP-093] [TP-094] [TP-095] a report is needed, with a hundred bytes", () => {
    expect(reported({ "report:architect": null })).toEqual(["report-missing"]);
    expect(reported({ "report:architect": { bytes: 0 } })).toEqual(["report-missing"]);
    expect(reported({ "report:architect": { bytes: 99 } })).toEqual(["report-missing"]);
    expect(reported({ "report:architect": { bytes: 100 } })).toEqual(["accepted"]);
  });

  test("[TP-093] a claim for another mode, round or task is refused", () => {
    expect(reported({}, { mode: "requirements", round: 1 })).toEqual(["accepted"]);
    expect(reported({}, { mode: "implementation" })).toEqual(["report-outdated"]);
    expect(reported({}, { round: 2 })).toEqual(["report-outdated"]);
    expect(reported({}, { task: "other" })).toEqual(["report-outdated"]);
  });

  test("[TP-093] what was done before a return does not count after it", () => {
    const one = everyAgent(atRequirements(), "requirements", "COMPLETE");
    one.move("reclassify", { ...AGENT, reason: "wrong agents" });
    one.move("select", AGENT).settle().move("gather", AGENT).move("synthesize", AGENT);
    expect(codes(one)).toEqual(["exit-6-incomplete"]);
  });

  test("[TP-096] [TP-120] the gate says x of y and who is missing", () => {
    const one = atRequirements().send("requirements", "architect", AGENT);
    reportOf(one, "architect", "COMPLETE").move("synthesize", AGENT);
    expect(codes(one)).toEqual(["exit-6-incomplete"]);
    expect(one.refusals[0]?.message).toBe("1/2 agents complete; missing: quality");
    expect(gateLine(["a", "b"], ["a"])).toBe("GATE FAILED: 1/2 agents complete; missing: b");
    expect(gateLine(["a", "b"], ["a", "b"])).toBe("GATE PASSED: All 2 agents COMPLETE");
  });

  test("[TP-097] [TP-123] an error stands until the agent has done it again", () => {
    const one = atRequirements().send("requirements", "architect", AGENT);
    one.send("requirements", "quality", AGENT);
    reportOf(one, "quality", "COMPLETE");
    reportOf(one, "architect", "ERROR", { error_message: "the parser is unclear" });
    one.move("synthesize", AGENT);
    expect(codes(one)).toEqual(["exit-6-incomplete", "exit-9-errors"]);
    expect(one.refusals[1]?.message).toContain("the parser is unclear");
    one.send("requirements", "architect", AGENT);
    reportOf(one, "architect", "COMPLETE").move("synthesize", AGENT);
    expect(codes(one)).toEqual(["accepted"]);
  });
});

describe("time and retries", () => {
  const later = (minutes: number): string =>
    new Date(Date.parse("2026-03-01T10:00:00.000Z") + minutes * 60_000).toISOString();
  const sent = (): Story => {
    const one = atRequirements();
    return one.send("requirements", "architect", { ...AGENT, at: later(100) });
  };
  const given = (one: Story, minutes: number): readonly string[] =>
    codes(reportOf(one, "architect", "TIMED_OUT", {}, { ...AGENT, at: later(100 + minutes) }));

  test("[TP-103] no sign of life for five minutes, not a minute earlier", () => {
    expect(given(sent(), 4)).toEqual(["not-overdue"]);
    expect(given(sent(), 6)).toEqual(["accepted"]);
  });

  test("[TP-099] no news for thirty minutes", () => {
    const heard = { "agent-status:architect": { status: "WORKING", updated_at: later(110) } };
    expect(given(sent().given(heard), 20)).toEqual(["not-overdue"]);
    expect(given(sent().given(heard), 41)).toEqual(["accepted"]);
  });

  test("[TP-100] an hour in all, however often it was heard of", () => {
    const heard = { "agent-status:architect": { status: "WORKING", updated_at: later(160) } };
    expect(given(sent().given(heard), 60)).toEqual(["not-overdue"]);
    expect(given(sent().given(heard), 61)).toEqual(["accepted"]);
  });

  const fail = (one: Story): Story => {
    one.send("requirements", "architect", AGENT);
    return reportOf(one, "architect", "ERROR", { error_message: "out of ideas" });
  };

  test("[TP-105] [TP-106] [TP-216] two retries, then a person with all five facts; the count is in the journal", () => {
    const one = atRequirements();
    expect(codes(fail(one))).toEqual(["accepted"]);
    expect(codes(fail(one))).toEqual(["accepted"]);
    expect(one.state.spent["retries/architect"]).toBe(2);
    expect(codes(fail(one))).toEqual(["held"]);
    expect(one.open[0]?.question).toBe("retries-exhausted");
    expect(escalationOf(one.state, "architect")).toEqual({
      issue: "architect: out of ideas",
      state: "REQUIREMENTS",
      attempts: 3,
      workAtRisk: [],
      options: ["again", "reclassify", "abandon"],
    });
    one.reply("retries-exhausted", "again");
    expect(one.state.spent["retries/architect"]).toBeUndefined();
  });

  test("[TP-105] the limit is a setting", () => {
    const one = begun({ retries_max: 0 }).settle().move("begin", AGENT);
    one.move("select", AGENT).settle().move("gather", AGENT);
    expect(codes(fail(one))).toEqual(["held"]);
  });

  test("[TP-098] an error without words is refused", () => {
    const one = atRequirements().send("requirements", "architect", AGENT);
    expect(codes(reportOf(one, "architect", "ERROR"))).toEqual(["error-message-missing"]);
  });

  test("[TP-101] going back to CLASSIFIED needs a reason and makes the places again", () => {
    const one = atRequirements();
    expect(codes(one.move("reclassify", AGENT))).toEqual(["reason-missing"]);
    one.move("reclassify", { ...AGENT, reason: "worktrees are gone" });
    expect(rootOf(one.state).at).toBe("CLASSIFIED");
    one.move("select", AGENT);
    expect(Object.values(one.state.effects).at(-1)).toMatchObject({
      kind: "worktree",
      status: "wanted",
    });
  });
});

describe("the nine checks", () => {
  const broken: readonly (readonly [number, Readonly<Record<string, Json>>])[] = [
    [3, { [`cwd:${TASK}`]: { current: "/a", required: "/b", same: false } }],
    [4, { [`task-md:${TASK}`]: { missing: ["Task Objective"] } }],
    [5, { "worktree:quality": null }],
    [7, { "report:quality": { bytes: 12 } }],
  ];

  test.each(broken)(
    "[TP-114] [TP-125] check %i fails with its number and route",
    (number, given) => {
      const one = everyAgent(atRequirements(), "requirements", "COMPLETE").given(given);
      const report = exitReport(one.move("synthesize", AGENT).answer);
      expect(report.failed).toBe(number);
      expect(report.lines).toHaveLength(number);
      expect(report.lines.at(-1)).toMatch(new RegExp(`^\\[${number}/9\\] FAILED: `));
      expect(report.route).toMatch(/infrastructure|task-md|back-to-classified|agent-recovery/);
    },
  );

  test("[TP-115] check 1: another state", () => {
    expect(exitReport(atSynthesis().move("synthesize", AGENT).answer).failed).toBe(1);
  });

  test("[TP-116] check 2: another session", () => {
    const one = atRequirements().move("synthesize", { ...AGENT, session: "s-9" });
    expect(exitReport(one.answer)).toMatchObject({ failed: 2, route: "infrastructure" });
    // Nobody has looked at the others.
    expect(exitReport(one.answer).lines).toEqual([expect.stringMatching(/^\[2\/9\] FAILED: /)]);
  });

  test("[TP-117] check 3 shows both paths", () => {
    const one = atRequirements().given(broken[0]?.[1] ?? {});
    const [line] = exitReport(one.move("synthesize", AGENT).answer).lines.slice(-1);
    expect(line).toContain("/a");
    expect(line).toContain("/b");
  });

  test("[TP-118] check 4 names the section", () => {
    const one = atRequirements()
      .given(broken[1]?.[1] ?? {})
      .move("synthesize", AGENT);
    expect(exitReport(one.answer).lines.at(-1)).toContain("Task Objective");
  });

  test("[TP-120] [TP-123] checks 6 and 9", () => {
    const one = atRequirements().send("requirements", "architect", AGENT);
    reportOf(one, "architect", "ERROR", { error_message: "no" }).move("synthesize", AGENT);
    expect(exitReport(one.answer)).toMatchObject({ failed: 6, route: "agent-recovery" });
    const nine = { kind: "refused", refusals: one.refusals.slice(-1) } as const;
    expect(exitReport(nine)).toMatchObject({ failed: 9, route: "re-invoke" });
  });

  test("[TP-121] check 7 lists agents and sizes", () => {
    const one = everyAgent(atRequirements(), "requirements", "COMPLETE");
    one.given({ "report:quality": { bytes: 12 }, "report:architect": null });
    const line = exitReport(one.move("synthesize", AGENT).answer).lines.at(-1);
    expect(line).toContain("architect: the report is missing");
    expect(line).toContain("quality: the report has 12 bytes");
  });

  test("[TP-122] check 8: a log that does not show the way here", () => {
    const one = everyAgent(atRequirements(), "requirements", "COMPLETE");
    one.move("synthesize", AGENT);
    expect(exitReport(one.answer)).toMatchObject({ passed: true });
    expect(exitReport(one.answer).lines.at(-1)).toBe("ALL 9 CHECKS PASSED");
    const refusal = { code: "exit-8-log", message: "gap", fix: "look", rule: "TP-122" };
    expect(exitReport({ kind: "refused", refusals: [refusal] })).toMatchObject({
      failed: 8,
      route: "escalate",
    });
  });

  test("[TP-069] [TP-124] every reason is in the answer, and nothing has changed", () => {
    const one = atRequirements().given({ ...broken[0]?.[1], ...broken[1]?.[1] });
    const before = JSON.stringify(one.state);
    one.move("synthesize", AGENT);
    expect(codes(one)).toEqual(["exit-3-directory", "exit-4-task-md", "exit-6-incomplete"]);
    expect(JSON.stringify(one.state)).toBe(before);
  });

  test("[TP-068] evidence that goes after the move is missed by name", () => {
    const { state } = atSynthesis();
    const bound = Object.values(state.findings).flatMap((one) => Object.entries(one.bound));
    const there = Object.fromEntries(bound);
    expect(missingEvidence(state, (key) => there[key])).toEqual([]);
    const report = `digest:.holdpoint/tasks/${TASK}/${TASK}-quality-requirements.md`;
    expect(missingEvidence(state, (key) => (key === report ? null : there[key]))).toEqual([
      "post_transition_evidence_missing: requirements by quality",
    ]);
  });

  test("[TP-221] an agent that joined is waited for", () => {
    const one = everyAgent(atRequirements(), "requirements", "COMPLETE");
    const data = {
      justification: {
        missing_expertise: "a",
        unmet_requirement: "b",
        why_not_first: "c",
        evidence: "d",
      },
    };
    one.when({ type: "unit.open", kind: "agent", unit: "security", data }, AGENT).settle();
    one.move("synthesize", AGENT);
    expect(one.refusals[0]?.message).toBe("2/3 agents complete; missing: security");
  });
});
