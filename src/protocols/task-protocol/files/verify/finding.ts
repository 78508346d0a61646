import type { VerifyFinding } from "../../../../core/guards/verified.ts";
import type { Problem } from "../../../../files/problem.ts";
import type { TaskLock } from "../task-json.ts";

/** The input of verifying a task, and its possible findings. */

export interface TaskTree {
  /** The folder of all tasks, which is the prefix of the paths in `texts`. */
  readonly root: string;
  /** Every text below `root`, and the task list, by path with forward slashes. */
  readonly texts: ReadonlyMap<string, string>;
  /** Paths that exist as registered worktrees; undefined if that was not checked. */
  readonly worktrees?: ReadonlySet<string>;
  readonly todo?: string;
}

export interface Subject {
  readonly tree: TaskTree;
  readonly id: string;
  readonly dir: string;
  readonly lock: TaskLock | undefined;
}

export type TaskCode =
  | "task-name"
  | "lock-missing"
  | "lock-misplaced"
  | "state-missing"
  | "task-md-missing"
  | "plan-incomplete"
  | "report-missing"
  | "agent-unlisted"
  | "agent-status-phase"
  | "approval-plan-missing"
  | "checkpoint-missing"
  | "approval-change-missing"
  | "approval-outlived"
  | "cleanup-left-over"
  | "audit-missing"
  | "todo-missing"
  | "worktree-missing"
  | "agent-worktree-missing";

/** Every possible finding, with its remedy and rule. */
const FOUND: Readonly<Record<TaskCode, readonly [fix: string, rule: string]>> = {
  "task-name": ["Rename the task.", "TP-053"],
  "lock-missing": [
    "A person decides: clean up, resume, or leave it. holdpoint adopt takes it in.",
    "TP-013",
  ],
  "lock-misplaced": ["Remove it.", "TP-023"],
  "state-missing": ["holdpoint adopt writes it.", "TP-063"],
  "task-md-missing": ["Write it at the root of the task's folder.", "TP-084"],
  "plan-incomplete": ["Complete the plan.", "TP-129"],
  "report-missing": ["Let the agent write it.", "TP-146"],
  "agent-unlisted": ["Add it with a justification.", "TP-211"],
  "agent-status-phase": [
    "It counts for nothing; the agent reports for its present order.",
    "TP-093",
  ],
  "approval-plan-missing": ["Let a person release the plan.", "TP-148"],
  "checkpoint-missing": ["Present the commit.", "TP-177"],
  "approval-change-missing": ["Let a person release the commit.", "TP-179"],
  "approval-outlived": ["Close the checkpoint.", "TP-183"],
  "cleanup-left-over": ["Archive it: holdpoint reconcile.", "TP-202"],
  "audit-missing": ["holdpoint adopt starts one.", "TP-203"],
  "todo-missing": ["Add its entry.", "TP-001"],
  "worktree-missing": [
    "A person decides: holdpoint adopt takes the task in, holdpoint advance <task> worktree-lost asks.",
    "TP-011",
  ],
  "agent-worktree-missing": [
    "holdpoint advance <task> restore-agents makes it again from its branch.",
    "TP-214",
  ],
};

export function finding(file: string, code: TaskCode, message: string): VerifyFinding {
  const [fix, rule] = FOUND[code];
  return { code, file, line: 0, message, fix, rule };
}

export function located(file: string, problems: readonly Problem[]): readonly VerifyFinding[] {
  return problems
    .filter((one) => one.severity === "error")
    .map(({ code, line, message, fix, rule }) => ({ code, file, line, message, fix, rule }));
}
