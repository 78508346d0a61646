import type { JsonObject } from "../core/values/json.ts";

/**
 * Who carries out effects that are not settled: the process that wanted one, or the last one to take it over from
 * a dead process. Also what an attempt saw before it began.
 */
export interface Holders {
  readonly of: (effect: string, wantedBy: string) => Promise<string>;
  /** If two processes take over at once, only one succeeds. */
  readonly take: (effect: string, from: string, by: string) => Promise<boolean>;
  readonly recall: (effect: string) => Promise<JsonObject | undefined>;
  readonly keep: (effect: string, seen: JsonObject) => Promise<void>;
  /** Called once the effect is settled: the journal now has everything about it. */
  readonly forget: (effect: string) => Promise<void>;
}
