/** The eleven values `state` and `current_state` may have. */
export const STATE_NAMES: readonly string[] = [
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
];
