import { describe, expect, test } from "vitest";
import {
  AGENT,
  ENGINE,
  JUSTIFICATION,
  PERSON,
  TASK,
  atApproval,
  atComplete,
  atImplementation,
  atRequirements,
  atReview,
  atSynthesis,
  begun,
  planReleased,
  reportOf,
} from "../../../../test/fixtures/task-protocol/world.ts";
import type { Workflow } from "../../../core/state/state.ts";
import type { View } from "../../../ports/family.ts";
import { parseAuditTrail, rowsOf } from "../files/audit-trail.ts";
import { snapshotOf } from "../files/audit-snapshot.ts";
import { parseAgentStatus } from "../files/agent-status.ts";
import { parseStateJson } from "../files/state-json.ts";
import { parseTaskJson } from "../files/task-json.ts";
import { changePresentation, planPresentation } from "../words/presentation.ts";
import { testCounts, trailFields } from "./render-audit.ts";
import { agentFields, stateFields, taskFields, todoWordOf } from "./render.ts";
import { viewsOf } from "./views.ts";

const file = (value: object): string => JSON.stringify(value, null, 2);

describe("task.json and state.json", () => {
  const stories = [begun, atRequirements, atSynthesis, atReview, atApproval, atComplete];

  test.each(stories.map((get) => [get.name, get] as const))(
    "[TP-026] [TP-063] after %s both files are sound and agree",
    (_, get) => {
      const { state } = get();
      const lock = parseTaskJson(file(taskFields(state)), { task: TASK });
      expect(lock.problems).toEqual([]);
      expect(parseStateJson(file(stateFields(state)), lock.value).problems).toEqual([]);
    },
  );

  test("[TP-059] [TP-061] a step that was taken back is not in the log, and the chain stays whole", () => {
    const one = atApproval().reply("change", "approved").move("complete", AGENT).settle("failed");
    const fields = taskFields(one.state);
    expect(fields["state"]).toBe("AWAITING_USER_APPROVAL");
    const lock = parseTaskJson(file(fields)).value;
    expect(lock?.log.at(-1)).toMatchObject({ from: "REVIEW", to: "AWAITING_USER_APPROVAL" });
    one.move("complete", AGENT).settle();
    const chain = parseTaskJson(file(taskFields(one.state))).value?.log ?? [];
    chain.forEach((entry, index) => expect(entry.from).toBe(chain[index - 1]?.to ?? "INIT"));
  });

  test("[TP-064] the evidence of every state is there", () => {
    expect(stateFields(atComplete().state)["evidence"]).toMatchObject({
      REQUIREMENTS: [`${TASK}-architect-requirements.md`, `${TASK}-quality-requirements.md`],
      SYNTHESIS: ["sha256:plan-1"],
      IMPLEMENTATION: ["tree-1"],
      VALIDATION: [expect.stringMatching(/Z$/)],
      REVIEW: { architect: "APPROVED", quality: "APPROVED" },
    });
  });

  test("[TP-219] an addition is in required_agents and in agent_additions", () => {
    const one = atSynthesis().when(
      {
        type: "unit.open",
        kind: "agent",
        unit: "security",
        data: { justification: JUSTIFICATION },
      },
      AGENT,
    );
    expect(taskFields(one.state)["required_agents"]).toEqual(["architect", "quality"]);
    expect(taskFields(one.state)["agent_additions"]).toEqual([]);
    one.settle();
    expect(taskFields(one.state)["required_agents"]).toEqual(["architect", "quality", "security"]);
    expect(taskFields(one.state)["agent_additions"]).toMatchObject([
      { agent: "security", added_at_state: "SYNTHESIS", timestamp: expect.stringMatching(/Z$/) },
    ]);
  });

  test("[TP-189] the entry is taken while the task runs, free after abandoning, closed by the merge", () => {
    expect(todoWordOf(atReview().state)).toBe("IN_PROGRESS");
    expect(todoWordOf(atReview().move("abandon", { ...PERSON, reason: "x" }).state)).toBe("READY");
    expect(todoWordOf(atComplete().state)).toBe("closed");
  });
});

