import type { Protocol } from "../../../core/table/protocol.ts";
import { agent } from "./agent.ts";
import { work } from "./dispatches.ts";
import { guards } from "./guards/guards.ts";
import { backward } from "./moves/back.ts";
import { forward } from "./moves/moves.ts";
import { logged } from "./log.ts";
import { questions } from "./questions.ts";
import { FINAL, STATES } from "./states.ts";
import { START_EFFECTS, START_GUARDS } from "./start.ts";
import { OPEN_VARS, VARS } from "./vars.ts";

/*
 * The task protocol: one entry of the task list, from the lease to the merged and tidied change.
 *
 *        T1          T2             T3               T4             T5 (plan released)
 *   start ──▶ INIT ──────▶ CLASSIFIED ──────▶ REQUIREMENTS ──────▶ SYNTHESIS ──────▶ IMPLEMENTATION
 *                               ▲  └select┘ B1 │  ▲   ▲      B9 │   │ ▲ ▲ └present-plan┘   │  ▲ ▲ ▲
 *                               └──────────────┘  │   └──────────┘   │ │ │        B2        │  │ │ │
 *                                                 │ B8               │ │ └──────────────────┤  │ │ │
 *                          ┌──────────────────────┴───────┐          │ │        B3        T6│  │ │ │
 *                          │                              │          │ └──────────────┐     ▼  │B4 │
 *                          │                              └──────────┼──────────── VALIDATION ─┘ │ │
 *                          │                         B6, S2          │                  │T7      │ │
 *                          └───────────────────────────────┬─────────┼─────────────▶ REVIEW ──B5─┘ │
 *                                                          │         │K1          S1 │  │T8         │
 *                                            SCOPE_NEGOTIATION ◀─────┼───────────────┘  ▼           │
 *                                                          └─S3──────┴─▶ AWAITING_USER_APPROVAL ─B7─┘
 *                                                                       │T9 (commit released)
 *                                                                       ▼
 *        CLEANUP ◀──────────────────────────T10───────────────────── COMPLETE
 *           ▲ abandon: a person, from anywhere; roll-back: INIT whose worktree could not be made
 *
 * `select` and `present-plan` are steps inside a state: they leave it where it is and no log shows them.
 * Required agents are units of their own, each with a worktree; what they vouch for are findings on the
 * root, signed with the agent's name and bound to a digest, a tree or a commit. Who owns the task is the
 * lease: taken by the start, broken by a person only, given back when CLEANUP has nothing left to do.
 */

export const taskProtocol: Protocol = {
  name: "task-protocol",
  version: 1,
  title: "Task protocol",
  root: "task",
  kinds: {
    task: {
      states: STATES,
      start: "INIT",
      starts: [
        {
          id: "start",
          from: [FINAL],
          needs: START_GUARDS,
          effects: START_EFFECTS,
          rule: "TP-053",
        },
      ],
      ends: [FINAL],
      moves: logged([...forward, ...backward]),
      gates: { AWAITING_USER_APPROVAL: "change" },
    },
    agent,
  },
  questions,
  work,
  guards,
  effects: ["worktree", "worktree-remove", "merge-ff", "push", "squash", "archive"],
  vars: VARS,
  open: OPEN_VARS,
  looks: [
    "agent-status",
    "agents",
    "archived",
    "branch",
    "brings",
    "check",
    "classification",
    "clean",
    "commits",
    "config",
    "cwd",
    "dependants",
    "deferred",
    "deviations",
    "digest",
    "ff",
    "foreign",
    "git",
    "head",
    "linked",
    "lost",
    "main",
    "main-lock",
    "merged",
    "next-task",
    "other-settings",
    "parts",
    "on-main",
    "own-source",
    "late-source",
    "fixes",
    "patch",
    "plan",
    "plan-digest",
    "remote",
    "report",
    "safety",
    "selection",
    "session-tasks",
    "source-changed",
    "synthesis",
    "task-dir",
    "task-md",
    "todo",
    "tree",
    "undelivered",
    "work",
    "worktree",
  ],
  lease: "owner",
  rules: {
    "lease-missing": "TP-052",
    "git-branch-forced": "TP-193",
    "git-push-forced": "TP-193",
    "git-ref-moved": "TP-193",
    "git-foreign": "TP-035",
    "git-main-verb": "TP-046",
    "main-lock-missing": "TP-037",
    "main-branch": "TP-045",
    internal_error: "TP-226",
  },
  signs: { docs: ["engine", "agent"] },
};
