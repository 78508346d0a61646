import { describe, expect, test } from "vitest";
import { emptyWorkflow } from "../../../core/state/evolve.ts";
import { ROOT } from "../../../core/state/state.ts";
import {
  classifyError,
  isComplete,
  planAgent,
  planRecovery,
  resumption,
} from "../world/recovery.ts";
import type { AgentView } from "../world/recovery.ts";
import { classifyBuildFailure, findCorruption, guidance, initialPace } from "../world/resume.ts";
import { STATES } from "./states.ts";

const NOW = "2026-03-01T12:00:00.000Z";
const ago = (minutes: number): string => new Date(Date.parse(NOW) - minutes * 60_000).toISOString();

function view(change: Partial<AgentView> = {}): AgentView {
  return {
    agent: "architect",
    status: "WORKING",
    reportBytes: null,
    worktree: true,
    sentAt: ago(10),
    updatedAt: ago(1),
    errorMessage: "",
    retries: 0,
    ...change,
  };
}

const action = (change: Partial<AgentView>): string => planAgent(view(change), NOW).action;

describe("one agent", () => {
  test("[TP-093] complete is status and report together", () => {
    expect(isComplete(view({ status: "COMPLETE", reportBytes: 100 }))).toBe(true);
    expect(isComplete(view({ status: "COMPLETE", reportBytes: 99 }))).toBe(false);
    expect(isComplete(view({ status: "WORKING", reportBytes: 400 }))).toBe(false);
  });

  test("[TP-098] what an error says decides what is done", () => {
    expect(classifyError("context limit exceeded")).toBe("tool_limitation");
    expect(classifyError("requirements are unclear")).toBe("blocker");
    expect(classifyError("TypeError in my script")).toBe("agent_fault");
    expect(action({ status: "ERROR", errorMessage: "output too long" })).toBe("REINVOKE_SMALLER");
    expect(action({ status: "ERROR", errorMessage: "missing credentials" })).toBe(
      "RETURN_TO_CLASSIFIED",
    );
    expect(action({ status: "ERROR", errorMessage: "crashed" })).toBe("REINVOKE");
  });

  test("[TP-099] silent for 31 minutes is handed out again, for 10 it is waited for", () => {
    expect(action({ sentAt: ago(40), updatedAt: ago(31) })).toBe("REINVOKE");
    expect(action({ sentAt: ago(40), updatedAt: ago(10) })).toBe("WAIT");
  });

  test("[TP-100] 61 minutes in all is too long", () => {
    expect(action({ sentAt: ago(61), updatedAt: ago(1) })).toBe("REINVOKE");
    expect(action({ sentAt: ago(60), updatedAt: ago(1) })).toBe("WAIT");
  });

  test("[TP-101] [TP-102] [TP-103] without a status: no worktree is critical, five minutes are a failure", () => {
    expect(action({ status: null, worktree: false })).toBe("RETURN_TO_CLASSIFIED");
    expect(action({ status: null, sentAt: ago(6) })).toBe("REINVOKE");
    expect(action({ status: null, sentAt: ago(4) })).toBe("WAIT");
  });

  test("[TP-105] [TP-106] after two retries a person is asked", () => {
    expect(action({ status: "ERROR", errorMessage: "x", retries: 1 })).toBe("REINVOKE");
    expect(action({ status: "ERROR", errorMessage: "x", retries: 2 })).toBe("ESCALATE");
  });

  test("[TP-159] a blocked agent goes to a review, not to a retry", () => {
    expect(action({ status: "BLOCKED", retries: 2 })).toBe("REVIEW_MODE");
  });
});

describe("several agents", () => {
  const failed = (agent: string): AgentView => view({ agent, status: "ERROR", errorMessage: "x" });
  const done = (agent: string): AgentView => view({ agent, status: "COMPLETE", reportBytes: 400 });
  const actions = (...views: readonly AgentView[]): readonly string[] =>
    planRecovery(views, NOW).plans.map((plan) => plan.action);

  test("[TP-104] all, one kind, or scattered", () => {
    expect(actions(failed("architect"), failed("quality"))).toEqual([
      "RETURN_TO_CLASSIFIED",
      "RETURN_TO_CLASSIFIED",
    ]);
    expect(actions(failed("test"), failed("test-2"), done("style"))).toEqual([
      "REINVOKE_CLARIFIED",
      "REINVOKE_CLARIFIED",
      "NONE",
    ]);
    expect(actions(failed("test"), failed("style"), done("quality"))).toEqual([
      "REINVOKE",
      "REINVOKE",
      "NONE",
    ]);
    expect(planRecovery([done("a"), done("b")], NOW).pattern).toBe("none");
  });

  test("[TP-109] [TP-110] [TP-111] resuming starts exactly those that are not done, together", () => {
    const all = ["a", "b", "c", "d", "e", "f", "g"];
    expect(resumption(all, all)).toEqual({ kind: "TRANSITION_TO_SYNTHESIS" });
    expect(resumption(all, [])).toEqual({ kind: "INVOKE_ALL_AGENTS", agents: all });
    expect(resumption(all, ["a", "c", "e"])).toEqual({
      kind: "INVOKE_INCOMPLETE",
      agents: ["b", "d", "f", "g"],
    });
  });
});