describe("status.json", () => {
  test("[TP-093] mode and round are of the newest order", () => {
    const one = atRequirements();
    expect(agentFields(one.state, "architect")).toBeUndefined();
    one.send("requirements", "architect", AGENT);
    expect(agentFields(one.state, "architect")).toMatchObject({
      mode: "requirements",
      status: "WORKING",
      round: 1,
      work_remaining: "pending",
    });
    reportOf(one, "architect", "ERROR", { error_message: "no" });
    one.send("requirements", "architect", AGENT);
    reportOf(one, "architect", "COMPLETE");
    const fields = agentFields(one.state, "architect") ?? {};
    expect(fields).toMatchObject({ status: "COMPLETE", round: 2, decision: "APPROVED" });
    expect(parseAgentStatus(file(fields), { agent: "architect", task: TASK }).problems).toEqual([]);
  });

  test("[TP-159] what blocks is shown", () => {
    const one = atImplementation().send("implementation", "architect", AGENT);
    reportOf(one, "architect", "BLOCKED", { blocked_by: "hook_protocol_violation" });
    expect(agentFields(one.state, "architect")).toMatchObject({
      mode: "implementation",
      status: "BLOCKED",
      blocked_by: "hook_protocol_violation",
    });
  });
});

describe("audit-trail.json", () => {
  const run = { type: "note.add", list: "runs", tag: "build" } as const;

  test("[TP-203] [TP-209] is sound at the end, with builds and their counts", () => {
    const one = atComplete();
    one.when(
      { ...run, text: "mvn verify: exit 0, output abc\nTests run: 34, Failures: 0, Errors: 0" },
      ENGINE,
    );
    one.when({ ...run, text: "mvn verify: exit 1, output abc\n3 passed, 1 failed" }, ENGINE);
    const trail = trailFields(one.state);
    expect(parseAuditTrail(file(trail)).problems).toEqual([]);
    expect(trail["build_verifications"]).toMatchObject([
      { command: "mvn verify", result: "SUCCESS", tests_run: 34, tests_failed: 0 },
      { result: "FAILURE", tests_run: 4, tests_passed: 3, tests_failed: 1 },
    ]);
    expect(testCounts("nothing here")).toMatchObject({ tests_run: null });
  });

  test.each([
    ["Tests run: 12, Failures: 1\nTests run: 30, Failures: 1, Errors: 2", 30, 3],
    ["# tests 5\n# suites 1\n# pass 4\n# fail 1\n", 5, 1],
    ["ℹ tests 3\nℹ pass 3\nℹ fail 0\n", 3, 0],
    ["75% tests passed, 1 tests failed out of 4", 4, 1],
    ["7 examples, 2 failures", 7, 2],
    ["Ran 6 tests in 0.1s\n\nFAILED (failures=1, errors=1)\n", 6, 2],
    ["Ran 6 tests in 0.1s\n\nOK\n", 6, 0],
    ["test result: ok. 8 passed; 0 failed; 0 ignored", 8, 0],
    ["OK (9 tests)", 9, 0],
  ])("[TP-209] counts are read as the tool prints them: %j", (output, run, failed) => {
    const passed = run - failed;
    expect(testCounts(output)).toEqual({
      tests_run: run,
      tests_passed: passed,
      tests_failed: failed,
    });
  });

  test("[TP-064] [TP-203] every move says what it rests on, and every invocation where it was", () => {
    const { state } = atComplete();
    const trail = trailFields(state);
    const moves = rowsOf(trail, "state_transitions");
    const empty = moves.filter((move) => JSON.stringify(move["evidence"]) === "[]");
    // In this story checks are found to have passed without having been run.
    expect(empty.map((move) => move["to_state"])).toEqual(["REVIEW"]);
    const into = (to: string): string =>
      JSON.stringify(moves.find((one) => one["to_state"] === to)?.["evidence"]);
    expect(into("SYNTHESIS")).toContain("architect requirements COMPLETE");
    expect(into("IMPLEMENTATION")).toContain("plan approve by person:");
    expect(into("AWAITING_USER_APPROVAL")).toContain("quality review APPROVED");
    expect(into("COMPLETE")).toContain("change approve by person:ada for commit-1");
    const places = rowsOf(trail, "agent_invocations").map(({ purpose, working_dir }) => [
      purpose,
      working_dir,
    ]);
    const dir = `.holdpoint/tasks/${TASK}`;
    expect(places).toContainEqual(["implementation", `${dir}/agents/quality/code`]);
    expect(places).toContainEqual(["review", `${dir}/code`]);
  });

  test("[TP-204] accepted and refused moves are told apart", () => {
    const one = atRequirements();
    const refused = {
      at: one.state.updatedAt,
      command: "unit.move",
      step: "synthesize",
      by: "agent:bo",
      codes: ["exit-6-incomplete"],
    };
    const rows = rowsOf(trailFields(one.state, [refused]), "state_transitions");
    expect(rows.at(-1)).toMatchObject({
      from_state: "REQUIREMENTS",
      to_state: "SYNTHESIS",
      verification_passed: false,
      reasons: ["exit-6-incomplete"],
    });
    expect(rows[0]).toMatchObject({ from_state: "INIT", verification_passed: true });
  });

  test("[TP-204] refusals that the journal took in are in the trail, and none twice", () => {
    const { state } = atRequirements();
    const at = state.updatedAt;
    const refused = {
      at,
      command: "unit.move",
      step: "synthesize",
      by: "agent:bo",
      codes: ["a", "b"],
    };
    const kept = { ...state, refused: [refused] };
    const by = { command: "dispatch.report", step: "W-1", by: "agent:bo", codes: ["c"] };
    const later = [
      { ...by, at },
      { ...by, at: `${at}9` },
    ];
    expect(trailFields(kept, later)["refusals"]).toEqual([
      {
        timestamp: at,
        command: "unit.move",
        step: "synthesize",
        by: "agent:bo",
        reasons: ["a", "b"],
      },
      {
        timestamp: `${at}9`,
        command: "dispatch.report",
        step: "W-1",
        by: "agent:bo",
        reasons: ["c"],
      },
    ]);
  });

  test("[TP-205] [TP-206] every run ends by itself, each with its own status", () => {
    const one = atRequirements().send("requirements", "architect", AGENT);
    reportOf(one, "architect", "ERROR", { error_message: "no" });
    one.send("requirements", "architect", AGENT);
    one.send("requirements", "quality", AGENT);
    one.when({ type: "dispatch.cancel", dispatch: "W-3", reason: "not now" }, AGENT);
    const later = { ...AGENT, at: "2026-03-01T13:30:00.000Z" };
    reportOf(one, "architect", "TIMED_OUT", {}, later).send("requirements", "architect", later);
    const rows = trailFields(one.state)["agent_invocations"];
    expect(rows).toMatchObject([
      { id: "W-1", status: "failed", agent_mode: "requirements" },
      { id: "W-2", status: "timed_out" },
      { id: "W-3", status: "cancelled" },
      { id: "W-4", status: "running", completion_timestamp: null },
    ]);
  });

  test("[TP-207] edits are told apart by who made them", () => {
    const one = atImplementation();
    const edit = { type: "note.add", list: "tools" } as const;
    one.when({ ...edit, tag: "Edit main", text: "todo.md" }, ENGINE);
    one.when({ ...edit, tag: "Write architect", text: "src/A.java" }, ENGINE);
    expect(trailFields(one.state)["tool_usage"]).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ file_path: "todo.md", note: "coordination" }),
        expect.objectContaining({ file_path: "src/A.java", note: "implementation" }),
      ]),
    );
  });

  test("[TP-157] [TP-208] merged commits carry their agent and branch", () => {
    const one = atImplementation().send("implementation", "architect", AGENT);
    reportOf(one, "architect", "COMPLETE", { work_remaining: "none" });
    const effect = Object.values(one.state.effects).at(-1)?.id ?? "";
    const detail = { commits: [{ sha: "abc", subject: "wip", modified: ["src/A.java"] }] };
    one.when({ type: "effect.settle", effect, status: "done", detail }, ENGINE);
    expect(trailFields(one.state)["commits"]).toMatchObject([
      {
        sha: "abc",
        agent: "architect",
        branch: `${TASK}-architect`,
        files_modified: ["src/A.java"],
      },
    ]);
  });

  test("[TP-199] the snapshot is what the trail says", () => {
    const trail = trailFields(atComplete().state);
    const snapshot = snapshotOf(trail, "2026-03-01T12:00:00.000Z");
    expect(snapshot).toMatchObject({
      final_state: "COMPLETE",
      total_state_transitions: 8,
      total_agent_invocations: 8,
      agents_used: ["architect", "quality"],
    });
    const counted = (list: string): number => (trail[list] as readonly unknown[]).length;
    expect(snapshot["total_commits"]).toBe(counted("commits"));
    expect(snapshot["build_verifications"]).toBe(counted("build_verifications"));
    const view = viewsOf(atComplete().state).find((one) => one.path.endsWith("snapshot.json"));
    const lying = file({ ...snapshot, total_commits: 99 });
    expect(view?.drift(lying).join()).toContain("audit-snapshot.json");
  });
});

