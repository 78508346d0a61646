import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { normalStatus, parseAgentStatus } from "./agent-status.ts";
import { parseAuditTrail } from "./audit-trail.ts";
import { driftOf, renderOwned } from "./json-file.ts";
import { mainLock, parseMainLock } from "./main-lock.ts";
import { parseStateJson } from "./state-json.ts";
import { ownerOf } from "../table/selection.ts";
import { parseTaskJson } from "./task-json.ts";

const LOCK = {
  session_id: "s-1",
  task_name: "add-parser",
  state: "REQUIREMENTS",
  created_at: "2026-03-01T10:00:00Z",
  transition_log: [
    { from: "INIT", to: "CLASSIFIED", timestamp: "2026-03-01T10:01:00Z" },
    { from: "CLASSIFIED", to: "REQUIREMENTS", timestamp: "2026-03-01T10:02:00Z" },
  ],
};

const text = (value: object): string => JSON.stringify(value, null, 2);
const rules = (value: object, task?: string): readonly string[] =>
  parseTaskJson(text(value), task === undefined ? {} : { task }).problems.map((one) => one.rule);

describe("task.json", () => {
  test("[TP-026] a lock with its five fields is sound", () => {
    const { value, problems } = parseTaskJson(text(LOCK), { task: "add-parser" });
    expect(problems).toEqual([]);
    expect(value).toMatchObject({
      sessionId: "s-1",
      state: "REQUIREMENTS",
      createdAt: LOCK.created_at,
    });
  });

  test.each(["session_id", "task_name", "state"])("[TP-026] %s is required", (field) => {
    const rest = Object.entries(LOCK).filter(([key]) => key !== field);
    expect(rules(Object.fromEntries(rest)).length).toBeGreaterThan(0);
  });

  test("[TP-056] a state that is none is named with its line", () => {
    const [problem] = parseTaskJson(text({ ...LOCK, state: "STATUS_CHECK" })).problems;
    expect(problem).toMatchObject({ code: "lock-field", line: 4, rule: "TP-056" });
    expect(problem?.message).toContain("STATUS_CHECK");
  });

  test("[TP-018] [TP-025] [TP-214] whatever cannot be read is foreign, and never a crash", () => {
    const owner = (lock: string): string => ownerOf(parseTaskJson(lock).value?.sessionId, "s-1");
    for (const broken of ["", "{", "{}", "null", "[]", '{"session_id": ""}', '{"session_id": 7}'])
      expect(owner(broken)).toBe("unreadable");
    expect(owner(text(LOCK))).toBe("mine");
    expect(owner(text({ ...LOCK, session_id: "s-2" }))).toBe("another");
  });

  test("[TP-058] [TP-059] [TP-060] [TP-067] a log that jumps, skips or disagrees with the state is named", () => {
    const [first, second] = LOCK.transition_log;
    expect(rules({ ...LOCK, state: "COMPLETE" })).toEqual(["TP-059"]);
    expect(rules({ ...LOCK, transition_log: [second] })).toEqual(["TP-058"]);
    expect(rules({ ...LOCK, transition_log: [first, { ...second, from: "INIT" }] })).toEqual([
      "TP-058",
      "TP-060",
    ]);
    expect(rules({ ...LOCK, state: "IMPLEMENTATION", transition_log: [] })).toEqual(["TP-060"]);
  });

  test("[TP-061] times are UTC with a Z and never run backwards", () => {
    const [first, second] = LOCK.transition_log;
    const at = (timestamp: string): readonly string[] =>
      rules({ ...LOCK, transition_log: [first, { ...second, timestamp }] });
    expect(at("2026-03-01T11:02:00+01:00")).toEqual(["TP-061"]);
    expect(at("2026-03-01T09:00:00Z")).toEqual(["TP-061"]);
    expect(at("2026-03-01T10:02:00.123Z")).toEqual([]);
  });

  test("[TP-062] a move back needs its reason", () => {
    const back = { from: "REQUIREMENTS", to: "CLASSIFIED", timestamp: "2026-03-01T10:03:00Z" };
    const log = [...LOCK.transition_log, back];
    expect(rules({ ...LOCK, state: "CLASSIFIED", transition_log: log })).toEqual(["TP-062"]);
    const said = [...LOCK.transition_log, { ...back, reason: "wrong agents" }];
    expect(rules({ ...LOCK, state: "CLASSIFIED", transition_log: said })).toEqual([]);
  });

  test("[TP-183] moves back that older snippets wrote elsewhere are read", () => {
    const lock = {
      ...LOCK,
      transitions: [{ from: "REQUIREMENTS", to: "CLASSIFIED", timestamp: "x" }],
    };
    expect(parseTaskJson(text(lock)).value?.log).toHaveLength(3);
  });

  test("[TP-211] additions need all their fields; a name twice is wrong", () => {
    const addition = { agent: "security", added_at_state: "REQUIREMENTS", timestamp: "t" };
    expect(rules({ ...LOCK, agent_additions: [addition] })).toEqual(["TP-211"]);
    expect(rules({ ...LOCK, agent_additions: [{ ...addition, justification: "x" }] })).toEqual([]);
    expect(rules({ ...LOCK, required_agents: ["a", "a"] })).toEqual(["TP-073"]);
  });

  test("[TP-026] the name must be the folder's", () => {
    expect(rules(LOCK, "other")).toEqual(["TP-026"]);
  });
});

