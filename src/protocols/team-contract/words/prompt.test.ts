import { describe, expect, test } from "vitest";
import { buildInput } from "../files/input-json.ts";
import { AGENTS, AGENT_FILES, PROJECT_TYPES, type Worker } from "../files/names.ts";
import { parseTasks } from "../files/tasks-yaml.ts";
import { type Artifact, checkArtifact } from "../files/artifacts.ts";
import { parseReply } from "../files/output-json.ts";
import { PLANNER_FIELDS, PLAN_FIELDS } from "../files/schemas/tasks.ts";
import { CHECKLISTS, checklistFor } from "./checklist.ts";
import { DUTIES, LEAN_DUTY } from "../table/duties.ts";
import { META_GOALS, type PromptParts, changedPaths, renderPrompt } from "./prompt.ts";
import { designSummary, planSummary, recommendStrategy } from "./summary.ts";

const session = "2026-03-01_add-dark-mode";
const input = (agent: Worker, changed: Parameters<typeof buildInput>[0]["changed"] = []) =>
  buildInput({
    agent,
    session,
    task: undefined,
    title: "Review",
    goal: META_GOALS["per-batch"],
    files: new Set(["spec.md", "acceptance.json", "tasks.yaml"]),
    changed,
    constraints: [],
    projectType: "cli",
    repo: { branch: "main", ci: "unknown", failed: null },
    tools: ["run_cmd"],
    lean: false,
  });
const parts = (more: Partial<PromptParts> = {}): PromptParts => ({
  agent: "Coder",
  session,
  input: input("Coder"),
  copilot: false,
  projectType: "cli",
  changesKnown: true,
  ...more,
});

const CHECKED = {
  security: "OK",
  architecture: "OK",
  logic: "OK",
  performance: "OK",
  quality: "OK",
  devils_advocate: "N/A",
};
const RESULTS = { passed: 1, failed: 0, skipped: 0, output: "ok" };

