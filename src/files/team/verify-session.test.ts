import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../core/json.ts";
import { verifySessionTree } from "./verify-session.ts";

const id = "2026-02-17_demo-greeting";
const at = "2026-02-17T01:15:39.2946165+01:00";
const answered = (decision_id: string, state_context: string, answer: string): JsonObject => ({
  decision_id,
  question: "q",
  status: "answered",
  answer,
  asked_at: at,
  resolved_at: at,
  state_context,
  resolution_reason: null,
});
const status: JsonObject = {
  current_state: "DONE",
  session: id,
  assumptions: [],
  user_decisions: [
    answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "approved"),
    answered("UD-REVIEW-STRATEGY", "REVIEW_STRATEGY", "per-batch"),
  ],
  retry_counts: { "T-001": { FIX_REVIEW: 1 } },
  known_issues: [],
  last_ci_result: "green",
  last_update: at,
};
const tasks = `tasks:\n  - id: T-001\n    status: completed\n    type: feat\n    title: t\n    depends_on: []\n    goal: g\n    non_goals: []\n    context_files: []\n    files_expected: []\n    acceptance_checks: ["cmd: npm test"]\n    risk_flags: []\n    done_when: []\n`;
const sound: Readonly<Record<string, string>> = {
  "status.json": JSON.stringify(status, null, 2),
  "tasks.yaml": tasks,
  "acceptance.json": JSON.stringify({
    acceptance_criteria: [{ id: "AC-001", description: "d", verify: ["npm test"] }],
  }),
  "spec.md": "# Goals\nx\n# Acceptance Criteria\nx\n# Definition of Done\nx\n",
  "architecture.md": "# Overview\nx\n# Components\nx\n",
  "report.md": "# What was done\nx\n# How to run\nx\n# How to test\nx\n# Known issues\nx\n",
};

function verify(change: Readonly<Record<string, string | undefined>> = {}, name = id) {
  const files = Object.entries({ ...sound, ...change }).filter(
    (one): one is [string, string] => one[1] !== undefined,
  );
  const [found] = verifySessionTree({ sessions: new Map([[name, new Map(files)]]) });
  if (found === undefined) throw new Error("nothing was verified");
  return found;
}
const withStatus = (more: JsonObject) =>
  verify({ "status.json": JSON.stringify({ ...status, ...more }) });
const codes = (found: ReturnType<typeof verify>) => found.findings.map((one) => one.code);

describe("sessions written by others", () => {
  test("[TC-177] a sound session has nothing to tell", () => {
    expect(verify()).toEqual({ id, protocol: "team-contract", exit: 0, findings: [] });
  });

  test("[TC-089] [TC-109] DONE without the gates' decisions is named, twice", () => {
    const found = withStatus({ user_decisions: [] });
    expect(codes(found)).toEqual(["gate-missing", "gate-missing"]);
    expect(found.exit).toBe(2);
  });

  test.each(["spec.md", "acceptance.json", "architecture.md", "tasks.yaml", "report.md"])(
    "[TC-025] a DONE session without %s",
    (file) => {
      const found = verify({ [file]: undefined });
      expect(found.findings).toContainEqual(
        expect.objectContaining({ code: "artifact-missing", file }),
      );
      expect(found.exit).toBe(3);
    },
  );

  test("[TC-049] without status.json there is nothing to go by", () => {
    expect(verify({ "status.json": undefined }).exit).toBe(1);
    expect(verify({ "status.json": "{" }).exit).toBe(1);
  });

  test("[TC-026] a lean session needs neither architecture nor gates", () => {
    const lean = { ...status, mode: "lean", user_decisions: [] };
    const found = verify({ "status.json": JSON.stringify(lean), "architecture.md": undefined });
    expect(found.findings).toEqual([]);
  });

  test("[TC-177] [TC-081] tasks and questions that are open contradict DONE", () => {
    expect(codes(verify({ "tasks.yaml": tasks.replace("completed", "implemented") }))).toEqual([
      "done-too-early",
    ]);
    const pending = {
      ...answered("UD-1", "PLAN", ""),
      status: "pending",
      answer: null,
      resolved_at: null,
    };
    const decisions = [...(status["user_decisions"] as readonly JsonObject[]), pending];
    expect(codes(withStatus({ user_decisions: decisions }))).toEqual(["done-too-early"]);
    expect(codes(withStatus({ last_ci_result: "red" }))).toEqual(["done-too-early"]);
  });

  test("[TC-149] green although nothing was ever run", () => {
    const manual = tasks.replace('"cmd: npm test"', '"manual: look"');
    expect(codes(verify({ "tasks.yaml": manual }))).toEqual(["green-without-check"]);
  });

  test("[TC-092] changes asked for without a history", () => {
    const decisions = [
      answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "changes-requested: x"),
      answered("UD-REVIEW-STRATEGY", "REVIEW_STRATEGY", "per-batch"),
    ];
    expect(
      codes(withStatus({ current_state: "APPROVE_DESIGN", user_decisions: decisions })),
    ).toEqual(["history-missing"]);
  });

  test("[TC-022] a folder with another name", () => {
    expect(codes(verify({}, "greeting"))).toEqual(["session-mismatch", "session-name"]);
  });

  test("[TC-053] [TC-120] [TC-128] [TC-133] [TC-132] the oldest schema: every violation by name", () => {
    const found = verify({
      "status.json": JSON.stringify({
        current_state: "DONE",
        assumptions: [],
        completed_tasks: ["T-001", "T-090", "meta-release"],
        blocked_tasks: [],
        known_issues: [],
        last_ci_result: "green",
        last_update: at,
      }),
      "tasks.yaml": `project: demo\ntasks:\n  - id: T-001\n    title: t\n    deps: []\n    owner: Coder\n    acceptance_checks:\n      - cmd: npm test\n`,
      "acceptance.json": JSON.stringify({
        acceptance_criteria: [{ id: "AC-C-002", description: "d", verification: "npm test" }],
      }),
      "spec.md": "# Cele\nx\n",
    });
    const told = found.findings.map((one) => `${one.file} ${one.code} ${one.rule}`);
    expect(told).toEqual(
      expect.arrayContaining([
        "status.json status-field TC-053",
        "status.json gate-missing TC-089",
        "status.json gate-missing TC-109",
        "status.json task-unknown TC-120",
        "tasks.yaml check-unquoted TC-015",
        "tasks.yaml tasks-field TC-128",
        "tasks.yaml tasks-field TC-135",
        "tasks.yaml tasks-field TC-138",
        "acceptance.json acceptance-field TC-133",
        "spec.md section-missing TC-132",
      ]),
    );
    const missing = found.findings
      .filter((one) => one.message.endsWith(" is missing"))
      .map((one) => one.message);
    expect(missing).toEqual(
      expect.arrayContaining([
        "$.session is missing",
        "$.user_decisions is missing",
        "$.retry_counts is missing",
        "$.tasks[0].status is missing",
        "$.tasks[0].goal is missing",
        "$.acceptance_criteria[0].verify is missing",
      ]),
    );
    expect(found.exit).toBe(3);
    for (const { message, fix, rule } of found.findings) {
      expect(message).toMatch(/\S/);
      expect(fix).toMatch(/\S/);
      expect(rule).toMatch(/^TC-\d{3}$/);
    }
  });
});
