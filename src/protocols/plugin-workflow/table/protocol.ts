import type { Protocol } from "../../../core/table/protocol.ts";
import { work } from "./dispatches.ts";
import { guards } from "./guards.ts";
import { phase, plugin } from "./moves.ts";
import { questions } from "./questions.ts";

/*
 * The plugin workflow: one plugin from idea to installed product.
 *
 *   ideated ──drafted──▶ s0 ──▶ s2 ──▶ s3 ──▶ s4 ──▶ s5 ──▶ working ──▶ installed
 *   (idea)   (draft)   plan   found-  audio    UI   valid-    │  ▲          │  ▲
 *                             ation  engine         ation     ▼  │          ▼  │
 *                                    3.1..3.n 4.1..4.n        improving (detour, back to where it came from)
 *
 * A root state names what is *finished*; s5 alone is running (validation has no agent). Between two
 * states stand a dispatch to an agent, the check of its report, one commit, and a question to a person.
 * Phases are units of their own, sown from plan.md when stage 0 ends; when the last one of a stage is
 * done the root rolls up in the same record.
 */

export const pluginWorkflow: Protocol = {
  name: "plugin-workflow",
  version: 1,
  title: "Plugin workflow",
  root: "plugin",
  kinds: { plugin, phase },
  questions,
  work,
  guards,
  effects: ["shelve"],
  vars: {
    type: "Audio Effect",
    brief: "",
    version: "-",
    complexity_score: null,
    phased_implementation: null,
    gui_type: null,
    paused: null,
    express: false,
    auto_phase: false,
    handoff: false,
    artifacts: [],
    mockup: "",
    idle: false,
    rewritten: false,
    // Whether the plugin has a full entry in the registry. If the registry is only a table, the entry is in
    // NOTES.md.
    entry: true,
  },
  open: {
    gui_type: { values: ["headless", "webview"], by: ["person"], rule: "PW-272" },
    express: { values: [true, false], by: ["person"], rule: "PW-312" },
    auto_phase: { values: [true, false], by: ["person"], rule: "PW-218" },
  },
  looks: [
    "digest",
    "changed",
    "git",
    "drift",
    "handoff",
    "registry",
    "plan",
    "planned",
    "phases",
    "check",
    "tree",
    "mockup",
    "mockup-path",
    "mockups",
    "mockup-handoff",
    "menu",
    "built",
    "artifacts",
    "backup",
    "improvement",
    "changelog",
    "around",
    "worktree",
    "branch",
    "main-worktree",
    "dirty",
    "later",
  ],
  lease: "dispatch",
  rules: {
    "sealed-artifact": "PW-313",
    "work-outside": "PW-222",
    "workflow-exists": "PW-034",
    "workflow-unknown": "PW-251",
    "dispatch-unknown": "PW-102",
    "dispatch-open": "PW-102",
    "report-stale": "PW-102",
    "report-contradicts": "PW-102",
    "agent-mismatch": "PW-063",
    "already-answered": "PW-242",
    "answer-stale": "PW-242",
    "other-needs-text": "PW-237",
    "effect-pending": "PW-204",
    "effect-settled": "PW-208",
    "lease-held": "PW-101",
    "fence-stale": "PW-101",
    "artifact-unknown": "PW-059",
    "commit-rejected": "PW-203",
    "state-mismatch": "PW-182",
    "nothing-to-do": "PW-176",
    "report-unreadable": "PW-073",
    "report-too-large": "PW-074",
    "report-required": "PW-297",
    "nothing-pending": "PW-204",
    "nothing-to-answer": "PW-242",
    "nobody-at-work": "PW-222",
  },
};
