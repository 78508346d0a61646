import type { RuledNeed } from "../../../core/table/protocol.ts";
import { REPORT, TASK_MD, TASK_WORKTREE, row } from "./rows.ts";
import { remedy, step } from "../../../core/table/remedy.ts";

/**
 * The two scripted gates as rows. Their codes contain the numbers that the scripts print, and the rows are in the
 * order of the scripts' checks.
 */

export const AGENTS_READY: RuledNeed = row("worktrees", {
  code: "worktree-missing",
  fix: step("restore-agents", "Let them be made again from their branches"),
  rule: "TP-049",
});

export const IN_WORKTREE: RuledNeed = row("cwd", {
  code: "wrong-directory",
  fix: `Work in ${TASK_WORKTREE}.`,
  rule: "TP-050",
});

export const SECTIONS: RuledNeed = row("task-md", {
  code: "task-md-incomplete",
  fix: `Write ${TASK_MD} with Task Objective, Scope Definition and Stakeholder Agent Reports.`,
  rule: "TP-085",
});

const REQUIREMENTS_DONE = {
  kind: "requirements",
  in: ["COMPLETE"],
  on: "root",
  each: "agent",
  since: "REQUIREMENTS",
} as const;

/** T4: the nine checks for leaving REQUIREMENTS. */
export const EXIT_CHECKS: readonly RuledNeed[] = [
  row(
    "at",
    { code: "exit-1-state", fix: "Only a task in REQUIREMENTS can leave it.", rule: "TP-115" },
    { state: "REQUIREMENTS" },
  ),
  row("leased", {
    code: "exit-2-owner",
    fix: remedy("lock", { workflow: "{id}" }, "Only the session that owns the task may move it"),
    rule: "TP-116",
  }),
  { ...IN_WORKTREE, code: "exit-3-directory", rule: "TP-117" },
  { ...SECTIONS, code: "exit-4-task-md", rule: "TP-118" },
  row("agents-chosen", {
    code: "exit-5-agents",
    fix: step("reclassify", "Go back to CLASSIFIED and select agents"),
    rule: "TP-119",
  }),
  { ...AGENTS_READY, code: "exit-5-worktrees", rule: "TP-119" },
  row(
    "completed",
    {
      code: "exit-6-incomplete",
      fix: remedy("next", { workflow: "{id}" }, "Hand the missing ones out again"),
      rule: "TP-120",
    },
    REQUIREMENTS_DONE,
  ),
  row("reports", {
    code: "exit-7-reports",
    fix: `Every agent writes ${REPORT.replace("{unit}", "<agent>")}.`,
    rule: "TP-121",
  }),
  row(
    "walked",
    {
      code: "exit-8-log",
      fix: "The log does not show the way here; a person must look at it.",
      rule: "TP-122",
    },
    { states: ["INIT", "CLASSIFIED", "REQUIREMENTS"] },
  ),
  row(
    "no-errors",
    {
      code: "exit-9-errors",
      fix: remedy("next", { workflow: "{id}" }, "Hand it out again"),
      rule: "TP-123",
    },
    { kind: "requirements", since: "REQUIREMENTS" },
  ),
];

/** What a plan must have before a person is asked to release it, and still when work starts. */
export const PLAN_ROWS: readonly RuledNeed[] = [
  row("synthesis", {
    code: "synthesis-incomplete",
    fix: `Document it in ${TASK_MD}: conflicts, architecture, mapping, trade-offs, success criteria.`,
    rule: "TP-126",
  }),
  row("plan", {
    code: "entry-4-plan",
    fix: `The plan in ${TASK_MD} needs its six parts, concrete tests and no open decision.`,
    rule: "TP-147",
  }),
];

/** Agents that joined during planning must be heard before a person is asked about the plan. */
export const HEARD: RuledNeed = row(
  "completed",
  {
    code: "agents-unheard",
    fix: remedy("next", { workflow: "{id}" }, "Hand out requirements to who is missing"),
    rule: "TP-222",
  },
  REQUIREMENTS_DONE,
);

export const PLAN_RELEASED: RuledNeed = row(
  "approved",
  {
    code: "entry-5-approval",
    fix: step("present-plan", "Show the plan; a person answers"),
    rule: "TP-148",
  },
  { question: "plan", since: ["SYNTHESIS"], agents: true },
);

/** T5: the seven guards of IMPLEMENTATION. */
export const ENTRY_GUARDS: readonly RuledNeed[] = [
  row("task-md-exists", {
    code: "entry-1-task-md",
    fix: `CLASSIFIED should have left ${TASK_MD}; write it.`,
    rule: "TP-144",
  }),
  row(
    "task-md",
    {
      code: "entry-2-reports-section",
      fix: `Give ${TASK_MD} the section Stakeholder Agent Reports.`,
      rule: "TP-145",
    },
    { only: ["Stakeholder Agent Reports"] },
  ),
  row(
    "completed",
    {
      code: "entry-3-requirements",
      fix: remedy(
        "next",
        { workflow: "{id}" },
        "Every required agent reports its requirements first",
      ),
      rule: "TP-146",
    },
    REQUIREMENTS_DONE,
  ),
  row("reports", {
    code: "entry-3-reports",
    fix: "REQUIREMENTS should have left a report for every required agent.",
    rule: "TP-146",
  }),
  ...PLAN_ROWS,
  PLAN_RELEASED,
  row(
    "walked",
    {
      code: "entry-6-sequence",
      fix: "Walk the states in order; a person must look at this log.",
      rule: "TP-149",
    },
    { states: ["INIT", "CLASSIFIED", "REQUIREMENTS", "SYNTHESIS"] },
  ),
  row(
    "acknowledged",
    {
      code: "entry-7-acknowledgement",
      fix: remedy(
        "advance",
        { workflow: "{id}", step: "implement", input: { acknowledged: true } },
        "Acknowledge it",
      ),
      rule: "TP-150",
    },
    {},
  ),
];
