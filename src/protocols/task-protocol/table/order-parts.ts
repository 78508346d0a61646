import { claim } from "../../../core/guards/guards.ts";
import type { Test, Consequence, Work, RuledNeed } from "../../../core/table/protocol.ts";
import { IN_WORKTREE } from "./gates.ts";
import { AGENT_WORKTREE, OWN_NAMES, TASK_MD, row } from "./rows.ts";
import { remedy, step } from "../../../core/table/remedy.ts";

/** Shared by all orders of this family: when one may be sent, and what any report must show. */

export const SEND: readonly RuledNeed[] = [
  row("idle", {
    code: "held",
    fix: remedy("next", { workflow: "{id}" }, "See what is open"),
    rule: "TP-057",
  }),
  row("task-md-exists", {
    code: "task-md-missing",
    fix: `Write ${TASK_MD} before any agent starts.`,
    rule: "TP-083",
  }),
  { ...IN_WORKTREE, rule: "TP-088" },
  row(
    "known",
    {
      code: "worktree-missing",
      fix: step("restore-agents", "Let it be made again from its branch"),
      rule: "TP-049",
    },
    { fact: "worktree:{unit}", says: `${AGENT_WORKTREE} does not exist` },
  ),
];

export const ACCEPT: readonly RuledNeed[] = [
  OWN_NAMES,
  row("current", {
    code: "report-outdated",
    fix: "Report for the round that was handed out.",
    rule: "TP-093",
  }),
  {
    ...row("overdue", {
      code: "not-overdue",
      fix: "Wait for it: it is still within its time.",
      rule: "TP-099",
    }),
    when: [outcome("TIMED_OUT")],
  },
  {
    ...row(
      "said",
      {
        code: "error-message-missing",
        fix: "Say what went wrong in error_message.",
        rule: "TP-098",
      },
      { field: "error_message" },
    ),
    when: [outcome("ERROR")],
  },
];

export function outcome(...names: readonly string[]): Test {
  return claim("outcome", names);
}

/** After two retries a person is asked. */
export const RETRY: Consequence = {
  within: {
    budget: "retries/{unit}",
    called: "retries of {1}",
    times: "retries_max",
    else: [{ ask: "retries-exhausted" }],
  },
};
export const SUCCEEDED: Consequence = { reset: "retries/{unit}" };

export function finding(kind: string, value: string, binds: readonly string[] = []): Consequence {
  return { finding: kind, on: "root", value: { value }, binds };
}

export function failures(kind?: string): Work["outcomes"] {
  const marked = kind === undefined ? [] : [finding(kind, "ERROR")];
  return { ERROR: [...marked, RETRY], TIMED_OUT: [...marked, RETRY] };
}

export function spec(rootIn: readonly string[], rule: string, outcomes: Work["outcomes"]): Work {
  return {
    role: "{unit}",
    unit: "agent",
    in: ["ready"],
    rootIn,
    parallel: true,
    needs: SEND,
    accepts: ACCEPT,
    outcomes,
    within: { budget: "orders/{unit}", times: "orders_max", else: "retries-exhausted" },
    rule,
  };
}
