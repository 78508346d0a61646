import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../core/values/json.ts";
import { parseAcceptance } from "./acceptance-json.ts";
import { readApproval } from "./answers.ts";
import { type Artifact, checkArtifact } from "./artifacts.ts";
import { appendHistory, parseHistory } from "./history-jsonl.ts";
import { isNewSessionName, isSessionName, sessionName, slugOf } from "./session-name.ts";
import { type OwnedStatus, createStatus, editStatus } from "./status-edit.ts";
import { parseStatus } from "./status-json.ts";
import { editTaskStatuses } from "./tasks-edit.ts";
import { parseTasks } from "./tasks-yaml.ts";

const at = "2026-03-01T10:00:00.000Z";
const owned: OwnedStatus = {
  current_state: "PLAN",
  session: "s",
  mode: "full",
  user_decisions: [],
  gate_tracking: undefined,
  runtime_flags: undefined,
  retry_counts: {},
  last_ci_result: "unknown",
  last_update: at,
  blocker: undefined,
  blocker_detail: undefined,
  blocked_from: undefined,
};
const none = { assumptions: [], known_issues: [] };
const entry = (more: JsonObject = {}): JsonObject => ({
  decision_id: "UD-1",
  question: "q",
  status: "pending",
  answer: null,
  asked_at: at,
  resolved_at: null,
  state_context: "PLAN",
  resolution_reason: null,
  ...more,
});
const answered = (id: string, context: string, answer: string): JsonObject =>
  entry({ decision_id: id, state_context: context, status: "answered", answer, resolved_at: at });
const status = (more: JsonObject = {}, lists = none): string =>
  JSON.stringify({ ...(JSON.parse(createStatus(owned, lists)) as JsonObject), ...more }, null, 2);
const rules = (text: string) => parseStatus(text, { session: "s" }).problems.map((one) => one.rule);

describe("status.json", () => {
  test("[TC-022] the session is the folder's name", () => {
    expect(parseStatus(status(), { session: "s" }).problems).toEqual([]);
    expect(parseStatus(status(), { session: "other" }).problems).toMatchObject([
      { code: "session-mismatch", rule: "TC-022", line: 3 },
    ]);
  });

  test.each([
    [{}],
    [{ gate_tracking: null }],
    [{ gate_tracking: {} }],
    [{ gate_tracking: { APPROVE_DESIGN: null } }],
    [{ gate_tracking: { APPROVE_DESIGN: { correction_status: null } } }],
  ])("[TC-055] [TC-114] without a correction status it is none: %o", (more) => {
    expect(parseStatus(status(more)).value?.correction).toBe("none");
  });

  test("[TC-069] [TC-066] an id occurs once", () => {
    expect(rules(status({ user_decisions: [entry(), entry()] }))).toEqual(["TC-069"]);
    const twice = [
      answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "approved"),
      answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "approved"),
    ];
    expect(rules(status({ user_decisions: twice }))).toEqual(["TC-069"]);
    expect(rules(status({ user_decisions: [entry({ decision_id: "UD-01" })] }))).toEqual([
      "TC-066",
    ]);
  });

  test.each([
    [answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "approved: yes"), []],
    [answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "changes-requested: x"), []],
    [answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "looks good"), ["TC-091"]],
    [answered("UD-APPROVE-DESIGN", "DESIGN", "approved"), ["TC-082"]],
    [answered("UD-REVIEW-STRATEGY", "REVIEW_STRATEGY", "per-batch"), []],
    [answered("UD-REVIEW-STRATEGY", "REVIEW_STRATEGY", "batch"), ["TC-107"]],
    [answered("UD-5", "APPROVE_DESIGN", "approved"), ["TC-068"]],
    [entry({ state_context: "ASK_USER" }), ["TC-082"]],
    [
      {
        ...answered("UD-APPROVE-DESIGN", "APPROVE_DESIGN", "x"),
        status: "skipped",
        resolution_reason: "r",
      },
      ["TC-099"],
    ],
  ])("[TC-082] [TC-068] [TC-107] [TC-118] the entry %o", (one, expected) => {
    expect(rules(status({ user_decisions: [one] }))).toEqual(expected);
  });

  test("[TC-112] two ways back are told", () => {
    const two = [entry(), entry({ decision_id: "UD-2", state_context: "DESIGN" })];
    expect(parseStatus(status({ user_decisions: two })).problems).toMatchObject([
      { severity: "warning", rule: "TC-112" },
    ]);
  });

  test("[TC-180] a session that is blocked says why", () => {
    expect(rules(status({ current_state: "BLOCKED" }))).toEqual(["TC-180"]);
  });

  test("[TC-059] nothing throws, whatever the text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        parseStatus(text);
        parseTasks(text);
        parseAcceptance(text);
        parseHistory(text);
        return true;
      }),
      { numRuns: 300 },
    );
  });

  test("[TC-052] [TC-130] writing keeps unknown keys, order, extra fields of entries and foreign gates", () => {
    const text = `{\r\n  "note": "mine",\r\n  "gate_tracking": {"OTHER": 1},\r\n  "user_decisions": [${JSON.stringify({ mood: "good", ...entry() })}],\r\n  "blocker": "x",\r\n  "current_state": "DESIGN",\r\n  "assumptions": ["a"]\r\n}`;
    const decided = {
      ...owned,
      user_decisions: [entry({ status: "answered", answer: "y", resolved_at: at })],
    };
    const tracked = { APPROVE_DESIGN: { correction_status: "queued" } };
    const lists = { assumptions: ["b"], known_issues: [] };
    const edited = editStatus(text, { ...decided, gate_tracking: tracked }, lists);
    expect(edited.problems).toEqual([]);
    const value = JSON.parse(edited.text) as JsonObject;
    expect(Object.keys(value).slice(0, 5)).toEqual([
      "note",
      "gate_tracking",
      "user_decisions",
      "current_state",
      "assumptions",
    ]);
    expect(value).toMatchObject({
      gate_tracking: { OTHER: 1, ...tracked },
      user_decisions: [{ mood: "good", status: "answered", answer: "y" }],
      current_state: "PLAN",
      assumptions: ["a", "b"],
      known_issues: [],
    });
    expect(edited.text.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(editStatus(edited.text, { ...decided, gate_tracking: tracked }, lists).text).toBe(
      edited.text,
    );
  });

  test("[TC-059] a text that is not JSON is left alone", () => {
    expect(editStatus("{ oops", owned, none)).toMatchObject({
      text: "{ oops",
      problems: [{ code: "status-unreadable" }],
    });
  });
});

