import type { Refusal, Remedy } from "../core/decide/answer.ts";
import type { Event } from "../core/state/events.ts";
import type { Remark, Workflow } from "../core/state/state.ts";
import type { PendingEffect } from "../ports/family.ts";

/** What became of a command, for a surface to translate. */
export type Outcome = Accepted | Refused | Failed;

export interface Accepted {
  readonly kind: "done" | "held";
  readonly state: Workflow;
  readonly events: readonly Event[];
  /** What the agent forgot to write, and the engine wrote in its place. */
  readonly notes: readonly Remark[];
  readonly warnings: readonly string[];
  readonly commits: readonly Commit[];
  /** Effects that could not be done yet, with the reason; they are tried again by the next command. */
  readonly pending: readonly Pending[];
  /** Effects this command wanted and that cannot be had; what the protocol does about it is in the state. */
  readonly failed?: readonly Pending[];
  /** The command's id was recorded before: this is what it answered then, and nothing was done again. */
  readonly repeated?: true;
}

export interface Commit {
  readonly oid: string;
  readonly short: string;
}

export type Pending = PendingEffect;

export interface Refused {
  readonly kind: "refused";
  readonly refusals: readonly Refusal[];
  readonly state: Workflow;
  readonly warnings?: readonly string[];
}

/** Checks were run, and their results are recorded. */
export interface Ran {
  readonly kind: "ran";
  readonly warnings: readonly string[];
}

/** The program or the machine failed: a full disk, a damaged journal. Nothing was recorded. */
export interface Failed {
  readonly kind: "failed";
  readonly code: string;
  readonly message: string;
  readonly fix: Remedy;
}
