/**
 * The fixed names and values of the team contract, as its source defines them. Readers and writers of all session
 * files take them from here.
 */

export const AGENTS = [
  "SpecAgent",
  "Architect",
  "Planner",
  "Designer",
  "Researcher",
  "Coder",
  "Reviewer",
  "QA",
  "Security",
  "Integrator",
  "Docs",
  "Orchestrator",
] as const;
export type Agent = (typeof AGENTS)[number];
export type Worker = Exclude<Agent, "Orchestrator">;

/** Both forms of every name, because no rule turns `QA` into `qa` and `SpecAgent` into `spec-agent`. */
export const AGENT_FILES: Readonly<
  Record<Agent, { readonly name: string; readonly file: string }>
> = {
  Orchestrator: { name: "orchestrator", file: "00-orchestrator.md" },
  SpecAgent: { name: "spec-agent", file: "01-spec-agent.md" },
  Architect: { name: "architect", file: "02-architect.md" },
  Planner: { name: "planner", file: "03-planner.md" },
  Coder: { name: "coder", file: "04-coder.md" },
  Reviewer: { name: "reviewer", file: "05-reviewer.md" },
  QA: { name: "qa", file: "06-qa.md" },
  Security: { name: "security", file: "07-security.md" },
  Integrator: { name: "integrator", file: "08-integrator.md" },
  Docs: { name: "docs", file: "09-docs.md" },
  Designer: { name: "designer", file: "10-designer.md" },
  Researcher: { name: "researcher", file: "11-researcher.md" },
};

export const STATES = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
  "ASK_USER",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
  "BLOCKED",
] as const;
export type State = (typeof STATES)[number];

export const FIX_LOOPS = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"] as const;
/** How many repairs are tried before a person is asked. */
export const FIX_MAX = 3;

export const TASK_STATUSES = [
  "not-started",
  "in-progress",
  "implemented",
  "completed",
  "blocked",
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const TASK_TYPES = ["feat", "fix", "refactor", "chore", "test", "docs"] as const;
export const RISK_FLAGS = ["security", "perf", "breaking-change", "none"] as const;
export const PROJECT_TYPES = ["web", "api", "cli", "lib", "mixed"] as const;
export type ProjectType = (typeof PROJECT_TYPES)[number];
export const CI_COLOURS = ["unknown", "green", "red"] as const;
export const CHANGE_TYPES = ["added", "modified", "deleted", "renamed"] as const;
export const DECISION_STATUSES = ["pending", "answered", "cancelled", "skipped"] as const;
export const CORRECTION_STATUSES = ["none", "queued", "dispatched", "completed"] as const;
export const CORRECTORS = ["SpecAgent", "Architect", "Designer"] as const;
export const STRATEGIES = ["per-batch", "single-final"] as const;
export const OUTPUT_STATUSES = ["OK", "BLOCKED", "NEEDS_INFO", "NEEDS_DECISION", "FAIL"] as const;
export type OutputStatus = (typeof OUTPUT_STATUSES)[number];

/** Which answers belong to which agent, besides the three that everybody may give. */
export const OWN_STATUSES: Readonly<Record<string, Agent>> = {
  NEEDS_INFO: "Researcher",
  NEEDS_DECISION: "Security",
};

export const APPROVE_DESIGN_ID = "UD-APPROVE-DESIGN";
export const REVIEW_STRATEGY_ID = "UD-REVIEW-STRATEGY";
/** The state in which each of the two gates is decided. */
export const GATE_OF: Readonly<Record<string, string>> = {
  [APPROVE_DESIGN_ID]: "APPROVE_DESIGN",
  [REVIEW_STRATEGY_ID]: "REVIEW_STRATEGY",
};

export const META = "meta";

/** Keys that would make status.json a second source of task status. */
export const FORBIDDEN_STATUS_KEYS = [
  "completed_tasks",
  "blocked_tasks",
  "tasks",
  "task_status",
  "task_statuses",
] as const;

/**
 * A check in the contract's form: a command to run, or something a person looks at. A comment is not a command.
 */
export const CHECK_PATTERN = "^(?:cmd:\\s*[^\\s#]|manual:\\s*\\S)";
/** The same, where a bare text is a command. */
export const VERIFY_PATTERN = "^(?!\\s*(?:(?:cmd:\\s*)?#|(?:cmd|manual):\\s*$))\\s*\\S";