describe("flags", () => {
  test("[TP-140] [TP-148] a flag is what a release leaves behind; one that was touched is drift", () => {
    const flag = (state: Workflow): View | undefined =>
      viewsOf(state).find((each) => each.path.endsWith("user-plan-approval-obtained.flag"));
    const before = flag(atSynthesis().state);
    expect(before?.render("")).toEqual({ kind: "absent" });
    expect(before?.drift("")[0]).toContain("nobody released anything");
    const shown = flag(planReleased().state)?.render(null);
    expect(shown).toMatchObject({ kind: "text" });
    expect(shown?.kind === "text" ? shown.text : "").toContain("sha256:plan-1");
    const again = planReleased().move("clarify", { ...AGENT, reason: "unclear" });
    expect(flag(again.state)?.render("x")).toEqual({ kind: "absent" });
  });
});

describe("task.md", () => {
  test("[TP-087] an agent that joins gets its entry, section and reason; nothing else is touched", () => {
    const one = atRequirements();
    const before = viewsOf(one.state).map((view) => view.path);
    const open = { type: "unit.open", kind: "agent", unit: "security" } as const;
    one.when({ ...open, data: { justification: JUSTIFICATION } }, AGENT).settle();
    const view = viewsOf(one.state).find((each) => each.path.endsWith("/task.md"));
    expect(before).not.toContain(view?.path);
    const text = "# T\n\n## Stakeholder Agent Reports\n\n## Later\n";
    const shown = view?.render(text);
    const entered = shown?.kind === "text" ? shown.text : "";
    expect(entered).toContain("### Added agent: security");
    expect(entered).toContain(`${TASK}-security-requirements.md`);
    expect(view?.drift(text)).toHaveLength(1);
    expect(view?.drift(entered)).toEqual([]);
    expect(view?.render(null)).toEqual({ kind: "absent" });
  });
});

