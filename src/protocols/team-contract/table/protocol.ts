import type {
  Consequence,
  Work,
  RuledNeed,
  Machine,
  Protocol,
  Counted,
} from "../../../core/table/protocol.ts";
import { building } from "./dispatches/build.ts";
import { making } from "./dispatches/make.ts";
import { guards } from "./guards/guards.ts";
import { aside } from "./moves/aside.ts";
import { line } from "./moves/line.ts";
import { questions } from "./questions/questions.ts";
import { LEAN } from "./rows.ts";
import { task } from "./task.ts";
import { STATES } from "../files/names.ts";

/*
 * The team contract: one request, delivered by twelve agents as one session.
 *
 *   full   INTAKE ─▶ DESIGN ─▶ APPROVE_DESIGN ─▶ PLAN ─▶ REVIEW_STRATEGY ─┐
 *                                 │  ▲   ▲         │          ▲           │
 *                                 └──┘   └─────────┘          │           ▼
 *   lean   INTAKE_LEAN ───────────────────────────────────────┼──▶ IMPLEMENT_LOOP ─▶ INTEGRATE ─▶ RELEASE ─▶ DONE
 *            ▲                                                └────── │ ▲  │            │ ▲          │        │
 *            │                                     (full again) ◀─────┘ │  ▼            ▼ │          │        │
 *            │                                                 FIX_REVIEW, _TESTS,   FIX_BUILD ◀─────┘        │
 *            └───────────────── reopen ───────────────── _SECURITY ─────────────────────────────────────────┘
 *
 *   ASK_USER is a detour from every working state and comes back by itself; BLOCKED is one from every
 *   state but DONE, and only a person leads back. Each FIX loop may be entered three times per task,
 *   then a person is asked.
 *
 * The gates are states of their own: entering one asks its question. Tasks are units (task.ts), sown from
 * tasks.yaml when the plan is done. What a checker says is a finding bound to the contents it looked at,
 * so a later change makes it stale; promotion asks for fresh ones.
 */

/** What must hold before a session may start, in either mode. */
const START: readonly RuledNeed[] = [
  {
    guard: "session-name",
    code: "name-illegal",
    fix: "Name it YYYY-MM-DD_<two to four words>, such as 2026-02-17_add-dark-mode.",
    rule: "TC-023",
  },
  {
    guard: "var",
    args: { name: "project_type", in: ["web", "api", "cli", "lib", "mixed"] },
    code: "project-type-unknown",
    fix: "Use web, api, cli, lib or mixed.",
    rule: "TC-013",
  },
  {
    guard: "var",
    args: { name: "mode", in: ["full", "lean"] },
    code: "mode-unknown",
    fix: "Use full or lean.",
    rule: "TC-141",
  },
  {
    guard: "lean-criteria",
    when: [LEAN],
    code: "lean-not-allowed",
    fix: "Start it in full mode.",
    rule: "TC-141",
  },
];

const session: Machine = {
  states: STATES,
  start: "INTAKE",
  starts: [
    { id: "start", to: "INTAKE_LEAN", when: [LEAN], needs: START, rule: "TC-141" },
    { id: "start", needs: START, rule: "TC-023" },
  ],
  ends: ["DONE"],
  moves: [...line, ...aside],
  gates: { APPROVE_DESIGN: "approve-design", REVIEW_STRATEGY: "review-strategy" },
};

/** Checks before each dispatch whether the project has instructions of its own. */
function looking(spec: Work): Work {
  const copilot: Consequence = { set: { copilot: { fact: "copilot:{id}" } } };
  return {
    ...spec,
    within: ORDERS,
    sent: [...(spec.sent ?? []), copilot],
  };
}

/** Work may be sent out again while it does not pass; a person is asked before that goes on forever. */
const ORDERS: Counted = { budget: "orders/{unit}", times: 40, else: "orders-exhausted" };

export const teamContract: Protocol = {
  name: "team-contract",
  version: 1,
  title: "Team contract",
  root: "session",
  kinds: { session, task },
  questions,
  work: Object.fromEntries(
    Object.entries({ ...making, ...building }).map(([name, spec]) => [name, looking(spec)]),
  ),
  guards,
  effects: ["archive"],
  vars: {
    mode: "full",
    goal: "",
    constraints: [],
    project_type: "mixed",
    lean: null,
    ui: false,
    research: false,
    research_question: "",
    strategy: null,
    correction: "none",
    correction_note: "",
    changes: "",
    design_summary: "",
    plan_summary: "",
    recommended: "",
    repair: null,
    task: null,
    // The code when the loop was left, and the criteria when the work began.
    checked: null,
    criteria: null,
    failure: "",
    feedback: [],
    tried: "",
    blocker: null,
    blocker_detail: null,
    base: null,
    copilot: null,
    used: [],
    // Keys of an older status.json whose content was moved to tasks.yaml.
    retired: [],
  },
  open: {
    // These can only be switched on; a person waives the agent instead of switching it off.
    ui: { values: [true], by: ["agent", "engine", "person"], rule: "TC-152" },
    research: { values: [true], by: ["agent", "engine", "person"], rule: "TC-152" },
  },
  looks: [
    "digest",
    "content",
    "remarks",
    "failed",
    "red",
    "code",
    "context",
    "tasks",
    "plan",
    "design",
    "designs",
    "research",
    "worktree",
    "sessions",
    "changes",
    "decision",
    "acceptance",
    "entry",
    "copilot",
  ],
  lease: "workflow",
  rules: { "nobody-at-work": "TC-167", "reading-first": "TC-034" },
  signs: {
    check: ["engine"],
    checks: ["engine"],
    ci: ["engine"],
    copilot: ["engine"],
    attest: ["person"],
  },
};
