import type { Answer, Refusal } from "../core/decide/answer.ts";
import type { Actor, Command } from "../core/state/commands.ts";
import type { Event } from "../core/state/events.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Decision, Workflow } from "../core/state/state.ts";

/** Who gives a command. The default is the person at the terminal, in the story's only session. */
export interface As {
  readonly actor?: Actor;
  readonly session?: string;
  /** The process that gives it, which then carries out its effects. */
  readonly process?: string;
  /** The clone it is given in, where several share one journal. */
  readonly place?: string;
  readonly fence?: number;
  readonly id?: string;
  readonly at?: string;
}

export const PERSON: As = { actor: { kind: "person", name: "ada" } };
export const AGENT: As = { actor: { kind: "agent", name: "claude" } };
export const ENGINE: As = { actor: { kind: "engine", name: "holdpoint" } };

/**
 * One workflow from its start, step by step. Every step is really decided, on the facts of the story's world. A
 * refused step changes nothing, and the story continues. The `expect...` methods check the last step and throw if
 * it went differently.
 */
export interface Story {
  readonly state: Workflow;
  readonly answer: Answer;
  /** Events of the last accepted step. */
  readonly events: readonly Event[];
  readonly refusals: readonly Refusal[];
  /** Events of all accepted steps, in order. */
  readonly history: readonly Event[];
  /** Open questions. */
  readonly open: readonly Decision[];
  /** Changes facts. */
  readonly given: (facts: Readonly<Record<string, Json>>) => Story;
  /** Writes files; null removes one. */
  readonly write: (files: Readonly<Record<string, string | null>>) => Story;
  /** Starts the workflow, with variables if the protocol has any to set. */
  readonly start: (vars?: JsonObject, as?: As) => Story;
  /** Any command. */
  readonly when: (command: Command, as?: As) => Story;
  readonly move: (move: string, as?: As & { unit?: string; reason?: string }) => Story;
  /** Sends out work. */
  readonly send: (spec: string, unit?: string, as?: As) => Story;
  /** Reports on the newest dispatch that has not ended, as the agent it was given to. */
  readonly report: (claim?: Readonly<Record<string, Json>>, as?: As) => Story;
  /** Answers the newest open question of that name. */
  readonly reply: (question: string, text: string, as?: As & { reason?: string }) => Story;
  /** Settles every wanted effect, as the engine would. */
  readonly settle: (status?: "done" | "failed") => Story;
  readonly expectAccepted: () => Story;
  /** Accepted, and this question is now open. */
  readonly expectHeld: (question: string) => Story;
  /** Refused, for exactly these reasons. */
  readonly expectRefused: (...codes: readonly string[]) => Story;
  /** The workflow, or one of its units, is in this state. */
  readonly expectAt: (state: string, unit?: string) => Story;
  /** An independent story that continues from here. */
  readonly fork: () => Story;
}