describe("what a person is shown", () => {
  test("[TP-133] the plan with all its parts", () => {
    const text = planPresentation(atSynthesis().state, {
      own: [],
      objective: "A parser.",
      files: ["src/Parser.java"],
      signatures: ["Node parse(String text)"],
      behaviour: ["empty text: an error"],
      tests: ["reads: a line: the line"],
      phases: ["1: architect writes the interface"],
      decisions: ["format: plain text"],
      estimate: "2 files, 300 lines",
    });
    for (const part of [
      TASK,
      "HIGH",
      "2 files, 300 lines",
      "A parser.",
      "src/Parser.java",
      "Node parse(String text)",
      "empty text: an error",
      "architect writes the interface",
      "reads: a line: the line",
      "format: plain text",
      `.holdpoint/tasks/${TASK}/task.md`,
      "approved",
    ])
      expect(text).toContain(part);
  });

  test("[TP-178] the change with all its parts", () => {
    const text = changePresentation(atApproval().state, {
      branch: TASK,
      subject: "Read the new syntax",
      pushed: false,
      files: ["src/Parser.java"],
      decisions: ["recursive descent"],
      work: "work-1",
      foreign: ["abc by hand"],
      gates: ["build passed"],
      requirements: ["R1: met"],
    });
    for (const part of [
      "commit-1 Read the new syntax",
      "not pushed",
      "src/Parser.java",
      "recursive descent",
      "build passed",
      "R1: met",
      "## Not made by Holdpoint\n\n- abc by hand",
      "architect: APPROVED, for these very files, after 4 orders",
    ])
      expect(text).toContain(part);
  });
});
