import { claim, fact, passed } from "../../../core/guards.ts";
import type { Test, Consequence, DispatchSpec, GuardRow } from "../../../core/protocol.ts";
import { IN_WORKTREE } from "./gates.ts";
import { AGENT_WORKTREE, OWN_NAMES, REPORT, TASK_MD, row } from "./rows.ts";
import { remedy, step } from "../../../core/remedy.ts";

/** What is handed to an agent in each state, and what its report must prove. One spec per mode and purpose. */

const SEND: readonly GuardRow[] = [
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

const ACCEPT: readonly GuardRow[] = [
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

function outcome(...names: readonly string[]): Test {
  return claim("outcome", names);
}

/** Two retries, then a person is asked. */
const RETRY: Consequence = {
  do: "within",
  budget: "retries/{unit}",
  max: "retries_max",
  otherwise: [{ do: "ask", question: "retries-exhausted" }],
};
const SUCCEEDED: Consequence = { do: "reset", budget: "retries/{unit}" };

function finding(kind: string, value: string, binds: readonly string[] = []): Consequence {
  return { do: "finding", kind, on: "root", value: { value }, binds };
}

function failures(kind?: string): DispatchSpec["outcomes"] {
  const marked = kind === undefined ? [] : [finding(kind, "ERROR")];
  return { ERROR: [...marked, RETRY], TIMED_OUT: [...marked, RETRY] };
}

function spec(
  rootIn: readonly string[],
  rule: string,
  outcomes: DispatchSpec["outcomes"],
): DispatchSpec {
  return {
    role: "{unit}",
    unit: "agent",
    in: ["ready"],
    rootIn,
    parallel: true,
    guards: SEND,
    accepts: ACCEPT,
    outcomes,
    tries: { budget: "orders/{unit}", max: "orders_max", out: "retries-exhausted" },
    rule,
  };
}

const requirements: DispatchSpec = {
  ...spec(["REQUIREMENTS", "SYNTHESIS"], "TP-091", {
    COMPLETE: [finding("requirements", "COMPLETE", [`digest:${REPORT}`]), SUCCEEDED],
    ...failures("requirements"),
  }),
  accepts: [
    ...ACCEPT,
    {
      ...row("report", {
        code: "report-missing",
        fix: `Write ${REPORT}.`,
        rule: "TP-093",
      }),
      when: [outcome("COMPLETE")],
    },
  ],
};

const implementation: DispatchSpec = {
  ...spec(["IMPLEMENTATION"], "TP-091", {
    COMPLETE: [
      finding("implementation", "COMPLETE"),
      SUCCEEDED,
      {
        do: "effect",
        effect: {
          kind: "merge-ff",
          args: { from: "{id}-{unit}", to: "{id}", scope: "agent", agent: "{unit}" },
          failed: "effect-failed",
        },
      },
    ],
    PARTIAL: [finding("implementation", "PARTIAL")],
    BLOCKED: [
      finding("implementation", "BLOCKED"),
      {
        do: "note",
        note: { list: "blocked", tag: "{unit}", text: "{claim.blocked_by}: {claim.details}" },
      },
    ],
    ...failures("implementation"),
  }),
  guards: [
    ...SEND,
    row("reviewed-first", {
      code: "review-first",
      fix: "An agent added now looks at the task branch first: hand it round-review.",
      rule: "TP-223",
    }),
  ],
  accepts: [
    ...ACCEPT,
    {
      ...row(
        "claim",
        {
          code: "work-remaining",
          fix: "Finish it, or report partial.",
          rule: "TP-161",
        },
        { field: "work_remaining", in: ["none"] },
      ),
      when: [outcome("COMPLETE")],
    },
    {
      ...row(
        "said",
        {
          code: "blocked-by-missing",
          fix: "Say what blocks it in blocked_by and details.",
          rule: "TP-159",
        },
        { field: "blocked_by" },
      ),
      when: [outcome("BLOCKED")],
    },
    {
      ...passed("validate", ["tree:{unit}"]),
      code: "validation-missing",
      fix: "The agent's own tree must pass its checks before it is merged.",
      rule: "TP-155",
      when: [outcome("COMPLETE"), fact("check:validate", [true])],
    },
  ],
};

/** A verdict is bound to the change it was given for: one file of it that reads otherwise asks again. */
function verdict(kind: string, rootIn: readonly string[]): DispatchSpec {
  const work = ["work:{id}"];
  return {
    ...spec(rootIn, "TP-169", {
      APPROVED: [finding(kind, "APPROVED", work), SUCCEEDED],
      REJECTED: [
        finding(kind, "REJECTED", work),
        {
          do: "finding",
          kind: "effort",
          on: "root",
          value: { claim: "effort", or: 1 },
          binds: work,
        },
        SUCCEEDED,
      ],
      MALFORMED: [RETRY],
      ...failures(),
    }),
    guards: [
      ...SEND,
      row(
        "not-judged",
        {
          code: "already-judged",
          fix: step("rework", "A rejection leads back, and another tree is judged anew", "..."),
          rule: "TP-171",
        },
        { kind },
      ),
    ],
    accepts: [
      ...ACCEPT,
      {
        ...row(
          "said",
          { code: "feedback-missing", fix: "A rejection says what is wrong.", rule: "TP-170" },
          { field: "feedback" },
        ),
        when: [outcome("REJECTED")],
      },
    ],
  };
}

const scope: DispatchSpec = {
  ...spec(["SCOPE_NEGOTIATION"], "TP-175", {
    DEFER: [finding("scope", "DEFER"), SUCCEEDED],
    RESOLVE_NOW: [finding("scope", "RESOLVE_NOW"), SUCCEEDED],
    ...failures(),
  }),
  accepts: [
    ...ACCEPT,
    {
      ...row(
        "said",
        {
          code: "deferral-unjustified",
          fix: "Every deferral says why it may wait.",
          rule: "TP-175",
        },
        { field: "justification" },
      ),
      when: [outcome("DEFER")],
    },
    {
      ...row("authority", {
        code: "deferral-authority",
        fix: "An agent defers what is in its own domain; the rest is RESOLVE_NOW.",
        rule: "TP-175",
      }),
      when: [outcome("DEFER")],
    },
  ],
};

function advice(rootIn: readonly string[]): DispatchSpec {
  return spec(rootIn, "TP-091", { DONE: [SUCCEEDED], ...failures() });
}

export const dispatches: Readonly<Record<string, DispatchSpec>> = {
  requirements,
  implementation,
  "round-review": verdict("round", ["IMPLEMENTATION"]),
  clarification: advice(["IMPLEMENTATION"]),
  validation: advice(["VALIDATION"]),
  review: verdict("review", ["REVIEW"]),
  scope,
};
