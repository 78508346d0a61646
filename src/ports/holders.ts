import type { JsonObject } from "../core/values/json.ts";

/**
 * What is known of effects that are not settled: which process carries one out, the one that wanted it or the last
 * that took it over from a dead one, and what an attempt saw before it began.
 */
export interface Holders {
  readonly of: (effect: string, wantedBy: string) => Promise<string>;
  /** Of two that take over from the same process one gets it. */
  readonly take: (effect: string, from: string, by: string) => Promise<boolean>;
  readonly recall: (effect: string) => Promise<JsonObject | undefined>;
  readonly keep: (effect: string, seen: JsonObject) => Promise<void>;
  /** It is settled: who carried it out, and what came of it, is in the journal. */
  readonly forget: (effect: string) => Promise<void>;
}
