import type { Actor, Command } from "../../state/commands.ts";
import { mayAnswer, refuseUnknown } from "../decisions/decision.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { member } from "../../values/json.ts";
import type { Workflow } from "../../state/state.ts";

/**
 * A person's answer that came while a state file could not be written. It is in the journal, so nobody is
 * asked twice, but nothing follows from it until the file can show it: then it is given once more, as it was.
 */
export interface Kept {
  readonly command: Extract<Command, { type: "decision.answer" }>;
  readonly actor: Actor;
  readonly session: string;
}

/** The first answer that waits to be given again. */
export function keptAnswer({ decisions }: Workflow): Kept | undefined {
  for (const { id: decision, status, nonce, kept } of Object.values(decisions)) {
    if (status !== "open" || kept === undefined) continue;
    const { text, reason, name, session } = kept;
    return {
      command: { type: "decision.answer", decision, nonce, text, reason },
      actor: { kind: "person", name },
      session,
    };
  }
  return undefined;
}

/** Only what its giver may answer is kept: it is given again in that person's name. */
export function keepAnswer(draft: Draft, command: Extract<Command, { type: "answer.keep" }>): void {
  const decision = member(draft.state.decisions, command.decision);
  if (decision === undefined) return refuseUnknown(draft, command.decision);
  if (!mayAnswer(draft, decision, command)) return;
  const { text, reason } = command;
  const { actor, session } = draft.envelope;
  emit(draft, {
    type: "answer.kept",
    decision: decision.id,
    text,
    reason,
    name: actor.name,
    session,
  });
}

/** An answer that was refused when it was given again is not given a third time. */
export function dropAnswer(draft: Draft, command: Extract<Command, { type: "answer.drop" }>): void {
  const { decision, why } = command;
  if (member(draft.state.decisions, decision) === undefined) return refuseUnknown(draft, decision);
  emit(draft, { type: "answer.dropped", decision, why });
}
