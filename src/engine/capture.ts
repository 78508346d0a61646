import type { Actor, Command } from "../core/commands.ts";
import { isJsonObject, parseJson, showJson } from "../core/json.ts";
import type { JsonObject } from "../core/json.ts";
import type { Decision, Workflow } from "../core/state.ts";

/**
 * A person's answer that came while a state file could not be written. It is in the journal, so nobody is
 * asked twice, but nothing follows from it until the file can show it: then it is given once more, as it was.
 */
export interface Captured {
  readonly command: Extract<Command, { type: "decision.answer" }>;
  readonly actor: Actor;
  readonly session: string;
}

export const CAPTURED = "captured";

type Answer = Captured["command"];

/** The note that keeps an answer. It is bound to the question as it was asked. */
export function captureNote(
  { nonce }: Decision,
  { command, actor, session }: Captured,
): Extract<Command, { type: "note.add" }> {
  const { decision: tag, text, reason = "" } = command;
  const kept: JsonObject = { nonce, text, reason, name: actor.name, session };
  return { type: "note.add", list: CAPTURED, tag, text: JSON.stringify(kept) };
}

/** An answer that was refused when it was given again is not given a third time. */
export function droppedNote(
  { decision: tag, nonce = "" }: Answer,
  why: string,
): Extract<Command, { type: "note.add" }> {
  return { type: "note.add", list: CAPTURED, tag, text: JSON.stringify({ nonce, why }) };
}

/** The first answer that waits to be given again. */
export function capturedAnswer({ decisions, notes }: Workflow): Captured | undefined {
  for (const decision of Object.values(decisions)) {
    if (decision.status !== "open") continue;
    const note = notes.findLast((one) => one.list === CAPTURED && one.tag === decision.id);
    const kept = note === undefined ? undefined : parseJson(note.text);
    if (!isJsonObject(kept) || kept["nonce"] !== decision.nonce || !("text" in kept)) continue;
    const { text, reason, name, session } = kept;
    return {
      command: {
        type: "decision.answer",
        decision: decision.id,
        nonce: decision.nonce,
        text: showJson(text),
        reason: showJson(reason),
      },
      actor: { kind: "person", name: showJson(name) },
      session: showJson(session),
    };
  }
  return undefined;
}