describe("the order a worker gets", () => {
  test("[TC-038] [TC-034] [TC-052] slots in one order, reading first, one JSON answer last", () => {
    const text = renderPrompt(parts());
    const slots = [
      "You are Coder",
      ".github/agents/04-coder.md",
      ".github/agents/CONTRACT.md",
      `.agents-work/${session}/`,
      '"context_files"',
      "1. Read every file of context_files before anything else",
      "2. ",
      "3. ",
      "4. ",
      "status.json, up to date",
      "5. Answer with one JSON object",
    ];
    const places = slots.map((slot) => text.indexOf(slot));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(renderPrompt(parts())).toBe(text);
  });

  test("[TC-001] [TC-003] an order can be carried out without the team's own descriptions", () => {
    for (const agent of AGENTS.filter((one) => one !== "Orchestrator")) {
      const text = renderPrompt(parts({ agent, input: input(agent) }));
      expect(text, agent).toContain(DUTIES[agent]);
      const shape = /^5\. [^{]*(\{.*\})$/m.exec(text)?.[1] ?? "";
      const extra = { Reviewer: { checklist_summary: CHECKED }, QA: { test_results: RESULTS } };
      const artifacts = agent === "Reviewer" || agent === "QA" ? extra[agent] : {};
      const reply = { ...(JSON.parse(shape) as object), artifacts };
      expect(parseReply(JSON.stringify(reply), { agent, task: "T-001" }).problems).toEqual([]);
    }
    const lean = { ...input("SpecAgent"), lean: true };
    expect(renderPrompt(parts({ agent: "SpecAgent", input: lean }))).toContain(LEAN_DUTY);
  });

  test("[TC-138] what a duty asks for is what the gate asks for", () => {
    const named = (artifact: Artifact, duty: string): void => {
      const missing = checkArtifact(artifact, "").map((one) => /"(.*)"/.exec(one.message)?.[1]);
      for (const section of missing)
        expect(duty).toContain(
          (section ?? "").split(/[ /]+(?:components|Question|Alternatives|References)/i)[0],
        );
    };
    named("spec", DUTIES.SpecAgent);
    named("architecture", DUTIES.Architect);
    named("adr", DUTIES.Architect);
    named("research", DUTIES.Researcher);
    named("report", DUTIES.Docs);
    for (const field of [...PLAN_FIELDS, ...PLANNER_FIELDS])
      expect(DUTIES.Planner).toContain(field);
  });

  test("[TC-040] project instructions appear twice or not at all", () => {
    const count = (text: string) => text.split("copilot-instructions.md").length - 1;
    expect(count(renderPrompt(parts()))).toBe(0);
    const text = renderPrompt(parts({ copilot: true }));
    expect(count(text)).toBe(2);
    expect(text.split("\n")[1]).toContain("copilot-instructions.md");
  });

  test("[TC-041] the order of precedence is stated, and conflicts go to notes", () => {
    expect(renderPrompt(parts())).toMatch(
      /contract comes first, then your role, then the workflow.*then the project.*artifacts\.notes/,
    );
  });

  test("[TC-012] a Reviewer without a list of changes is told to find them", () => {
    const known = parts({ agent: "Reviewer", input: input("Reviewer") });
    expect(renderPrompt(known)).not.toContain("find all of it with git");
    expect(renderPrompt({ ...known, changesKnown: false })).toContain("find all of it with git");
  });

  test("[TC-148] the review of everything reads what is there and does not open what is deleted", () => {
    const changed = [
      { path: "src/a.ts", change_type: "modified" },
      { path: "src/b.ts", change_type: "deleted" },
      { path: "src/d.ts", change_type: "renamed", old_path: "src/c.ts" },
    ] as const;
    const asked = input("Reviewer", changed);
    expect(changedPaths(asked)).toEqual(["src/a.ts", "src/d.ts"]);
    expect(renderPrompt(parts({ agent: "Reviewer", input: asked }))).toContain(
      "Read every changed file in full",
    );
  });

  test("[TC-174] [TC-175] both forms of every name stand in one table", () => {
    expect(Object.keys(AGENT_FILES).sort()).toEqual([...AGENTS].sort());
    expect(AGENT_FILES.QA.name).toBe("qa");
    expect(AGENT_FILES.SpecAgent).toEqual({ name: "spec-agent", file: "01-spec-agent.md" });
    const files = Object.values(AGENT_FILES).map(({ name, file }) => file.endsWith(`-${name}.md`));
    expect(files).not.toContain(false);
  });
});

describe("checklists", () => {
  test("[TC-158] web skips nothing", () => {
    expect(CHECKLISTS.web.skip).toEqual([]);
    expect(CHECKLISTS.web.focus).toEqual(
      expect.arrayContaining(["CSRF", "XSS", "SQL injection", "tenant scoping"]),
    );
  });

  test("[TC-159] api skips templates and UI and looks at auth, input and rates", () => {
    expect(CHECKLISTS.api.skip).toEqual(expect.arrayContaining(["templates", "UI"]));
    expect(CHECKLISTS.api.focus.slice(0, 3)).toEqual(["auth", "input validation", "rate limiting"]);
  });

  test("[TC-160] cli and lib skip what only a web page has", () => {
    for (const type of ["cli", "lib"] as const)
      expect(CHECKLISTS[type].skip).toEqual(
        expect.arrayContaining(["CSRF", "XSS", "tenant scoping", "templates"]),
      );
    expect(CHECKLISTS.cli.focus).toEqual(
      expect.arrayContaining(["privilege escalation", "secrets"]),
    );
    expect(CHECKLISTS.lib.focus).toEqual(
      expect.arrayContaining(["API safety", "dependency hygiene"]),
    );
  });

  test("[TC-161] in a mixed project each file has its own", () => {
    expect(checklistFor("mixed", "src/index.ts").skip).toContain("XSS");
    expect(checklistFor("mixed", "views/page.html").focus).toContain("XSS");
  });

  test("[TC-162] what is skipped is named as not applicable", () => {
    const text = renderPrompt(parts({ agent: "Security", input: input("Security") }));
    expect(text).toContain("Report as N/A: CSRF, XSS");
    expect(PROJECT_TYPES).toHaveLength(5);
  });
});

describe("what the gates show", () => {
  const tasks = (yaml: string) => parseTasks(yaml).value?.tasks ?? [];
  const many = (count: number, more = "") =>
    tasks(
      `tasks:\n${Array.from({ length: count }, (_, index) => `  - id: T-00${index + 1}\n    goal: g\n    status: not-started\n    acceptance_checks: ["cmd: x"]\n${more}`).join("")}`,
    );

  test("[TC-106] [TC-105] few simple tasks: single-final; many, entangled or risky ones: per-batch", () => {
    expect(recommendStrategy(many(4))).toBe("single-final");
    expect(recommendStrategy(many(5))).toBe("per-batch");
    expect(recommendStrategy(many(2, "    risk_flags: [security]\n"))).toBe("per-batch");
    expect(recommendStrategy(many(3, "    depends_on: [T-001]\n"))).toBe("per-batch");
    expect(planSummary(many(2))["summary"]).toBe("2 tasks (T-001 g; T-002 g), no risk flags.");
  });

  test("[TC-088] the design's summary names spec, criteria, assumptions, architecture and design specs", () => {
    const shown = designSummary({
      criteria: [
        { id: "AC-001", description: "the page is dark at night.", verify: [] },
        { id: "AC-002", description: "x".repeat(500), verify: [] },
      ],
      assumptions: ["night only"],
      spec: "# Goals\n\n- A dark page.\n- and more\n\n# Non-goals\n",
      architecture: "\uFEFF# Overview\r\nOne module.\r\n## Modules\r\nTheme\r\n",
      decisions: ["adr/ADR-001.md"],
      designs: ["design-specs/a.md"],
    });
    expect(shown["summary"]).toBe(
      [
        "Spec: Goals: A dark page; Non-goals.",
        `Acceptance criteria: AC-001 the page is dark at night; AC-002 ${"x".repeat(160)}….`,
        "Assumptions: night only.",
        "Architecture: Overview: One module; Modules: Theme.",
        "Decisions: adr/ADR-001.md. Design specs: design-specs/a.md.",
      ].join(" "),
    );
    const long = "# A section\n".repeat(10_000);
    const clipped = designSummary({
      criteria: [],
      assumptions: [],
      spec: long,
      architecture: long,
      decisions: [],
      designs: [],
    });
    expect(clipped["summary"]).toContain("and 9988 more sections");
  });
});
