/**
 * Words that the tables share with the codecs. A table stands on its own and imports no codec, so they
 * are written down on both sides; a test compares the two.
 */

export const SESSIONS = ".agents-work";

export const STATES: readonly string[] = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
  "ASK_USER",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
  "BLOCKED",
];

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

export const STRATEGY_WORDS: Readonly<Record<"per-batch" | "single-final", readonly string[]>> = {
  "per-batch": ["per batch", "per_batch", "perbatch", "batch", "per task", "per-task", "per_task"],
  "single-final": ["single final", "single_final", "singlefinal", "single", "final"],
};
