import { passed } from "../../../core/guards/guards.ts";
import type { Work } from "../../../core/table/protocol.ts";
import { ACCEPT, RETRY, SEND, SUCCEEDED, failures, finding, outcome, spec } from "./order-parts.ts";
import { AGENT_WORKTREE, REPORT, none, row } from "./rows.ts";
import { step } from "../../../core/table/remedy.ts";

/** The work for agents in each state, and what a report must prove. One spec for each mode and purpose. */

const requirements: Work = {
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
    {
      ...row(
        "kept",
        {
          code: "source-written",
          fix: `Take it out of ${AGENT_WORKTREE}: requirements are written before anything else is.`,
          rule: "TP-092",
        },
        { paths: [] },
      ),
      when: [outcome("COMPLETE")],
    },
  ],
};

const implementation: Work = {
  ...spec(["IMPLEMENTATION"], "TP-091", {
    COMPLETE: [
      finding("implementation", "COMPLETE"),
      SUCCEEDED,
      {
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
      { note: { list: "blocked", tag: "{unit}", text: "{claim.blocked_by}: {claim.details}" } },
    ],
    ...failures("implementation"),
  }),
  needs: [
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
      ...none("clean:{unit}", "what is not committed would not be merged", {
        code: "work-uncommitted",
        fix: `Commit it in ${AGENT_WORKTREE}, or take it out; a rule that ignores it counts once it is committed.`,
        rule: "TP-155",
      }),
      when: [outcome("COMPLETE")],
    },
    {
      ...row("agent-branch", {
        code: "worktree-off-branch",
        fix: `Bring it back: git -C ${AGENT_WORKTREE} switch {id}-{unit}. Where that changes nothing, {id}-{unit} is only another name for that branch: git update-ref --no-deref refs/heads/{id}-{unit} <its own commit>.`,
        rule: "TP-155",
      }),
      when: [outcome("COMPLETE")],
    },
    {
      ...row("brought", {
        code: "work-missing",
        fix: `Do it, and commit it in ${AGENT_WORKTREE}.`,
        rule: "TP-161",
      }),
      when: [outcome("COMPLETE")],
      ask: "no-work",
    },
    {
      ...passed("validate", ["tree:{unit}", "clean:{unit}"]),
      code: "validation-missing",
      fix: "The agent's own tree must pass its checks before it is merged.",
      rule: "TP-155",
      when: [outcome("COMPLETE")],
    },
  ],
};

/** A verdict is bound to the change it was given for: if one of its files changes, it must be given again. */
function verdict(kind: string, rootIn: readonly string[]): Work {
  const work = ["work:{id}"];
  return {
    ...spec(rootIn, "TP-169", {
      APPROVED: [finding(kind, "APPROVED", work), SUCCEEDED],
      REJECTED: [
        finding(kind, "REJECTED", work),
        { finding: "effort", on: "root", value: { claim: "effort", or: 1 }, binds: work },
        SUCCEEDED,
      ],
      MALFORMED: [RETRY],
      ...failures(),
    }),
    judges: "workflow",
    // A judge must judge what existed when it was asked, and must change nothing.
    baseline: ["work:{id}", "clean:{id}"],
    needs: [
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
      {
        ...row("as-handed-out", {
          code: "judged-other",
          fix: step("cancel", "Take the order back and hand out what is there now", "..."),
          rule: "TP-169",
        }),
        when: [outcome("APPROVED", "REJECTED")],
      },
      {
        ...row("judge-idle", { code: "judge-changed", fix: "Leave it as it is.", rule: "TP-169" }),
        soft: true,
      },
      {
        ...row(
          "kept",
          { code: "judge-changed", fix: "Leave it as it is.", rule: "TP-169" },
          { paths: [] },
        ),
        soft: true,
      },
    ],
  };
}

const scope: Work = {
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

function advice(rootIn: readonly string[]): Work {
  return spec(rootIn, "TP-091", { DONE: [SUCCEEDED], ...failures() });
}

export const work: Readonly<Record<string, Work>> = {
  requirements,
  implementation,
  "round-review": verdict("round", ["IMPLEMENTATION"]),
  clarification: advice(["IMPLEMENTATION"]),
  validation: advice(["VALIDATION"]),
  review: verdict("review", ["REVIEW"]),
  scope,
};
