import type { Event } from "../state/events.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Remark } from "../state/state.ts";

/**
 * What deciding answers. A refusal is a value, never an exception, and always says what to do next.
 * `held` is accepted, and now waiting for a person.
 */
export type Answer =
  | { readonly kind: "needs"; readonly facts: readonly string[] }
  /** Checks to run first; then decide again, naming them in `ran`. */
  | { readonly kind: "runs"; readonly runs: readonly RunRequest[] }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] }
  | {
      readonly kind: "accepted" | "held";
      readonly events: readonly Event[];
      /** Exactly the facts that were read: the evidence to journal. */
      readonly used: Readonly<Record<string, Json>>;
      readonly notes: readonly Remark[];
    };

/** A check to run before the command can be decided, and the facts its result is bound to. */
export interface RunRequest {
  readonly check: string;
  readonly unit: string;
  readonly binds: readonly string[];
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly fix: Remedy;
  /** The requirement behind it: a row of the family's rules, or `core`. */
  readonly rule: string;
}

/** What helps: a sentence for whoever reads it, or something to ask of Holdpoint. */
export type Remedy = string | Act;

/**
 * Something to ask of Holdpoint, as data: each surface says it in its own way. What whoever reads it must fill
 * in is left out, or stands as "...".
 */
export type Act = {
  readonly operation: string;
  readonly input: JsonObject;
  /** What it is for, in the words of the case. */
  readonly says?: string;
  /** Whose it is, where it is not for whoever is told: a person, or a role. */
  readonly by?: string;
};

/** Facts by key. A key that is absent has not been looked at; null is a fact that says "none". */
export type Evidence = Readonly<Record<string, Json>>;
