import type { Worker } from "../files/names.ts";

/**
 * What each worker makes, so that an order can be carried out without the team's own role descriptions. The gates
 * require exactly this.
 */
export const DUTIES: Readonly<Record<Worker, string>> = {
  SpecAgent:
    'Write spec.md (sections Goals, Acceptance Criteria, Definition of Done) and acceptance.json: {"acceptance_criteria": [{"id": "AC-001", "description": "...", "verify": ["a command", "manual: what a person looks at"]}]}.',
  Architect:
    "Write architecture.md (sections Overview, Modules), and for a decision with alternatives adr/ADR-001.md (Context, Decision, Alternatives considered, Consequences, Notes).",
  Planner:
    'Write tasks.yaml: a list tasks, each with id (T-001 and so on), status: not-started, type, title, depends_on, goal, non_goals, context_files, files_expected, acceptance_checks (in quotes: "cmd: npm test", "manual: it looks right"), risk_flags, done_when.',
  Designer:
    "Describe layout, accessibility and states: up to 80 lines in artifacts.design_spec_inline, more in design-specs/design-spec-<feature>.md.",
  Researcher:
    "Answer research_question in research/research-<topic>.md (Topic, Context, Methodology, Findings, Options, Recommendation, Sources, Open Questions). NEEDS_INFO if the question cannot be answered as it is.",
  Coder:
    "Implement the task with its tests, and name what you changed in artifacts.files_changed. The session's documents are not yours.",
  Reviewer:
    "Change nothing. Put comments into artifacts.review_comments (severity nit, minor, major or blocker; category, file, line, message, suggested_fix) and fill artifacts.checklist_summary (security, architecture, logic, performance, quality, devils_advocate: OK, issues_found or N/A). BLOCKED if it must not go on.",
  QA: "Run the tests and write missing ones; production code is not yours. Give artifacts.test_results (passed, failed, skipped, output). BLOCKED if one fails.",
  Security:
    "Change nothing. List artifacts.findings (severity low, medium, high or critical; category, file, description, recommended_fix). BLOCKED for high or critical ones, NEEDS_DECISION for medium ones, OK for the rest.",
  Integrator:
    "Make it build and run as a whole: build and configuration are yours, at the release also tags and notes, product code never.",
  Docs: "Bring README.md up to date and write report.md (What was done, How to run, How to test, Known issues).",
};

/** A lean session has no planner: its only task is written with the specification. */
export const LEAN_DUTY =
  'Write tasks.yaml too, with one task: id T-001, status: not-started, goal, acceptance_checks (in quotes: "cmd: npm test").';

/** The reply that everybody gives; roles add to `artifacts`. */
export const REPLY_SHAPE =
  '{"status": "OK", "summary": "one to three sentences", "artifacts": {}, "gates": {"meets_definition_of_done": true, "needs_review": true, "needs_tests": true, "security_concerns": []}, "next": {"recommended_agent": "Orchestrator", "recommended_task_id": "same", "reason": "why"}}';
