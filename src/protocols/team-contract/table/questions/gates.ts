import type { Consequence, Option, Question } from "../../../../core/table/protocol.ts";
import { DESIGN } from "../rows.ts";
import { APPROVED_STARTS, CHANGES_START, STRATEGY_WORDS } from "../../files/answers.ts";

/** The two mandatory questions. They end only with a valid answer, a deferral, or three invalid answers. */

const MISSING: readonly Consequence[] = [
  {
    set: {
      blocker: { value: "mandatory_user_decision_missing" },
      blocker_detail: { value: "A mandatory decision was not given" },
    },
  },
  { move: "stop" },
];

export function defer(does: readonly Consequence[]): Option {
  return {
    id: "defer",
    label: "Not now",
    words: ["cancel", "later"],
    why: true,
    leaves: "cancelled",
    does,
  };
}

function gate(
  row: Pick<Question, "prompt" | "id" | "options" | "binds" | "via" | "needs" | "rule">,
): Question {
  return {
    ...row,
    other: false,
    explicit: true,
    within: {
      budget: `reask/${row.id ?? ""}/{lease}`,
      called: `answers to ${row.id ?? ""} that said neither`,
      times: 3,
      else: MISSING,
    },
  };
}

export const gates: Readonly<Record<string, Question>> = {
  "approve-design": gate({
    id: "UD-APPROVE-DESIGN",
    via: "reapprove",
    prompt:
      'Is the design approved? {design_summary} {correction_note} Answer "approved", or "changes-requested: <what>".',
    binds: DESIGN,
    // While a correction is due or under way, there is nothing new to approve.
    needs: [
      {
        guard: "var",
        args: { name: "correction", in: ["none", "completed"] },
        code: "correction-due",
        fix: "Hand the correction out.",
        rule: "TC-095",
      },
    ],
    options: [
      {
        id: "approved",
        label: "approved",
        words: APPROVED_STARTS.map((start) => `${start}*`),
        does: [{ set: { correction_note: { value: "" } } }, { move: "approve" }],
      },
      {
        // The colon is required: without one, no change was described.
        id: CHANGES_START,
        label: "changes-requested: <what>",
        words: [`${CHANGES_START}*`],
        why: "words",
        does: [
          { note: { list: "design-history", tag: "UD-APPROVE-DESIGN", text: "{input.text}" } },
          { set: { correction: { value: "queued" }, changes: { input: "text" } } },
        ],
      },
      defer(MISSING),
    ],
    rule: "TC-089",
  }),
  "review-strategy": gate({
    id: "UD-REVIEW-STRATEGY",
    via: "rechoose",
    prompt: "How shall the work be checked? {plan_summary} Recommended: {recommended}.",
    options: [
      {
        id: "per-batch",
        label: "per-batch: every task is checked before the next one",
        words: STRATEGY_WORDS["per-batch"],
        does: strategy("per-batch"),
      },
      {
        id: "single-final",
        label: "single-final: one pass over everything at the end",
        words: STRATEGY_WORDS["single-final"],
        does: strategy("single-final"),
      },
      defer(MISSING),
    ],
    rule: "TC-107",
  }),
};

function strategy(value: string): readonly Consequence[] {
  return [{ set: { strategy: { value } } }, { move: "choose" }];
}
