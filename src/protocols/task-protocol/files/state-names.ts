/** The eleven values of `state` and `current_state`, in the order of the full path. */
export const STATE_NAMES = [
  "INIT",
  "CLASSIFIED",
  "REQUIREMENTS",
  "SYNTHESIS",
  "IMPLEMENTATION",
  "VALIDATION",
  "REVIEW",
  "AWAITING_USER_APPROVAL",
  "SCOPE_NEGOTIATION",
  "COMPLETE",
  "CLEANUP",
] as const;

export type TaskState = (typeof STATE_NAMES)[number];
