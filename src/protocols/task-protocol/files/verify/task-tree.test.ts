import { describe, expect, test } from "vitest";
import { verifyTaskTree } from "./task-tree.ts";
import { renderTaskMd } from "../../../../../test/task-md.ts";

const LOCK = {
  session_id: "s-1",
  task_name: "add-parser",
  state: "REQUIREMENTS",
  created_at: "2026-03-01T10:00:00Z",
  transition_log: [
    { from: "INIT", to: "CLASSIFIED", timestamp: "2026-03-01T10:01:00Z" },
    { from: "CLASSIFIED", to: "REQUIREMENTS", timestamp: "2026-03-01T10:02:00Z" },
  ],
  required_agents: ["style"],
};
const DIR = "tasks/add-parser";

function files(
  changes: Readonly<Record<string, string | undefined>> = {},
): ReadonlyMap<string, string> {
  const { created_at: _, state: current_state, ...shared } = LOCK;
  const all: Readonly<Record<string, string | undefined>> = {
    "todo.md": "- [ ] **IN_PROGRESS:** `add-parser` - x\n",
    [`${DIR}/task.json`]: JSON.stringify(LOCK, null, 2),
    [`${DIR}/state.json`]: JSON.stringify({ ...shared, current_state, evidence: {} }),
    [`${DIR}/task.md`]: renderTaskMd({
      task: "add-parser",
      objective: "x",
      inScope: ["a"],
      outOfScope: [],
    }),
    [`${DIR}/agents/style/status.json`]: '{"status": "WORKING"}',
    [`${DIR}/audit-trail.json`]: JSON.stringify({
      task_name: "add-parser",
      session_id: "s-1",
      started_at: "2026-03-01T10:00:00Z",
      state_transitions: [],
      agent_invocations: [],
      tool_usage: [],
      commits: [],
      build_verifications: [],
    }),
    ...changes,
  };
  return new Map(
    Object.entries(all).flatMap(([path, text]) =>
      text === undefined ? [] : [[path, text] as const],
    ),
  );
}

function verify(
  changes: Readonly<Record<string, string | undefined>> = {},
  worktrees = [`${DIR}/code`, `${DIR}/agents/style/code`],
) {
  return verifyTaskTree({
    root: "tasks",
    texts: files(changes),
    worktrees: new Set(worktrees),
    todo: "todo.md",
  });
}

const found = (changes: Readonly<Record<string, string | undefined>>): readonly string[] =>
  verify(changes)[0]?.findings.map((one) => one.code) ?? [];

const at = (state: string, more: object = {}): string => {
  const log = [...LOCK.transition_log];
  return JSON.stringify({ ...LOCK, state, transition_log: log, ...more }, null, 2);
};

