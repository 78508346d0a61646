import { isJsonObject, showJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

/** A fact that could not be read in full. It equals nothing, not even itself, and so it vouches for nothing. */
export function unknown(why: string): Json {
  return { unknown: why };
}

export function isUnknown(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, "unknown");
}

/** Why it is unknown, as a sentence says it. */
export function whyUnknown(value: Json | undefined): string {
  return isUnknown(value) ? showJson(value["unknown"]) : "";
}

/** Nothing is there, or nothing that can be read. While it has not been looked at, it is not missing. */
export function isMissing(value: Json | undefined): boolean {
  return value === null || isUnknown(value);
}
