/** Drift and lies, planted into the files of a session, by what the contract demands of each of them. */
import { type Fields, fieldsOf, listOf } from "../opinion.ts";

/** What a plant needs of a session's folder. */
export interface Ground {
  readonly edit: (file: string, change: (text: string) => string) => void;
  readonly write: (file: string, text: string) => void;
  readonly remove: (file: string) => void;
}

/** Where the session stands when it is planted. */
export type Stand =
  | "design"
  | "changes"
  | "plan"
  | "loop"
  | "coded"
  | "asked"
  | "blocked"
  | "release";

export interface Plant {
  readonly at: Stand;
  readonly name: string;
  readonly plant: (ground: Ground) => void;
  /** The files hold together: only the journal knows better. */
  readonly onlyJournal?: true;
}

function status(at: Stand, name: string, change: (status: Fields) => Fields): Plant {
  return {
    at,
    name,
    plant: ({ edit }) =>
      edit("status.json", (text) => {
        const now: unknown = JSON.parse(text);
        return `${JSON.stringify(change(fieldsOf(now)), null, 2)}\n`;
      }),
  };
}

function set(at: Stand, key: string, value: unknown): Plant {
  return status(at, `${key}: ${JSON.stringify(value)}`, (now) => ({ ...now, [key]: value }));
}

function without(key: string): Plant {
  return status("design", `no ${key}`, (now) =>
    Object.fromEntries(Object.entries(now).filter(([one]) => one !== key)),
  );
}

/** Change the one decision of that id. */
function decision(at: Stand, id: string, change: Fields): Plant {
  return status(at, `${id} with ${JSON.stringify(change)}`, (now) => ({
    ...now,
    user_decisions: listOf(now["user_decisions"]).map((one) =>
      fieldsOf(one)["decision_id"] === id ? { ...fieldsOf(one), ...change } : one,
    ),
  }));
}

function text(at: Stand, file: string, name: string, change: (text: string) => string): Plant {
  return { at, name: `${file}: ${name}`, plant: ({ edit }) => edit(file, change) };
}

function gone(at: Stand, file: string): Plant {
  return { at, name: `no ${file}`, plant: ({ remove }) => remove(file) };
}

function secretly(plant: Plant): Plant {
  return { ...plant, onlyJournal: true };
}

const LAST = "2026-01-01T00:00:00.000Z";

const STATUS_PLANTS: readonly Plant[] = [
  text("design", "status.json", "cut off", (now) => now.slice(0, -4)),
  text("design", "status.json", "a list", () => "[]\n"),
  gone("design", "status.json"),
  set("design", "current_state", "REVIEWING"),
  set("design", "session", "2020-01-01_another-one"),
  set("design", "assumptions", "none"),
  set("design", "known_issues", [1]),
  set("design", "user_decisions", {}),
  set("design", "last_ci_result", "yellow"),
  set("design", "last_update", "just now"),
  ...[
    "current_state",
    "session",
    "assumptions",
    "user_decisions",
    "retry_counts",
    "known_issues",
    "last_ci_result",
    "last_update",
  ].map((key) => without(key)),
  set("coded", "retry_counts", { "T-001": 1 }),
  set("coded", "retry_counts", { "T-001": { FIX_REVIEW: -1 } }),
  set("coded", "retry_counts", { "T-001": { FIX_REVIEW: "1" } }),
  set("coded", "retry_counts", { "T-001": { FIX_DOCS: 1 } }),
  set("design", "gate_tracking", { APPROVE_DESIGN: { correction_status: "done" } }),
  set("design", "gate_tracking", {
    APPROVE_DESIGN: {
      correction_status: "dispatched",
      last_correction_dispatch: { agent: "Coder", task_id: "meta", at: LAST },
    },
  }),
  set("design", "runtime_flags", { copilot_instructions_exists: "no", copilot_checked_at: LAST }),
  set("coded", "completed_tasks", ["T-001"]),
];

const ASKED = {
  decision_id: "UD-2",
  question: "Which?",
  status: "pending",
  answer: null,
  asked_at: LAST,
  resolved_at: null,
  state_context: "DESIGN",
  resolution_reason: null,
};

function added(at: Stand, change: Fields): Plant {
  return status(at, `another decision with ${JSON.stringify(change)}`, (now) => ({
    ...now,
    user_decisions: [...listOf(now["user_decisions"]), { ...ASKED, ...change }],
  }));
}

