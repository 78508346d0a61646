import type { Event } from "../state/events.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Remark } from "../state/state.ts";

/**
 * The result of `decide`. A refusal is a value, never an exception, and always says what to do next. `held` means
 * accepted, and now waiting for a person.
 */
export type Answer =
  | { readonly kind: "needs"; readonly facts: readonly string[] }
  /** Checks to run first. Run them, then decide again with their keys in `ran`. */
  | { readonly kind: "runs"; readonly runs: readonly RunRequest[] }
  | { readonly kind: "refused"; readonly refusals: readonly Refusal[] }
  | {
      readonly kind: "accepted" | "held";
      readonly events: readonly Event[];
      /** Exactly the facts that were read. They are recorded as evidence. */
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
  /** The requirement behind it: an id from the family's SPEC.md, or `core`. */
  readonly rule: string;
}

/** What to do about a refusal: a sentence, or an operation to call. */
export type Remedy = string | Act;

/**
 * An operation to call, as data, so that each surface can phrase it. Inputs the reader must fill in are left out
 * or are "...".
 */
export type Act = {
  readonly operation: string;
  readonly input: JsonObject;
  /** What the call is for. */
  readonly says?: string;
  /** Who must do it (a person or a role), if it is not the reader of the refusal. */
  readonly by?: string;
};

/** Facts by key. A missing key means not looked up yet; null means looked up and there is none. */
export type Evidence = Readonly<Record<string, Json>>;
