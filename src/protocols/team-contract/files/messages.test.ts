import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { contextFilesFor } from "./context-files.ts";
import { checkInput } from "../../../../test/inputs.ts";
import { type InputParts, buildInput } from "./input-json.ts";
import { AGENTS, type Agent, type Worker } from "./names.ts";
import { parseReply } from "./output-json.ts";
import { parseTasks } from "./tasks-yaml.ts";

const good: JsonObject = {
  status: "OK",
  summary: "done",
  artifacts: { notes: [] },
  gates: {
    meets_definition_of_done: true,
    needs_review: true,
    needs_tests: false,
    security_concerns: [],
  },
  next: { recommended_agent: "Reviewer", recommended_task_id: "same", reason: "r" },
};
const checklist = {
  security: "N/A",
  architecture: "OK",
  logic: "OK",
  performance: "OK",
  quality: "OK",
  devils_advocate: "OK",
};
const parse = (value: Json, agent: Agent = "Coder", more = {}) =>
  parseReply(typeof value === "string" ? value : JSON.stringify(value), {
    agent,
    task: "T-002",
    ...more,
  });
const codes = (value: Json, agent: Agent = "Coder", more = {}) =>
  parse(value, agent, more).problems.map((one) => one.rule);

describe("a reply", () => {
  test.each([
    ["a fence", "```json\n{}\n```"],
    ["a sentence behind", `${JSON.stringify(good)} Done!`],
    ["a comment", `{ // hello\n${JSON.stringify(good).slice(1)}`],
    ["nothing", ""],
    ["a list", "[]"],
    ["half of it", JSON.stringify(good).slice(0, 50)],
  ])("[TC-002] is no reply with %s", (_, text) => {
    expect(parse(text)).toMatchObject({ kind: "unreadable", value: undefined });
    expect(parse(text).problems[0]?.code).toBe("reply-unreadable");
  });

  test("[TC-003] all problems are named at once, with their paths and lines", () => {
    const bad = {
      status: "DONE",
      summary: 1,
      artifacts: {},
      gates: { meets_definition_of_done: "yes", needs_review: true, needs_tests: false },
      next: { recommended_agent: "planner", recommended_task_id: "T-1", reason: "r" },
    };
    const { kind, problems } = parseReply(JSON.stringify(bad, null, 2), {
      agent: "Coder",
      task: "T-002",
    });
    expect(kind).toBe("invalid");
    expect(problems.map(({ line, message }) => `${line} ${message.split(" ")[0] ?? ""}`)).toEqual([
      "2 $.status",
      "3 $.summary",
      "5 $.gates.security_concerns",
      "6 $.gates.meets_definition_of_done",
      "11 $.next.recommended_agent",
      "12 $.next.recommended_task_id",
    ]);
  });

  test("[TC-003] a key that is there twice is a problem", () => {
    const text = JSON.stringify(good).replace('"summary"', '"status":"FAIL","summary"');
    expect(parse(text).problems.map((one) => one.message)).toEqual([
      'The key "status" is there twice',
    ]);
  });

  test("[TC-004] keys a role adds are kept", () => {
    const results = { passed: 3, failed: 0, skipped: 0, output: "ok" };
    const qa = parse({ ...good, artifacts: { test_results: results, odd: [1] } }, "QA");
    expect(qa.value?.artifacts).toEqual({ test_results: results, odd: [1] });
  });

  test("[TC-016] [TC-174] next is a canonical name; same is the task that was handed out", () => {
    expect(parse(good).value?.next).toEqual({ agent: "Reviewer", task: "T-002", reason: "r" });
    for (const recommended_agent of ["coder", "Spec-Agent", "Tester"]) {
      const next = { recommended_agent, recommended_task_id: "meta", reason: "" };
      expect(codes({ ...good, next })).toEqual(["TC-174"]);
    }
  });

  test("[TC-017] everybody may say OK, BLOCKED or FAIL", () => {
    for (const agent of AGENTS)
      for (const status of ["BLOCKED", "FAIL"])
        expect(parse({ ...good, status }, agent).problems).toEqual([]);
    expect(codes({ ...good, status: "BLOCKED", summary: "" })).toEqual(["TC-017"]);
  });

  test("[TC-019] NEEDS_INFO is the Researcher's, NEEDS_DECISION is Security's", () => {
    const findings = [
      { severity: "medium", category: "XSS", file: "a", description: "d", recommended_fix: "f" },
    ];
    const decision = { ...good, status: "NEEDS_DECISION", artifacts: { findings } };
    for (const agent of AGENTS) {
      expect(codes({ ...good, status: "NEEDS_INFO" }, agent)).toEqual(
        agent === "Researcher" ? [] : ["TC-019"],
      );
      expect(codes(decision, agent)).toEqual(agent === "Security" ? [] : ["TC-019"]);
    }
    expect(codes({ ...good, status: "NEEDS_DECISION" }, "Security")).toEqual(["TC-075"]);
  });

  test.each([
    ["blocker", "Logic", ["TC-163"]],
    ["major", "Security", ["TC-163"]],
    ["major", "Logic", []],
    ["nit", "Security", []],
  ])("[TC-163] a Reviewer's OK with a %s comment on %s", (severity, category, rules) => {
    const review_comments = [{ severity, category, file: "a.ts", line: 1, message: "m" }];
    const artifacts = { review_comments, checklist_summary: checklist };
    expect(codes({ ...good, artifacts }, "Reviewer")).toEqual(rules);
  });

  test("[TC-162] a Reviewer's OK names every group of the checklist", () => {
    expect(codes(good, "Reviewer")).toEqual(["TC-162"]);
    const { quality: _, ...rest } = checklist;
    expect(
      parse({ ...good, artifacts: { checklist_summary: rest } }, "Reviewer").problems[0]?.message,
    ).toBe("$.artifacts.checklist_summary.quality is missing");
    expect(codes({ ...good, artifacts: { checklist_summary: checklist } }, "Reviewer")).toEqual([]);
  });

  test("[TC-164] [TC-166] QA's OK needs counts, no failure, and something to run tests with", () => {
    const results = (failed: number) => ({
      ...good,
      artifacts: { test_results: { passed: 1, failed, skipped: 0, output: "" } },
    });
    expect(codes(results(0), "QA")).toEqual([]);
    expect(codes(results(1), "QA")).toEqual(["TC-164"]);
    expect(codes(good, "QA")).toEqual(["TC-164"]);
    const more = { tools: ["read_file"], checks: ["cmd: npm test"] };
    expect(codes(results(0), "QA", more)).toEqual(["TC-166"]);
    expect(codes({ ...good, status: "BLOCKED" }, "QA", more)).toEqual([]);
  });

  test.each([
    ["low", []],
    ["medium", ["TC-165"]],
    ["high", ["TC-165"]],
    ["critical", ["TC-165"]],
  ])("[TC-165] Security's OK with a %s finding", (severity, rules) => {
    const findings = [
      { severity, category: "XSS", file: "a", description: "d", recommended_fix: "f" },
    ];
    expect(codes({ ...good, artifacts: { findings } }, "Security")).toEqual(rules);
  });

  test("[TC-165] Security's OK has no concerns", () => {
    const gates = { ...(good["gates"] as JsonObject), security_concerns: ["secrets"] };
    expect(codes({ ...good, gates }, "Security")).toEqual(["TC-165"]);
  });
});