const DECISION_PLANTS: readonly Plant[] = [
  decision("asked", "UD-1", { answer: "yes" }),
  decision("asked", "UD-1", { resolved_at: LAST }),
  decision("asked", "UD-1", { resolution_reason: "later" }),
  decision("asked", "UD-1", { status: "done" }),
  decision("asked", "UD-1", { status: "answered", resolved_at: LAST }),
  decision("asked", "UD-1", { status: "answered", resolved_at: LAST, answer: " " }),
  decision("asked", "UD-1", { status: "answered", answer: "yes" }),
  decision("asked", "UD-1", { status: "cancelled", resolved_at: LAST }),
  decision("asked", "UD-1", { status: "skipped", resolution_reason: "moot" }),
  decision("asked", "UD-1", { asked_at: null }),
  decision("asked", "UD-1", { state_context: "REVIEWING" }),
  decision("asked", "UD-1", { decision_id: "UD-ONE" }),
  decision("asked", "UD-1", { decision_id: "UD-4" }),
  added("asked", { decision_id: "UD-1" }),
  set("asked", "user_decisions", []),
  decision("plan", "UD-APPROVE-DESIGN", { answer: "maybe" }),
  decision("plan", "UD-APPROVE-DESIGN", { answer: "approved? not yet" }),
  decision("plan", "UD-APPROVE-DESIGN", { answer: "changes-requested: less" }),
  decision("plan", "UD-APPROVE-DESIGN", { state_context: "DESIGN" }),
  decision("plan", "UD-APPROVE-DESIGN", { status: "pending", answer: null, resolved_at: null }),
  decision("plan", "UD-APPROVE-DESIGN", { status: "cancelled", resolution_reason: "no time" }),
  set("plan", "user_decisions", []),
  added("plan", {
    decision_id: "UD-APPROVE-DESIGN",
    status: "answered",
    answer: "approved",
    resolved_at: LAST,
    state_context: "APPROVE_DESIGN",
  }),
  added("plan", { decision_id: "UD-1" }),
  decision("coded", "UD-REVIEW-STRATEGY", { answer: "final" }),
  decision("loop", "UD-REVIEW-STRATEGY", { status: "pending", answer: null, resolved_at: null }),
  text("changes", "approve-design-history.jsonl", "a line that is none", (now) => `${now}{\n`),
  text("changes", "approve-design-history.jsonl", "a line without its time", (now) =>
    now.replace(/"at":"[^"]*",?/, ""),
  ),
  text("changes", "approve-design-history.jsonl", "other words", (now) =>
    now.replace("more", "less"),
  ),
  gone("changes", "approve-design-history.jsonl"),
  set("changes", "gate_tracking", { APPROVE_DESIGN: { correction_status: "none" } }),
];

const heading = (title: string) => (now: string) => now.replace(`# ${title}\n`, "# Something\n");

function acceptance(name: string, value: unknown): Plant {
  return text("design", "acceptance.json", name, () => `${JSON.stringify(value)}\n`);
}

const ARTIFACT_PLANTS: readonly Plant[] = [
  ...["Goals", "Acceptance Criteria", "Definition of Done"].map((title) =>
    text("design", "spec.md", `no ${title}`, heading(title)),
  ),
  gone("design", "spec.md"),
  gone("design", "acceptance.json"),
  text("design", "acceptance.json", "cut off", (now) => now.slice(0, -5)),
  acceptance("no criteria", { acceptance_criteria: [] }),
  acceptance("another name", { criteria: [{ id: "AC-001", description: "x", verify: ["x"] }] }),
  acceptance("no id", { acceptance_criteria: [{ description: "x", verify: ["x"] }] }),
  acceptance("no description", { acceptance_criteria: [{ id: "AC-001", verify: ["x"] }] }),
  acceptance("no verify", {
    acceptance_criteria: [{ id: "AC-001", description: "x", verification: "look" }],
  }),
  acceptance("an empty command", {
    acceptance_criteria: [{ id: "AC-001", description: "x", verify: ["test -f app.js", "cmd: "] }],
  }),
  text("loop", "tasks.yaml", "an empty command", (now) =>
    now.replace('"cmd: test -f app.js"', '"cmd: "'),
  ),
  ...["Overview", "Modules"].map((title) =>
    text("plan", "architecture.md", `no ${title}`, heading(title)),
  ),
  gone("plan", "architecture.md"),
  gone("loop", "tasks.yaml"),
  text("loop", "tasks.yaml", "no YAML", (now) => now.replace("tasks:", "tasks: [")),
  text("loop", "tasks.yaml", "no tasks", (now) => now.replace(/^tasks:[^]*/m, "tasks: []\n")),
  ...["id", "status", "goal", "acceptance_checks"].map((key) =>
    text("loop", "tasks.yaml", `no ${key}`, (now) =>
      now.replace(new RegExp(`^( *(?:- )?)${key}:`, "m"), `$1not_${key}:`),
    ),
  ),
  text("loop", "tasks.yaml", "a status nobody knows", (now) => now.replace("not-started", "done")),
  secretly(
    text("coded", "tasks.yaml", "completed by hand", (now) =>
      now.replace("implemented", "completed"),
    ),
  ),
  text("loop", "tasks.yaml", "implemented by hand", (now) =>
    now.replace("not-started", "implemented"),
  ),
  text("release", "tasks.yaml", "a task open again", (now) =>
    now.replace("completed", "in-progress"),
  ),
];

const STATE_PLANTS: readonly Plant[] = [
  set("design", "current_state", "PLAN"),
  set("design", "current_state", "RELEASE"),
  set("design", "current_state", "INTAKE"),
  set("design", "current_state", "ASK_USER"),
  set("loop", "current_state", "DONE"),
  set("coded", "current_state", "INTEGRATE"),
  set("release", "current_state", "IMPLEMENT_LOOP"),
  set("blocked", "current_state", "PLAN"),
  secretly(set("blocked", "current_state", "DESIGN")),
  secretly(set("coded", "retry_counts", { "T-001": { FIX_REVIEW: 2 } })),
  secretly(set("loop", "last_ci_result", "green")),
  secretly(decision("plan", "UD-APPROVE-DESIGN", { answer: "approved: all of it" })),
  secretly(decision("asked", "UD-1", { status: "answered", answer: "yes", resolved_at: LAST })),
];

export const PLANTS: readonly Plant[] = [
  ...STATUS_PLANTS,
  ...DECISION_PLANTS,
  ...ARTIFACT_PLANTS,
  ...STATE_PLANTS,
];
