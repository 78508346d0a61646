/**
 * The last command ids and where their records are, so that a command sent twice is recorded once. Limited: ids
 * older than the last thousand records are forgotten.
 */
import type { Json } from "../../../core/values/json.ts";
import { isJsonArray } from "../../../core/values/json.ts";

export interface Place {
  readonly seq: number;
  readonly offset: number;
}

/** By id, oldest first. */
export type Recent = Map<string, Place>;

export const RECENT_MAX = 1000;

export function remember(recent: Recent, id: string, place: Place): void {
  // Deleted before setting, because a Map keeps the position of a known key, and the order here is by age.
  recent.delete(id);
  recent.set(id, place);
  if (recent.size <= RECENT_MAX) return;
  for (const oldest of recent.keys()) {
    recent.delete(oldest);
    return;
  }
}

export function findSeq(recent: Recent, seq: number): Place | undefined {
  for (const place of recent.values()) if (place.seq === seq) return place;
  return undefined;
}

export function recentToJson(recent: Recent): Json {
  return Array.from(recent, ([id, { seq, offset }]) => [id, seq, offset]);
}

export function recentFromJson(value: Json | undefined): Recent | undefined {
  if (!isJsonArray(value) || value.length > RECENT_MAX) return undefined;
  const recent: Recent = new Map();
  for (const item of value) {
    if (!isJsonArray(item)) return undefined;
    const [id, seq, offset] = item;
    if (typeof id !== "string" || typeof seq !== "number" || typeof offset !== "number") {
      return undefined;
    }
    recent.set(id, { seq, offset });
  }
  return recent;
}
