import type { Protocol } from "./protocol.ts";

/** The family's own rule for what is refused or found in every family, by its code. */
export function cite<T extends { readonly code: string; readonly rule: string }>(
  { rules }: Protocol,
  said: T,
): T {
  const rule = said.rule === "core" ? rules?.[said.code] : undefined;
  return rule === undefined ? said : { ...said, rule };
}
