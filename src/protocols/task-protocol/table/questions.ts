import { input } from "../../../core/guards/guards.ts";
import type { Consequence, Option, Question } from "../../../core/table/protocol.ts";
import { AGENT_WORKTREE, TASK_DIR, TASK_WORKTREE } from "./rows.ts";
import { worktreeOf } from "./start.ts";
import { remedy } from "../../../core/table/remedy.ts";

/**
 * Every question that a person may be asked. The normal way has only the two releases. The others are for
 * decisions that no program may make.
 */
export const questions: Readonly<Record<string, Question>> = {
  plan: {
    prompt: "Release the plan of {id} ({risk_level})? The whole plan is in its task.md.",
    options: [
      { id: "approve", label: "Release this plan", words: ["approved", "proceed"], does: [] },
      {
        id: "revise",
        label: "Change it first",
        words: ["feedback", "changes"],
        why: true,
        does: [note("feedback", "plan")],
      },
      {
        id: "unclear",
        label: "The requirements are not clear: gather again",
        why: true,
        does: [{ move: "clarify" }],
      },
      abandon(),
    ],
    binds: ["plan-digest:{id}"],
    other: false,
    explicit: true,
    rule: "TP-132",
  },
  change: {
    prompt: "Release this commit of {id} for the merge?",
    options: [
      { id: "approve", label: "Release this commit", words: ["approved"], does: [] },
      {
        id: "changes",
        label: "Change something first",
        words: ["request-changes", "rejected"],
        why: true,
        does: [{ move: "rework" }],
      },
      abandon(),
    ],
    binds: ["head:{id}", "patch:{id}"],
    other: false,
    explicit: true,
    rule: "TP-179",
  },
  "no-work": {
    prompt: "{unit} says that its part of {id} is done: {about.message}. Is there nothing to do?",
    options: [
      { id: "agree", label: "There is nothing to do for it", does: [], report: "taken" },
      { id: "again", label: "Hand it out again", does: [], report: "returned" },
      abandon(),
    ],
    binds: ["tree:{unit}", "work:{id}"],
    other: false,
    explicit: true,
    rule: "TP-161",
  },
  "crashed-session": {
    prompt: `${TASK_WORKTREE} exists, but ${TASK_DIR}/task.json does not: a session of {id} may have crashed. What now?`,
    options: [
      {
        id: "fresh",
        label: "Save what is there, clean up and start afresh",
        does: [{ effect: worktreeOf("fresh") }],
      },
      {
        id: "resume",
        label: "Resume in the existing worktree",
        does: [{ effect: worktreeOf("adopt") }],
      },
      {
        id: "different",
        label: "Choose a different task",
        does: [{ move: "leave" }],
      },
    ],
    other: false,
    explicit: true,
    rule: "TP-016",
  },
  "worktree-lost": {
    prompt: `This session owns {id}, but ${TASK_WORKTREE} is gone. What now?`,
    options: [
      {
        id: "recreate",
        label: "Make it again from its branch",
        does: [{ effect: worktreeOf("adopt") }],
      },
      abandon(),
    ],
    by: ["agent", "person", "engine"],
    needs: [
      {
        guard: "fact",
        args: { fact: "worktree:.", in: [null], says: "the worktree is there" },
        code: "worktree-present",
        fix: remedy("next", { workflow: "{id}" }, "Go on"),
        rule: "TP-011",
      },
    ],
    other: false,
    explicit: true,
    rule: "TP-011",
  },
  stop: {
    prompt: "{id} cannot go on by itself ({about.reason}): {about.evidence}",
    options: [{ id: "resume", label: "Go on", words: ["continue"], does: [] }, abandon()],
    by: ["agent", "person"],
    needs: [
      {
        ...input("reason", ["technical_blocker", "user_ambiguity", "scope_changed_externally"]),
        code: "stop-reason",
        fix: "Only a technical blocker, an ambiguity for the user or a scope changed from outside stops a task.",
        rule: "TP-005",
      },
      {
        guard: "scope-changed",
        code: "scope-unchanged",
        fix: "The entry in {todo} is as it was; name another reason.",
        rule: "TP-007",
      },
      {
        ...input("evidence"),
        code: "stop-evidence",
        fix: "Say what shows it.",
        rule: "TP-006",
      },
    ],
    other: false,
    explicit: true,
    rule: "TP-006",
  },
  "retries-exhausted": {
    prompt: "{unit} has used up its retries on {id}: {claim.error_message}",
    options: [
      {
        id: "again",
        label: "Let it try again",
        does: [{ reset: "retries/{unit}" }, { reset: "orders/{unit}" }],
      },
      {
        id: "reclassify",
        label: "Go back to CLASSIFIED",
        why: true,
        does: [{ reset: "retries/{unit}" }, { move: "reclassify" }],
      },
      abandon(),
    ],
    other: false,
    explicit: true,
    rule: "TP-106",
  },
  "rounds-exhausted": {
    prompt: "{id} has gone back too often. Go on?",
    options: [
      {
        id: "again",
        label: "Allow more rounds",
        does: [{ reset: "rounds" }, { reset: "selections" }],
      },
      abandon(),
    ],
    other: false,
    explicit: true,
    rule: "TP-216",
  },
  "start-failed": {
    prompt: "The worktree of {id} could not be made.",
    options: [
      {
        id: "roll-back",
        label: "Undo what was made and let the task go",
        does: [{ move: "roll-back" }],
      },
      {
        id: "retry",
        label: "Try again",
        does: [{ effect: worktreeOf("adopt") }],
      },
    ],
    grant: ["retry_effects"],
    other: false,
    rule: "TP-029",
  },
  "effect-failed": {
    prompt: "A step of {id} could not be done. Try again?",
    options: [{ id: "retry", label: "Try again", does: [] }, abandon()],
    grant: ["retry_effects"],
    other: false,
    rule: "TP-191",
  },
  "agent-failed": {
    prompt: "The worktree of {unit} could not be made.",
    options: [
      { id: "drop", label: "Do not add it", does: [{ move: "drop", on: "unit" }] },
      {
        id: "retry",
        label: "Try again",
        does: [
          {
            effect: {
              kind: "worktree",
              args: { scope: "agent", path: AGENT_WORKTREE, branch: "{id}-{unit}", base: "{id}" },
              failed: "agent-failed",
            },
          },
        ],
      },
    ],
    grant: ["retry_effects"],
    other: false,
    rule: "TP-219",
  },
};

function abandon(): Option {
  return {
    id: "abandon",
    label: "Abandon the task",
    why: true,
    does: [{ move: "abandon" }],
  };
}

function note(list: string, tag: string): Consequence {
  return { note: { list, tag, text: "{input.reason}" } };
}
