import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../../core/values/json.ts";
import { verifySessionTree } from "./session.ts";

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
  "report.md":
    "# What was done\nx\n# How to run\nx\n# How to test\nx\n# Known issues\nx\n\n## Evidence\n\n- cmd: npm test: exit 0 at 2026-02-17T01:15:39Z, output sha256 0123456789ab\n",
};

function verify(change: Readonly<Record<string, string | undefined>> = {}, name = id) {
  const files = Object.entries({ ...sound, ...change }).filter(
    (one): one is [string, string] => one[1] !== undefined,
  );
  const [found] = verifySessionTree({ sessions: new Map([[name, new Map(files)]]) });
  if (found === undefined) throw new Error("nothing was verified");
  // Paths are from the top of the tree; here only the name in the folder is of interest.
  const findings = found.findings.map((one) => {
    expect(one.file.startsWith(`.agents-work/${name}`)).toBe(true);
    return { ...one, file: one.file.slice(`.agents-work/${name}/`.length) };
  });
  return { ...found, findings };
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

  test("[TC-139] past the loop with a task that is not completed", () => {
    const open = { "tasks.yaml": tasks.replace("completed", "implemented") };
    for (const [current_state, found] of [
      ["IMPLEMENT_LOOP", []],
      ["INTEGRATE", ["tasks-open"]],
      ["RELEASE", ["tasks-open"]],
    ] as const) {
      const text = JSON.stringify({ ...status, current_state });
      expect([current_state, codes(verify({ ...open, "status.json": text }))]).toEqual([
        current_state,
        found,
      ]);
    }
    expect(codes(withStatus({ current_state: "RELEASE" }))).toEqual([]);
  });

  test("[TC-149] green although nothing was ever run", () => {
    const manual = tasks.replace('"cmd: npm test"', '"manual: look"');
    expect(codes(verify({ "tasks.yaml": manual }))).toEqual([
      "green-without-check",
      "evidence-missing",
    ]);
  });

  test("[TC-179] DONE and green, but nobody ever ran the command of the criterion", () => {
    const broken = { id: "AC-C-002", description: "d", verify: ["npm test -- --grep a|xss"] };
    const acceptance = JSON.stringify({ acceptance_criteria: [broken] });
    const found = verify({ "acceptance.json": acceptance });
    expect(found.exit).toBe(2);
    expect(found.findings).toMatchObject([
      {
        code: "evidence-missing",
        file: "acceptance.json",
        message: 'DONE, but nothing shows that "cmd: npm test -- --grep a|xss" holds',
        rule: "TC-179",
      },
    ]);
    const waived = `${sound["report.md"] ?? ""}- AC-C-002: waived by person:ada at ${at}, later\n`;
    expect(codes(verify({ "acceptance.json": acceptance, "report.md": waived }))).toEqual([]);
  });

  test("[TC-049] [TC-137] what is there and cannot be read is not called missing", () => {
    const files = new Map(Object.entries(sound).filter(([file]) => file !== "spec.md"));
    const hidden = new Map([
      ["spec.md", { message: "Cannot use it: it is a symbolic link.", fix: "Replace the link." }],
      ["photo.png", { message: "not a text", fix: "-" }],
    ]);
    const [found] = verifySessionTree({
      sessions: new Map([[id, files]]),
      unreadable: new Map([[id, hidden]]),
    });
    expect(found).toMatchObject({ exit: 3, findings: [{ code: "artifact-unreadable" }] });
    expect(found?.findings).toMatchObject([
      { file: `.agents-work/${id}/spec.md`, message: "Cannot use it: it is a symbolic link." },
    ]);
  });

  test("[TC-081] [TC-112] a question waits in ASK_USER or at its gate, and ASK_USER has one", () => {
    const pending = (decision_id: string, state_context: string): JsonObject => ({
      ...answered(decision_id, state_context, ""),
      status: "pending",
      answer: null,
      resolved_at: null,
    });
    const decided = status["user_decisions"] as readonly JsonObject[];
    const asked = [...decided, pending("UD-1", "IMPLEMENT_LOOP")];
    const passed = withStatus({ current_state: "IMPLEMENT_LOOP", user_decisions: asked });
    expect(codes(passed)).toEqual(["decision-pending"]);
    expect(codes(withStatus({ current_state: "ASK_USER", user_decisions: asked }))).toEqual([]);
    expect(codes(withStatus({ current_state: "ASK_USER" }))).toEqual(["question-missing"]);
    const gate = [pending("UD-APPROVE-DESIGN", "APPROVE_DESIGN")];
    expect(codes(withStatus({ current_state: "APPROVE_DESIGN", user_decisions: gate }))).toEqual(
      [],
    );
  });

  test("[TC-121] [TC-135] a key that is there twice hides nothing else that is wrong", () => {
    const twice = tasks.replace("    type: feat", "    type: feat\n    type: chore\n    goal: h");
    const found = verify({ "tasks.yaml": twice.replace("completed", "finished") });
    expect(found.findings.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '5 The key "type" is there twice',
      '9 The key "goal" is there twice',
      expect.stringContaining('3 $.tasks[0].status is "finished"'),
      "2 DONE, but T-001 is finished",
    ]);
  });

  test("[TC-092] lines of the history that the gate could not have written", () => {
    const line = (more: JsonObject): string =>
      JSON.stringify({
        at,
        decision_id: "UD-APPROVE-DESIGN",
        answer: "changes-requested: x",
        state_context: "APPROVE_DESIGN",
        ...more,
      });
    const text = [line({}), line({ answer: "2" }), line({ decision_id: "UD-1" }), "{"].join("\n");
    const found = verify({ "approve-design-history.jsonl": text });
    expect(found.findings.map((one) => one.line)).toEqual([2, 3, 4]);
  });

  test("[TC-092] changes asked for without a history", () => {
    const decisions = [
      answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "changes-requested: x"),
      answered("UD-REVIEW-STRATEGY", "REVIEW_STRATEGY", "per-batch"),
    ];
    const asked = { ...status, current_state: "APPROVE_DESIGN", user_decisions: decisions };
    const found = (answer?: string): readonly string[] => {
      const line = {
        at,
        decision_id: "UD-APPROVE-DESIGN",
        answer,
        state_context: "APPROVE_DESIGN",
      };
      const history =
        answer === undefined ? {} : { "approve-design-history.jsonl": `${JSON.stringify(line)}\n` };
      return codes(verify({ ...history, "status.json": JSON.stringify(asked) }));
    };
    expect(found()).toEqual(["history-missing"]);
    expect(found("changes-requested: y")).toEqual(["history-missing"]);
    expect(found("changes-requested: x")).toEqual([]);
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