describe("tasks.yaml", () => {
  const yaml = `# our plan\r\ntasks:\r\n  - id: T-001 # first\r\n    status: "not-started" # watch me\r\n    goal: g\r\n    depends_on: []\r\n    done_when: [AC-001]\r\n    acceptance_checks: ["cmd: npm test"]\r\n  - id: T-002\r\n    goal: h\r\n    depends_on: [T-001]\r\n    done_when: []\r\n    acceptance_checks:\r\n      - cmd: npm run e2e # slow\r\n      - "manual: look"\r\n`;

  test("[TC-130] a status changes on one line, comments and quotes stay", () => {
    const { text, problems } = editTaskStatuses(yaml, { "T-001": "in-progress" });
    expect(problems).toEqual([]);
    expect(text).toBe(yaml.replace('"not-started"', '"in-progress"'));
    expect(editTaskStatuses(text, { "T-001": "in-progress" }).text).toBe(text);
  });

  test("[TC-130] a task without a status gets one below its id", () => {
    const { text } = editTaskStatuses(yaml, { "T-002": "blocked" });
    expect(text).toBe(yaml.replace("- id: T-002\r\n", "- id: T-002\r\n    status: blocked\r\n"));
  });

  test("[TC-120] a task that is not there is a problem, and nothing is written", () => {
    const { text, problems } = editTaskStatuses(yaml, {
      "T-001": "completed",
      "T-009": "completed",
    });
    expect(text).toBe(yaml);
    expect(problems).toHaveLength(1);
  });

  test("[TC-015] an unquoted check is read as meant, and told with its line and what to write", () => {
    const { value, problems } = parseTasks(yaml);
    expect(value?.tasks[1]?.checks).toEqual(["cmd: npm run e2e", "manual: look"]);
    const [trap] = problems;
    expect(trap).toMatchObject({
      code: "check-unquoted",
      severity: "warning",
      line: 14,
      fix: 'Write it as - "cmd: npm run e2e"',
    });
    const mended = yaml.replace("- cmd: npm run e2e # slow", '- "cmd: npm run e2e" # slow');
    expect(mended).not.toBe(yaml);
    expect(parseTasks(mended).problems.map((one) => one.code)).not.toContain("check-unquoted");
  });

  test("[TC-135] a second document is named with its line: nobody would read the tasks in it", () => {
    for (const mark of ["---", "...\n---"]) {
      const { value, problems } = parseTasks(`${yaml}${mark}\ntasks: []\n`);
      expect(value).toBeUndefined();
      expect(problems).toMatchObject([{ code: "tasks-unreadable", severity: "error" }]);
      expect(problems[0]?.message).toContain("second YAML document");
    }
  });

  const graph = (...edges: readonly (readonly [string, string])[]): string =>
    `tasks:\n${edges.map(([id, on]) => `  - {id: ${id}, status: not-started, goal: g, acceptance_checks: ["cmd: x"], depends_on: [${on}], done_when: []}\n`).join("")}`;

  test("[TC-129] dangling ids, doubles and circles are named", () => {
    const messages = (text: string) =>
      parseTasks(text).problems.map((one) => `${one.line} ${one.message}`);
    expect(messages(graph(["T-001", "T-009"]))).toEqual([
      "2 T-001 depends on T-009, which is not a task",
    ]);
    expect(messages(graph(["T-001", ""], ["T-001", ""]))).toEqual(["3 T-001 is there twice"]);
    expect(messages(graph(["T-001", "T-002"], ["T-002", "T-001"]))).toEqual([
      "2 T-001 needs T-002 needs T-001: a circle, so none of them can begin",
    ]);
    expect(messages(graph(["T-001", "T-001"]))).toEqual([
      "2 T-001 needs T-001: a circle, so none of them can begin",
    ]);
    expect(messages(graph(["T-001", ""], ["T-002", "T-001"]))).toEqual([]);
  });

  test("[TC-128] [TC-138] a full plan has its fields; what is only missing is a warning", () => {
    const bare = `tasks:\n  - {id: T-001, status: not-started, goal: g, acceptance_checks: ["cmd: x"]}\n`;
    expect(parseTasks(bare).problems).toEqual([]);
    const found = parseTasks(bare, { mode: "full" }).problems;
    expect(found.map((one) => [one.severity, one.message])).toEqual([
      ["error", "T-001 has no list depends_on"],
      ["error", "T-001 has no list done_when"],
      ...["type", "title", "non_goals", "context_files", "files_expected", "risk_flags"].map(
        (key) => ["warning", `T-001 has no ${key}`],
      ),
    ]);
  });

  test("[TC-122] [TC-121] a new plan has begun nothing, and done is no status", () => {
    const begun = graph(["T-001", ""]).replace("not-started", "in-progress");
    expect(parseTasks(begun, { fresh: true }).problems.map((one) => one.rule)).toEqual(["TC-122"]);
    expect(
      parseTasks(begun.replace("in-progress", "done")).problems.map((one) => one.rule),
    ).toEqual(["TC-121"]);
  });

  test("[TC-135] a lean session has one task", () => {
    expect(parseTasks(graph(["T-001", ""], ["T-002", ""]), { mode: "lean" }).problems).toHaveLength(
      1,
    );
  });

  test("[TC-135] texts that are no plan are told, also hostile ones", () => {
    for (const text of [
      "",
      "- a",
      "tasks: 1",
      "a: [",
      "x".repeat(2_000_000),
      "[".repeat(60_000),
      "a: &a [*a]",
    ])
      expect(parseTasks(text).problems.length).toBeGreaterThan(0);
  });
});

