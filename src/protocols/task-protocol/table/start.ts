import { fact } from "../../../core/guards/guards.ts";
import type { EffectRow, RuledNeed } from "../../../core/table/protocol.ts";
import { SETTINGS_OF_MAIN, TASK_DIR, TASK_WORKTREE, none, row } from "./rows.ts";
import { remedy } from "../../../core/table/remedy.ts";

/** T1: what must hold before a task may be taken. Everything is checked before anything is written. */
export const START_GUARDS: readonly RuledNeed[] = [
  row(
    "fact",
    {
      code: "git-missing",
      fix: "Run it in a git repository that has files: git init, or a clone that is not bare.",
      rule: "TP-048",
    },
    { fact: "git", in: ["repository"], says: "tasks need a git repository with a working tree" },
  ),
  {
    ...row(
      "known",
      {
        code: "main-missing",
        fix: 'Make the first commit on it, or name the branch in holdpoint.config.json: {"task": {"main": "<branch>"}}.',
        rule: "TP-048",
      },
      { fact: "branch:{main}", says: "there is no branch {main} with a commit to start from" },
    ),
    when: [fact("git", ["repository"])],
  },
  none("linked:{id}", "tasks are taken in the main worktree, and this is another one", {
    code: "linked-worktree",
    fix: "Run it in the first directory that git worktree list names.",
    rule: "TP-048",
  }),
  row("branch-free", {
    code: "branch-taken",
    fix: "Rename it (git branch -m {id} <new name>), or give the task another name.",
    rule: "TP-029",
  }),
  row("task-name", {
    code: "task-name",
    fix: "Use lower-case words joined by single hyphens, such as add-parser.",
    rule: "TP-053",
  }),
  row("session", {
    code: "session-invalid",
    fix: "Give a session id of your own: HOLDPOINT_SESSION.",
    rule: "TP-027",
  }),
  row("one-task", {
    code: "session-busy",
    fix: "Lead it to its end with the step that is left (advance), or abandon it: one task at a time.",
    rule: "TP-021",
  }),
  row("todo-entry", {
    code: "todo-entry",
    fix: "Give {todo} an entry `{id}` with Purpose, Scope and Components.",
    rule: "TP-001",
  }),
  row("startable", {
    code: "task-blocked",
    fix: remedy("next", {}, "Take a READY entry"),
    rule: "TP-019",
  }),
  row("feasible", {
    code: "not-feasible",
    fix: remedy(
      "start",
      { workflow: "{id}", protocol: "task-protocol", options: { feasibility: "yes" } },
      "Say that its deliverables are clear, nothing outside blocks it and it can be done, or take another task",
    ),
    rule: "TP-002",
  }),
  row("alternative", {
    code: "select-alternative",
    fix: remedy(
      "adopt",
      { workflow: "{id}" },
      "Take another task; if nobody works on it, a person takes it in",
    ),
    rule: "TP-012",
  }),
  {
    ...row("no-orphan", {
      code: "crashed-session",
      fix: "A person decides what becomes of it.",
      rule: "TP-013",
    }),
    ask: "crashed-session",
  },
  row(
    "fact",
    {
      code: "main-dirty",
      fix: "Commit or stash the changes in the main working tree first.",
      rule: "TP-053",
    },
    { fact: "main:clean", in: [true], says: "the main working tree has uncommitted changes" },
  ),
  { ...SETTINGS_OF_MAIN, when: [fact("git", ["repository"])] },
];

export const START_EFFECTS: readonly EffectRow[] = [
  {
    kind: "worktree",
    args: { scope: "task", path: TASK_WORKTREE, branch: "{id}", base: "{main}", dir: TASK_DIR },
    failed: "start-failed",
  },
];

/** The same worktree, after a person has decided what happens to the existing one. */
export function worktreeOf(mode: "fresh" | "adopt"): EffectRow {
  const args = { scope: "task", path: TASK_WORKTREE, branch: "{id}", base: "{main}" };
  return { kind: "worktree", args: { ...args, dir: TASK_DIR, mode }, failed: "start-failed" };
}
