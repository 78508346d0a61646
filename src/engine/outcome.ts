import type { Refusal, Remedy } from "../core/decide/answer.ts";
import type { Event } from "../core/state/events.ts";
import type { Remark, Workflow } from "../core/state/state.ts";
import type { PendingEffect } from "../ports/family.ts";

/** The result of a command, for a surface to translate. */
export type Outcome = Accepted | Refused | Failed;

export interface Accepted {
  readonly kind: "done" | "held";
  readonly state: Workflow;
  readonly events: readonly Event[];
  /** What the agent forgot to write and the engine wrote instead. */
  readonly notes: readonly Remark[];
  readonly warnings: readonly string[];
  readonly commits: readonly Commit[];
  /** Effects that could not be done yet, and why. The next command tries them again. */
  readonly pending: readonly Pending[];
  /** Effects of this command that cannot be done. What the protocol does about that is in the state. */
  readonly failed?: readonly Pending[];
  /** The command's id was recorded before: this is the answer from then, and nothing was done again. */
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

/** Checks were run, and their results recorded. */
export interface Ran {
  readonly kind: "ran";
  readonly warnings: readonly string[];
}

/** A failure of the program or the machine: a full disk, a damaged journal. Nothing was recorded. */
export interface Failed {
  readonly kind: "failed";
  readonly code: string;
  readonly message: string;
  readonly fix: Remedy;
}
