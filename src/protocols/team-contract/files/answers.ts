import type { STRATEGIES } from "./names.ts";

/**
 * What the two mandatory questions accept. `approved` must be followed by the end, a space or one of `: , ; . -
 * (`, so that `approved? not yet` is not accepted.
 */
export type ApprovalAnswer = "approved" | "changes-requested" | "invalid";

export const APPROVED_STARTS: readonly string[] = [
  "approved ",
  "approved:",
  "approved,",
  "approved;",
  "approved.",
  "approved-",
  "approved(",
];
export const CHANGES_START = "changes-requested:";

export function readApproval(answer: string): ApprovalAnswer {
  const said = answer.trim().toLowerCase();
  if (said === "approved" || APPROVED_STARTS.some((start) => said.startsWith(start)))
    return "approved";
  return said.startsWith(CHANGES_START) ? "changes-requested" : "invalid";
}

/** The only words that name a strategy. */
export const STRATEGY_WORDS: Readonly<Record<(typeof STRATEGIES)[number], readonly string[]>> = {
  "per-batch": ["per batch", "per_batch", "perbatch", "batch", "per task", "per-task", "per_task"],
  "single-final": ["single final", "single_final", "singlefinal", "single", "final"],
};
