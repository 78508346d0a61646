import type { Actor, Command } from "../../state/commands.ts";
import { mayAnswer, refuseUnknown } from "../decisions/decision.ts";
import { emit } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { member } from "../../values/json.ts";
import type { Workflow } from "../../state/state.ts";

/**
 * A person's answer that arrived while a state file could not be written. It is recorded, so that nobody is asked
 * twice, but takes effect only when the file can be written: then the same answer is given again.
 */
export interface Kept {
  readonly command: Extract<Command, { type: "decision.answer" }>;
  readonly actor: Actor;
  readonly session: string;
}

/** The first answer waiting to be given again. */
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

/** Keeps an answer only if this person may give it, because it is given again in their name. */
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

/** Drops a kept answer that was refused when it was given again, so that it is not retried forever. */
export function dropAnswer(draft: Draft, command: Extract<Command, { type: "answer.drop" }>): void {
  const { decision, why } = command;
  if (member(draft.state.decisions, decision) === undefined) return refuseUnknown(draft, decision);
  emit(draft, { type: "answer.dropped", decision, why });
}