const session = "2026-03-01_add-dark-mode";
const path = (file: string) => `.agents-work/${session}/${file}`;
const [task] =
  parseTasks(
    `tasks:\n  - {id: T-001, status: not-started, goal: g, acceptance_checks: ["cmd: x"], context_files: ["src/a.ts"]}`,
  ).value?.tasks ?? [];
const FULL = [
  "spec.md",
  "acceptance.json",
  "architecture.md",
  "tasks.yaml",
  "design-specs/design-spec-a.md",
  "research/research-a.md",
];
const LEAN = ["spec.md", "acceptance.json", "tasks.yaml"];

const parts = (agent: Worker, more: Partial<InputParts> = {}): InputParts => ({
  agent,
  session,
  task,
  title: "t",
  goal: "g",
  files: new Set(FULL),
  changed: undefined,
  constraints: [],
  projectType: "cli",
  repo: { branch: "x", ci: "red", failed: "build" },
  tools: ["run_cmd"],
  lean: false,
  ...more,
});
const check = (input: Json, agent: Worker, files: readonly string[] = FULL) =>
  checkInput(input, { agent, session, files: new Set(files), tasks: ["T-001"] });
const WORKERS = AGENTS.filter((agent): agent is Worker => agent !== "Orchestrator");
const edit = (input: JsonObject, change: JsonObject): JsonObject => ({
  ...input,
  task: { ...(input["task"] as JsonObject), ...change },
});

