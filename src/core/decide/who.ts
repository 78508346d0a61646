import type { Draft } from "./draft.ts";

/** Who gave the command, in the form used in records. */
export function who(draft: Draft): string {
  return `${draft.envelope.actor.kind}:${draft.envelope.actor.name}`;
}
