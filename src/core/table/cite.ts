import type { Protocol } from "./protocol.ts";

/** Replaces `core` as the rule by the family's own requirement for this code, if it has one. */
export function cite<T extends { readonly code: string; readonly rule: string }>(
  { rules }: Protocol,
  said: T,
): T {
  const rule = said.rule === "core" ? rules?.[said.code] : undefined;
  return rule === undefined ? said : { ...said, rule };
}
