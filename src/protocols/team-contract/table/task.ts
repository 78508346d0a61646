import { is, variable } from "../../../core/guards/guards.ts";
import type { RuledNeed, Machine, Move, Test } from "../../../core/table/protocol.ts";
import { TASK_STATUSES } from "../files/names.ts";

/*
 *   not-started ──start──▶ in-progress ──implement──▶ implemented ──promote──▶ completed
 *                              ▲                          │  ▲                     │
 *                              └───────take-up────────────┘  └──────reopen─────────┘
 *   any of the first three ──block──▶ blocked ──unblock──▶ where it was
 *
 * Only the Coder starts and implements, only the engine completes, anybody may block.
 */

const checked: RuledNeed = {
  guard: "checked",
  code: "check-missing",
  fix: "Run the missing check on what is there now.",
  rule: "TC-125",
};

const green: RuledNeed = {
  guard: "task-green",
  code: "task-red",
  fix: "Repair what is red; Holdpoint runs the task's own commands itself.",
  rule: "TC-125",
};

/** Every checker has passed the task, but its own commands fail. It is repaired like any failing test. */
function red(about: Test): Move {
  return {
    id: "red",
    from: ["implemented"],
    to: "implemented",
    inside: true,
    auto: true,
    when: [variable("repair", [null]), about],
    needs: [{ ...green, guard: "task-red" }],
    set: {
      repair: { value: "FIX_TESTS" },
      failure: { fact: "red:{id}", at: "failure" },
      feedback: { fact: "red:{id}", at: "feedback" },
    },
    rule: "TC-125",
  };
}

export const task: Machine = {
  states: TASK_STATUSES,
  start: "not-started",
  ends: ["completed"],
  moves: [
    {
      id: "start",
      from: ["not-started"],
      to: "in-progress",
      by: ["role:Coder"],
      needs: [
        {
          guard: "ready",
          code: "dependency-open",
          fix: "Tasks are done in the order of their dependencies.",
          rule: "TC-129",
        },
      ],
      label: "start the task",
      rule: "TC-123",
    },
    {
      // Giving a task to the Coder starts it, or opens it again for a repair.
      id: "take-up",
      from: ["not-started", "in-progress", "implemented"],
      to: "in-progress",
      by: [],
      rule: "TC-123",
    },
    {
      // Only follows from a report: the Coder's claim is compared with what was done.
      id: "implement",
      from: ["in-progress"],
      to: "implemented",
      by: [],
      rule: "TC-123",
    },
    {
      id: "promote",
      from: ["implemented"],
      to: "completed",
      auto: true,
      needs: [checked, green],
      rule: "TC-125",
    },
    {
      id: "promote",
      from: ["implemented"],
      to: "completed",
      by: ["engine", "role:Orchestrator"],
      needs: [checked, green],
      label: "promote the task",
      rule: "TC-124",
    },
    red(is("{unit}", ["{task}"])),
    red(variable("task", ["meta"])),
    {
      id: "reopen",
      from: ["completed"],
      to: "implemented",
      by: ["engine", "role:Orchestrator", "person"],
      why: true,
      needs: [
        {
          guard: "in-loop",
          code: "loop-left",
          fix: "Tasks are checked in IMPLEMENT_LOOP: mend what is red, or let a person reopen the session.",
          rule: "TC-124",
        },
      ],
      label: "take the promotion back",
      rule: "TC-124",
    },
    {
      id: "block",
      from: ["not-started", "in-progress", "implemented"],
      to: "blocked",
      detour: true,
      why: true,
      whileHeld: true,
      whileOut: true,
      label: "mark the task as blocked",
      rule: "TC-126",
    },
    {
      id: "unblock",
      from: ["blocked"],
      to: "@back",
      by: ["engine", "role:Orchestrator", "person"],
      label: "the task can go on",
      rule: "TC-127",
    },
  ],
};