describe("folders written by others", () => {
  test("[TP-063] a sound one has no findings", () => {
    expect(verify()).toEqual([
      { id: "add-parser", protocol: "task-protocol", exit: 0, findings: [] },
    ]);
  });

  test("[TP-013] a folder without a lock", () => {
    const [task] = verify({ [`${DIR}/task.json`]: undefined, "todo.md": undefined });
    expect(task).toMatchObject({ exit: 1 });
    expect(task?.findings[0]).toMatchObject({ code: "lock-missing", file: `${DIR}/task.json` });
  });

  test("[TP-018] [TP-067] a broken lock, a jumping state, a file that disagrees", () => {
    expect(found({ [`${DIR}/task.json`]: "{" })).toContain("lock-unreadable");
    expect(found({ [`${DIR}/task.json`]: at("COMPLETE") })).toEqual(
      expect.arrayContaining(["lock-log", "state-mismatch", "approval-change-missing"]),
    );
  });

  test("[TP-023] look-alikes of the lock count for nothing and are reported", () => {
    const copy = JSON.stringify(LOCK);
    expect(found({ [`${DIR}/task.lock`]: copy, [`${DIR}/code/task.json`]: copy })).toEqual([
      "lock-misplaced",
      "lock-misplaced",
    ]);
  });

  test("[TP-044] [TP-093] a status of a later phase counts for nothing; a sound main lock is no task", () => {
    const status = JSON.stringify({ status: "COMPLETE", mode: "implementation", round: 7 });
    expect(found({ [`${DIR}/agents/architect/status.json`]: status })).toContain(
      "agent-status-phase",
    );
    const lock = {
      session_id: "s-1",
      task_name: "main-worktree-operation",
      operation_type: "git-operation",
      state: "IN_PROGRESS",
      created_at: "2026-01-01T00:00:00Z",
    };
    const main = `${DIR.slice(0, DIR.lastIndexOf("/"))}/main/task.json`;
    expect(verify({ [main]: JSON.stringify(lock) }).map((one) => one.id)).toEqual(["add-parser"]);
    expect(verify({ [main]: "{" }).map((one) => one.id)).toContain("main");
  });

  test("[TP-084] [TP-085] task.md that is missing, misplaced or incomplete", () => {
    const [task] = verify({ [`${DIR}/task.md`]: undefined, [`${DIR}/code/task.md`]: "# x" });
    expect(task?.findings[0]?.message).toContain("code/");
    expect(found({ [`${DIR}/task.md`]: "## Task Objective\n" })).toEqual([
      "task-md-section",
      "task-md-section",
    ]);
  });

  test("[TP-146] [TP-129] [TP-148] later states need reports, a plan and its release", () => {
    const codes = found({ [`${DIR}/task.json`]: at("IMPLEMENTATION") });
    expect(codes).toEqual(
      expect.arrayContaining(["report-missing", "plan-incomplete", "approval-plan-missing"]),
    );
    expect(verify({ [`${DIR}/task.json`]: at("IMPLEMENTATION") })[0]?.exit).toBe(3);
  });

  test("[TP-094] [TP-211] short reports, statuses and agents nobody selected", () => {
    expect(found({ [`${DIR}/add-parser-style-requirements.md`]: "short" })).toEqual([
      "report-short",
    ]);
    expect(found({ [`${DIR}/agents/style/status.json`]: '{"status": "x"}' })).toEqual([
      "status-field",
    ]);
    expect(found({ [`${DIR}/agents/hacker/status.json`]: '{"status": "WORKING"}' })).toEqual([
      "agent-unlisted",
    ]);
  });

  test("[TP-183] an approval that outlived the rework; [TP-177] a wait without a commit", () => {
    const checkpoint = {
      type: "USER_APPROVAL_POST_REVIEW",
      commit_sha: "a",
      presented_at: "x",
      approved: true,
    };
    for (const state of ["IMPLEMENTATION", "VALIDATION", "REVIEW"])
      expect(found({ [`${DIR}/task.json`]: at(state, { checkpoint }) })).toContain(
        "approval-outlived",
      );
    expect(found({ [`${DIR}/task.json`]: at("AWAITING_USER_APPROVAL") })).toContain(
      "checkpoint-missing",
    );
  });

  test("[TP-202] what is left of a finished task", () => {
    expect(verify({ [`${DIR}/task.json`]: at("CLEANUP") })[0]?.exit).toBe(4);
  });

  test("[TP-001] [TP-011] [TP-203] no entry, no worktree, no trail", () => {
    expect(found({ "todo.md": "# none\n" })).toEqual(["todo-missing"]);
    expect(found({ [`${DIR}/audit-trail.json`]: undefined })).toEqual(["audit-missing"]);
    expect(verify({}, [])[0]?.findings.map((one) => one.code)).toEqual([
      "worktree-missing",
      "agent-worktree-missing",
    ]);
  });

  test("[TP-214] an agent without its worktree, while there is work for it", () => {
    const codes = (lock: string): readonly string[] =>
      verify({ [`${DIR}/task.json`]: lock }, [`${DIR}/code`])[0]?.findings.map((one) => one.code) ??
      [];
    expect(codes(at("REQUIREMENTS"))).toEqual(["agent-worktree-missing"]);
    expect(codes(at("REVIEW"))).toContain("agent-worktree-missing");
    expect(codes(at("AWAITING_USER_APPROVAL"))).not.toContain("agent-worktree-missing");
  });

  test("[TP-060] [TP-061] a log that does not begin at the beginning, and a time that is none", () => {
    const late = at("REQUIREMENTS", { transition_log: LOCK.transition_log.slice(1) });
    expect(found({ [`${DIR}/task.json`]: late })).toContain("lock-log");
    const opened = [{ from: null, to: "INIT", timestamp: LOCK.created_at }, ...LOCK.transition_log];
    expect(
      found({ [`${DIR}/task.json`]: at("REQUIREMENTS", { transition_log: opened }) }),
    ).not.toContain("lock-log");
    expect(found({ [`${DIR}/task.json`]: at("REQUIREMENTS", { created_at: "today" }) })).toContain(
      "lock-field",
    );
  });

  test("[TP-044] main is the lock of the main worktree, and hidden folders are none", () => {
    const tasks = verify({ "tasks/main/task.json": "{}", "tasks/.archive/x/task.json": "{" });
    expect(tasks.map((one) => one.id)).toEqual(["add-parser", "main"]);
    expect(tasks[1]?.findings[0]?.code).toBe("main-lock-field");
  });

  test("every finding says where, what, and what to do", () => {
    const [task] = verify({ [`${DIR}/task.json`]: at("COMPLETE"), [`${DIR}/task.md`]: undefined });
    for (const one of task?.findings ?? []) {
      expect(one.file).toMatch(/\S/);
      expect(one.message).toMatch(/\S/);
      expect(one.fix).toMatch(/\S/);
      expect(one.rule).toMatch(/^TP-\d{3}$/);
    }
    expect(task?.findings.length).toBeGreaterThan(3);
  });
});