describe("coming back", () => {
  test("[TP-213] each state says first what to do in it, the first time and on coming back", () => {
    const first = Object.fromEntries(STATES.map((state) => [state, guidance(state, true)]));
    expect(first).toMatchObject({
      INIT: expect.stringContaining("begin"),
      CLASSIFIED: expect.stringContaining("task.md, then select and gather"),
      REQUIREMENTS: expect.stringContaining("hand out all agents"),
      SYNTHESIS: expect.stringContaining("present-plan and wait"),
      IMPLEMENTATION: expect.stringContaining("hand out all agents"),
      VALIDATION: expect.stringContaining("run the build on the committed tree"),
      REVIEW: expect.stringContaining("every agent judges the task branch as it is now"),
      AWAITING_USER_APPROVAL: expect.stringContaining("show the commit and wait"),
      SCOPE_NEGOTIATION: expect.stringContaining("ask the rejecting agents"),
      COMPLETE: expect.stringContaining("cleaning up starts by itself"),
      CLEANUP: expect.stringContaining("archived"),
    });
    for (const state of STATES) expect(guidance(state, false)).toContain(first[state]);
  });

  test("[TP-055] guidance is whole the first time and brief again", () => {
    for (const state of STATES) {
      expect(guidance(state, false).split("\n").length).toBeGreaterThan(1);
      expect(guidance(state, true).split("\n")).toHaveLength(1);
      expect(guidance(state, true)).toContain(state);
    }
  });

  test("[TP-054] batching is measured in INIT alone, and only warned about", () => {
    const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 12, minute)).toISOString();
    const note = { list: "log", tag: "INIT CLASSIFIED", text: "x", at: at(10) };
    const task = { ...emptyWorkflow("add-parser"), startedAt: at(1) };
    const standing = (state: string) => ({
      id: ROOT,
      kind: "task",
      at: state,
      entered: {},
      back: [],
      data: {},
    });
    const state = { ...task, units: { [ROOT]: standing("CLASSIFIED") }, notes: [note] };
    const used = (...calls: readonly number[]) =>
      initialPace(
        state,
        calls.map((one, index) => ({ at: at(index + 2), calls: one })),
      );
    expect(used(1, 1, 1, 1, 2)).toContain("1.2");
    expect(used(2, 3)).toBeUndefined();
    expect(used()).toBeUndefined();
    // Before the task and after INIT it may work as it likes.
    const outside = [0, 11, 20].map((minute) => ({ at: at(minute), calls: 1 }));
    expect(initialPace(state, outside)).toBeUndefined();
    expect(initialPace(state, [...outside, { at: at(10), calls: 2 }])).toBeUndefined();
    const still = { ...task, units: { [ROOT]: standing("INIT") } };
    expect(initialPace(still, outside)).toContain("1.0");
  });

  test("[TP-108] [TP-214] [TP-215] everything broken has its code; locks are a person's business", () => {
    const sound = {
      lock: "mine",
      taskWorktree: true,
      agentWorktrees: ["architect"],
      requiredAgents: ["architect"],
      logEntries: 2,
    } as const;
    const found = (change: object): readonly string[] =>
      findCorruption({ ...sound, ...change }).map((one) => `${one.code} ${one.repair}`);
    expect(found({})).toEqual([]);
    expect(found({ lock: "missing" })).toEqual(["lock-missing person"]);
    expect(found({ lock: "unreadable" })).toEqual(["lock-unreadable person"]);
    expect(found({ lock: "another" })).toEqual(["lock-foreign person"]);
    expect(found({ taskWorktree: false })).toEqual(["worktree-missing recreate"]);
    expect(found({ agentWorktrees: [] })).toEqual(["agent-worktree-missing recreate"]);
    expect(found({ logEntries: 0 })).toEqual(["log-empty person"]);
  });

  test("[TP-168] a failed build goes to whom it concerns", () => {
    expect(classifyBuildFailure("[ERROR] COMPILATION ERROR :").route).toBe("architect");
    expect(classifyBuildFailure("Tests run: 3, Failures: 1, Errors: 0").route).toBe("test");
    expect(classifyBuildFailure("checkstyle found 2 warnings").route).toBe("style");
    expect(classifyBuildFailure("segmentation fault").route).toBe("person");
  });
});