describe("an input", () => {
  test.each(WORKERS)("[TC-001] [TC-013] [TC-014] for %s is complete as it is built", (agent) => {
    const input = buildInput(parts(agent));
    expect(check(input, agent)).toEqual([]);
    expect(input).toMatchObject({
      project_type: "cli",
      repo_state: { branch: "x", ci_status: "red", last_failed_step: "build" },
      tools_available: ["run_cmd"],
    });
    for (const key of ["task", "project_type", "repo_state", "tools_available"]) {
      const { [key]: _, ...rest } = input;
      expect(check(rest, agent).map((one) => one.message)).toContain(`$.${key} is missing`);
    }
    const { artifact_list: _, ...optional } = input;
    expect(check(optional, agent)).toEqual([]);
  });

  test("[TC-014] a yellow CI is refused", () => {
    const input = buildInput(parts("Coder", { repo: { branch: "x", ci: "yellow", failed: null } }));
    expect(check(input, "Coder").map((one) => one.rule)).toEqual(["TC-014"]);
  });

  test("[TC-008] a task that tasks.yaml does not have is refused, meta is not", () => {
    const input = buildInput(parts("Coder"));
    expect(check(edit(input, { id: "T-999" }), "Coder").map((one) => one.rule)).toEqual(["TC-008"]);
    expect(check(edit(input, { id: "meta" }), "Coder")).toEqual([]);
  });

  test("[TC-009] [TC-011] the Reviewer, and only the Reviewer, is told what changed", () => {
    const changed = [
      { path: "src/b.ts", change_type: "added" },
      { path: "src/a.ts", change_type: "modified" },
      { path: path("spec.md"), change_type: "modified" },
    ] as const;
    const input = buildInput(parts("Reviewer", { changed }));
    expect(input["task"]).toMatchObject({
      session_changed_files: [
        { path: "src/a.ts", change_type: "modified" },
        { path: "src/b.ts", change_type: "added" },
      ],
    });
    const { session_changed_files: _, ...rest } = input["task"] as JsonObject;
    expect(check({ ...input, task: rest }, "Reviewer").map((one) => one.rule)).toEqual(["TC-009"]);
    for (const agent of WORKERS.filter((one) => one !== "Reviewer")) {
      const other = buildInput(parts(agent, { changed }));
      expect(other["task"]).not.toHaveProperty("session_changed_files");
      const told = edit(other, { session_changed_files: [{ path: "a", change_type: "added" }] });
      expect(check(told, agent).map((one) => one.rule)).toEqual(["TC-009"]);
    }
  });

  test.each([
    [{ path: "a", change_type: "moved" }, false],
    [{ path: "a", change_type: "renamed" }, false],
    [{ path: "a", change_type: "renamed", old_path: "b" }, true],
    [{ path: "a", change_type: "added", old_path: "b" }, false],
    [{ path: "a", change_type: "deleted" }, true],
  ])("[TC-010] the change %o", (change, fine) => {
    const input = edit(buildInput(parts("Reviewer")), { session_changed_files: [change] });
    expect(check(input, "Reviewer").length === 0).toBe(fine);
  });

  test("[TC-015] checks have a prefix, risks come from the list, none stands alone", () => {
    const input = buildInput(parts("Coder"));
    expect((input["task"] as JsonObject)["risk_flags"]).toEqual(["none"]);
    for (const change of [
      { acceptance_checks: ["npm test"] },
      { risk_flags: ["danger"] },
      { risk_flags: ["none", "security"] },
    ])
      expect(check(edit(input, change), "Coder").map((one) => one.rule)).toEqual(["TC-015"]);
    expect(check(edit(input, { risk_flags: [] }), "Coder")).toEqual([]);
  });

  const matrix: readonly (readonly [Worker, readonly string[], readonly string[]])[] = [
    ["SpecAgent", [], []],
    [
      "Architect",
      ["spec.md", "acceptance.json", "research/research-a.md"],
      ["spec.md", "acceptance.json"],
    ],
    [
      "Designer",
      ["spec.md", "acceptance.json", "architecture.md"],
      ["spec.md", "acceptance.json", "architecture.md"],
    ],
    [
      "Researcher",
      ["spec.md", "acceptance.json", "architecture.md"],
      ["spec.md", "acceptance.json"],
    ],
    [
      "Planner",
      [
        "spec.md",
        "acceptance.json",
        "architecture.md",
        "design-specs/design-spec-a.md",
        "research/research-a.md",
      ],
      ["spec.md", "acceptance.json", "architecture.md"],
    ],
    [
      "Coder",
      ["spec.md", "architecture.md", "tasks.yaml", "design-specs/design-spec-a.md"],
      ["spec.md", "tasks.yaml"],
    ],
    [
      "Reviewer",
      [
        "spec.md",
        "acceptance.json",
        "architecture.md",
        "tasks.yaml",
        "design-specs/design-spec-a.md",
      ],
      ["spec.md", "acceptance.json", "tasks.yaml"],
    ],
    [
      "QA",
      ["spec.md", "acceptance.json", "tasks.yaml", "design-specs/design-spec-a.md"],
      ["spec.md", "acceptance.json", "tasks.yaml"],
    ],
    ["Security", ["spec.md", "architecture.md", "tasks.yaml"], ["spec.md", "tasks.yaml"]],
    ["Integrator", ["acceptance.json", "tasks.yaml"], ["acceptance.json", "tasks.yaml"]],
    [
      "Docs",
      ["spec.md", "acceptance.json", "architecture.md", "tasks.yaml"],
      ["spec.md", "acceptance.json", "tasks.yaml"],
    ],
  ];

  test.each(matrix)(
    "[TC-030] [TC-032] %s is given its files, in full and in lean mode",
    (agent, full, lean) => {
      expect(contextFilesFor(agent, session, new Set(FULL)).required).toEqual(full.map(path));
      expect(contextFilesFor(agent, session, new Set(LEAN)).required).toEqual(lean.map(path));
    },
  );

  test.each(matrix.filter(([, full]) => full.length > 0))(
    "[TC-030] [TC-031] [TC-032] [TC-033] leaving out a file of %s is refused, and so is an empty list",
    (agent, full) => {
      const input = buildInput(parts(agent));
      for (const file of full) {
        const listed = full.filter((one) => one !== file).map(path);
        const found = check(edit(input, { context_files: [...listed, "x"] }), agent);
        expect(found.map((one) => one.message)).toEqual([`context_files lacks ${path(file)}`]);
        const design = file.startsWith("design-specs/");
        expect(found[0]?.rule === "TC-033").toBe(design);
      }
      const empty = check(edit(input, { context_files: [] }), agent).map((one) => one.rule);
      expect(empty).toContain("TC-031");
    },
  );

  test("[TC-035] a missing file is named with its path", () => {
    const files = FULL.filter((one) => one !== "spec.md");
    const input = buildInput(parts("Coder", { files: new Set(files) }));
    expect(check(input, "Coder", files)).toMatchObject([
      { code: "context-missing", message: `Coder needs ${path("spec.md")}, which does not exist` },
    ]);
  });

  test("[TC-036] a placeholder is no path", () => {
    const input = buildInput(parts("Coder"));
    const listed = (input["task"] as { context_files: readonly string[] }).context_files;
    const found = check(
      edit(input, { context_files: [...listed, ".agents-work/<session>/spec.md"] }),
      "Coder",
    );
    expect(found.map((one) => one.rule)).toEqual(["TC-036"]);
  });

  test("[TC-028] [TC-037] files of other sessions and of the repository may be listed", () => {
    const input = buildInput(parts("Coder"));
    expect((input["task"] as JsonObject)["context_files"]).toContain("src/a.ts");
    const listed = (input["task"] as { context_files: readonly string[] }).context_files;
    const other = ".agents-work/2026-01-01_old-one/spec.md";
    expect(check(edit(input, { context_files: [...listed, other] }), "Coder")).toEqual([]);
  });
});
