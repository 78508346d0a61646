import type { Draft } from "./draft.ts";

/** Who gave the command, as records name them. */
export function who(draft: Draft): string {
  return `${draft.envelope.actor.kind}:${draft.envelope.actor.name}`;
}