describe("writing", () => {
  test("unknown fields, order and formatting survive; the same again changes nothing", () => {
    const before = '{\n    "note": 1e3,\n    "state": "INIT", "mine": {"a":[1,2]}\n}\n';
    const rendered = renderOwned(before, { state: "CLASSIFIED" });
    expect(rendered).toEqual({ kind: "text", text: before.replace("INIT", "CLASSIFIED") });
    const after = rendered.kind === "text" ? rendered.text : "";
    expect(renderOwned(after, { state: "CLASSIFIED" })).toEqual(rendered);
    expect(driftOf(after, { state: "CLASSIFIED" })).toEqual([]);
    expect(driftOf(after, { state: "SYNTHESIS" })[0]).toContain("CLASSIFIED");
  });

  test("[TP-215] what cannot be read is not written over", () => {
    expect(renderOwned("{ broken", { state: "INIT" }).kind).toBe("broken");
    expect(renderOwned(null, { state: "INIT" })).toEqual({
      kind: "text",
      text: '{\n  "state": "INIT"\n}\n',
    });
  });

  test("nothing throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (any) => {
        parseTaskJson(any, { task: "a" });
        parseStateJson(any);
        parseAgentStatus(any, { agent: "a" });
        parseAuditTrail(any);
        parseMainLock(any);
        renderOwned(any, { state: "INIT" });
        return true;
      }),
    );
    expect(parseTaskJson("[".repeat(10_000)).value).toBeUndefined();
  });
});

describe("state.json", () => {
  const STATE = {
    current_state: "REQUIREMENTS",
    session_id: "s-1",
    task_name: "add-parser",
    risk_level: null,
    required_agents: [],
    evidence: { REQUIREMENTS: ["a.md"], REVIEW: {} },
    transition_log: LOCK.transition_log,
  };

  test("[TP-063] agrees with the lock, field by field", () => {
    const lock = parseTaskJson(text(LOCK)).value;
    expect(parseStateJson(text(STATE), lock).problems).toEqual([]);
    const other = { ...STATE, current_state: "SYNTHESIS", session_id: "s-9" };
    expect(parseStateJson(text(other), lock).problems.map((one) => one.code)).toEqual([
      "state-mismatch",
      "state-mismatch",
    ]);
  });

  test("[TP-064] evidence has its types", () => {
    const evidence = { REQUIREMENTS: "a.md", REVIEW: ["APPROVED"] };
    expect(parseStateJson(text({ ...STATE, evidence })).problems.map((one) => one.rule)).toEqual([
      "TP-064",
      "TP-064",
    ]);
  });
});

describe("agents/<agent>/status.json", () => {
  test("[TP-093] the least that counts, and lower-case variants", () => {
    expect(parseAgentStatus('{"status": "COMPLETE"}').value?.status).toBe("COMPLETE");
    expect(normalStatus("completed")).toBe("COMPLETE");
    expect(normalStatus("in_progress")).toBe("IN_PROGRESS");
    expect(normalStatus("failed")).toBe("ERROR");
    expect(normalStatus("not_started")).toBe("NOT_STARTED");
    expect(normalStatus("constructor")).toBeUndefined();
    expect(parseAgentStatus('{"status": "done-ish"}').problems[0]?.code).toBe("status-field");
  });

  test("[TP-098] an error says what went wrong", () => {
    expect(parseAgentStatus('{"status": "ERROR"}').problems[0]?.rule).toBe("TP-098");
    expect(parseAgentStatus('{"status": "ERROR", "error_message": "x"}').problems).toEqual([]);
  });

  test("[TP-093] another agent's or task's status is named", () => {
    const status = '{"status": "COMPLETE", "agent": "style", "task": "b", "round": 0}';
    const { problems } = parseAgentStatus(status, { agent: "test", task: "a" });
    expect(problems.map((one) => one.message)).toEqual([
      "round is 0, not a whole number from 1",
      'agent is "style", the folder says "test"',
      'task is "b", the folder says "a"',
    ]);
  });
});

describe("the main worktree's lock", () => {
  test("[TP-038] each operation has its lock, an unknown one has none", () => {
    for (const operation of ["git-operation", "file-modification", "configuration-update"]) {
      const lock = mainLock({ session: "s-1", operation, at: "2026-03-01T10:00:00Z" });
      expect(lock).toMatchObject({ task_name: "main-worktree-operation", state: "IN_PROGRESS" });
      expect(parseMainLock(text(lock ?? {})).problems).toEqual([]);
    }
    expect(mainLock({ session: "s-1", operation: "hotfix", at: "" })).toBeUndefined();
  });

  test("[TP-038] every field is checked", () => {
    expect(parseMainLock("{}").problems).toHaveLength(5);
    expect(parseMainLock("nonsense").value).toBeUndefined();
  });
});

test("[TP-205] an invocation without a known status is named", () => {
  const trail = {
    task_name: "a",
    session_id: "s",
    started_at: "2026-03-01T10:00:00Z",
    state_transitions: [],
    agent_invocations: [{ agent_name: "x", status: "done" }],
    tool_usage: [],
    commits: [],
    build_verifications: [],
  };
  expect(parseAuditTrail(text(trail)).problems.map((one) => one.code)).toEqual([
    "audit-invocation",
  ]);
  expect(parseAuditTrail("{}").problems).toHaveLength(8);
});