describe("Markdown artifacts", () => {
  const good: Readonly<Record<string, string>> = {
    spec: "# Dark mode\n## 2. goals\nx\n### Acceptance criteria\nx\n## Definition of Done\nx\n",
    architecture: "## Overview\nx\n## Modules and data\nx\n",
    adr: "# Context\nx\n# Decision\nx\n# Alternatives considered\nx\n# Consequences\nx\n# Notes\nx\n",
    research:
      "# Topic\nx\n# Context\nx\n# Methodology\nx\n# Findings\nx\n# Options\nx\n# Recommendation\nx\n# Sources\nx\n# Open Questions\nx\n",
    report: "# What was done\nx\n## How to run\nx\n## How to test\nx\n## Known issues\nx\n",
  };
  const artifacts: readonly Artifact[] = ["spec", "architecture", "adr", "research", "report"];

  test.each(artifacts)(
    "[TC-132] [TC-134] [TC-138] [TC-178] %s needs each of its sections",
    (artifact) => {
      const text = good[artifact] ?? "";
      expect(checkArtifact(artifact, text)).toEqual([]);
      expect(checkArtifact(artifact, `\uFEFF${text.replaceAll("\n", "\r\n")}`)).toEqual([]);
      for (const heading of text.split("\n").filter((line) => line.startsWith("#"))) {
        if (heading === "# Dark mode") continue;
        const found = checkArtifact(artifact, text.replace(heading, "text"));
        expect(found.filter((one) => one.code === "section-missing")).toHaveLength(1);
      }
    },
  );

  test("[TC-132] headings in code do not count, other languages do by alias", () => {
    expect(checkArtifact("spec", "```\n# Goals\n```\n")).toHaveLength(3);
    const polish = "# Cele\nx\n# Kryteria\nx\n# Definicja\nx\n";
    expect(checkArtifact("spec", polish)).toHaveLength(3);
    const aliases = {
      Goals: ["cele"],
      "Acceptance Criteria": ["Kryteria"],
      "Definition of Done": ["definicja"],
    };
    expect(checkArtifact("spec", polish, aliases)).toEqual([]);
  });

  test("[TC-176] a report is plain and opens with a heading", () => {
    const codes = (text: string) => checkArtifact("report", text).map((one) => one.message);
    expect(codes(`Hello\n\n${good["report"] ?? ""}`)).toEqual([
      "The report does not open with a heading",
    ]);
    expect(codes(`${good["report"] ?? ""}<div>x</div>\n`)).toEqual(["The report holds raw HTML"]);
  });
});

