import type { Answer, Refusal } from "../core/decide/answer.ts";
import type { Actor, Command } from "../core/state/commands.ts";
import type { Event } from "../core/state/events.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Decision, Workflow } from "../core/state/state.ts";

/** Who gives a command; what is left out is the person at the terminal, in the story's one session. */
export interface As {
  readonly actor?: Actor;
  readonly session?: string;
  /** Which process gives it; effects that it wants are then carried out by that one. */
  readonly process?: string;
  /** Which clone it is given in, where several share one journal. */
  readonly place?: string;
  readonly fence?: number;
  readonly id?: string;
  readonly at?: string;
}

export const PERSON: As = { actor: { kind: "person", name: "ada" } };
export const AGENT: As = { actor: { kind: "agent", name: "claude" } };
export const ENGINE: As = { actor: { kind: "engine", name: "holdpoint" } };

/**
 * One workflow from its beginning, told step by step. Every step is decided as in earnest, with the facts of the
 * story's world; a step that is refused changes nothing, and the story goes on. The `expect...` methods look at
 * the last step and throw when it went otherwise.
 */
export interface Story {
  readonly state: Workflow;
  readonly answer: Answer;
  /** Events of the last accepted step. */
  readonly events: readonly Event[];
  readonly refusals: readonly Refusal[];
  /** Events of all accepted steps, in order. */
  readonly history: readonly Event[];
  /** Questions that wait for a person. */
  readonly open: readonly Decision[];
  /** Change what the world says. */
  readonly given: (facts: Readonly<Record<string, Json>>) => Story;
  /** Write files, or with null remove them. */
  readonly write: (files: Readonly<Record<string, string | null>>) => Story;
  /** Start the workflow, with variables where the protocol has some to give. */
  readonly start: (vars?: JsonObject, as?: As) => Story;
  /** Any command at all. */
  readonly when: (command: Command, as?: As) => Story;
  readonly move: (move: string, as?: As & { unit?: string; reason?: string }) => Story;
  /** Hand work out. */
  readonly send: (spec: string, unit?: string, as?: As) => Story;
  /** Report on the newest dispatch that has not ended, as the agent it was given to. */
  readonly report: (claim?: Readonly<Record<string, Json>>, as?: As) => Story;
  /** Answer the newest open question of that name. */
  readonly reply: (question: string, text: string, as?: As & { reason?: string }) => Story;
  /** The engine says what became of every effect that is wanted. */
  readonly settle: (status?: "done" | "failed") => Story;
  readonly expectAccepted: () => Story;
  /** Accepted, and now this question waits for a person. */
  readonly expectHeld: (question: string) => Story;
  /** Refused, for exactly these reasons. */
  readonly expectRefused: (...codes: readonly string[]) => Story;
  /** The workflow, or one of its units, stands at this state. */
  readonly expectAt: (state: string, unit?: string) => Story;
  /** A story of its own that begins where this one stands. */
  readonly fork: () => Story;
}