describe("small things", () => {
  test("[TC-092] [TC-093] the history grows behind what is there, one line each, once", () => {
    const first = appendHistory("", [{ at, answer: "changes-requested: a", eventId: "CR-1" }]);
    const lines = [
      { at, answer: "changes-requested: a", eventId: "CR-1" },
      { at, answer: 'changes-requested: "b"\n', eventId: "CR-2" },
    ];
    const second = appendHistory(first, lines);
    expect(second.startsWith(first)).toBe(true);
    expect(parseHistory(second)).toMatchObject({
      problems: [],
      value: [{ event_id: "CR-1" }, { event_id: "CR-2", answer: 'changes-requested: "b"\n' }],
    });
    expect(parseHistory('{"at": "x"}\n\nno\n').problems.map((one) => one.line)).toEqual([1, 3]);
    expect(appendHistory("{}", lines).startsWith("{}\n")).toBe(true);
  });

  test("[TC-093] [TC-094] a line that was rewritten is put back where it stands, and nothing else", () => {
    const lines = ["a", "b"].map((what, index) => {
      return { at, answer: `changes-requested: ${what}`, eventId: `CR-${index + 1}` };
    });
    const whole = `{"by": "hand"}\r\n${appendHistory("", lines).replaceAll("\n", "\r\n")}`;
    const rewritten = whole.replace("changes-requested: a", "changes-requested: less");
    expect(appendHistory(rewritten, lines)).toBe(whole);
    expect(appendHistory(whole, lines)).toBe(whole);
  });

  test("[TC-023] a slug has two to four words of the goal", () => {
    expect(slugOf("Add dark mode!")).toBe("add-dark-mode");
    expect(slugOf("Fix")).toBe("fix-session");
    expect(slugOf("日本")).toBe("new-session");
    for (const name of ["2026-03-01_add-dark-mode", "2026-03-01_a-b"])
      expect(isNewSessionName(name)).toBe(true);
    for (const name of [
      "2026-3-1_a-b",
      "2026-03-01_a",
      "2026-03-01_A-b",
      "2026-02-30_a-b",
      "2026-03-01T10_a-b",
      "2026-03-01_a b",
    ])
      expect(isNewSessionName(name)).toBe(false);
    expect(isSessionName("2026-03-01_a-b-c-d-e-f")).toBe(true);
    fc.assert(fc.property(fc.string(), (goal) => isNewSessionName(`2026-03-01_${slugOf(goal)}`)));
  });

  test("[TC-024] a second session on one day has a name of its own", () => {
    const first = sessionName("2026-03-01", "Add dark mode", new Set());
    const second = sessionName("2026-03-01", "Add dark mode", new Set([first]));
    expect([first, second]).toEqual(["2026-03-01_add-dark-mode", "2026-03-01_add-dark-mode-2"]);
    expect(isNewSessionName(second)).toBe(true);
  });

  test("[TC-089] what counts as an answer", () => {
    expect(
      ["approved", "approved.", "approved? no", "yes", "changes-requested: x"].map(readApproval),
    ).toEqual(["approved", "approved", "invalid", "invalid", "changes-requested"]);
  });
});

test("[TC-015] [TC-179] a check that says nothing to run is named where it is written", () => {
  const empty = ["cmd:", "cmd:  ", "cmd: # later", "manual:", "manual: \t"];
  for (const check of empty) {
    const verify = JSON.stringify({
      acceptance_criteria: [{ id: "AC-001", description: "d", verify: [check] }],
    });
    expect(parseAcceptance(verify).problems.map(({ code }) => code)).toEqual(["acceptance-field"]);
    const yaml = `tasks:\n  - {id: T-001, status: not-started, goal: g, acceptance_checks: [${JSON.stringify(check)}], depends_on: [], done_when: []}\n`;
    expect(
      parseTasks(yaml)
        .problems.map(({ fix }) => fix)
        .join(),
    ).toContain("what to run");
  }
  for (const check of ["cmd: true", "npm test", "manual: look", "  make"]) {
    const verify = JSON.stringify({
      acceptance_criteria: [{ id: "AC-001", description: "d", verify: [check] }],
    });
    expect(parseAcceptance(verify).problems).toEqual([]);
  }
});
