import { isJsonObject, showJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

/**
 * A fact that could not be read in full. It is not equal to anything, not even to itself, so it can vouch for
 * nothing.
 */
export function unknown(why: string): Json {
  return { unknown: why };
}

export function isUnknown(value: Json | undefined): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, "unknown");
}

export function whyUnknown(value: Json | undefined): string {
  return isUnknown(value) ? showJson(value["unknown"]) : "";
}

/** True if there is nothing, or nothing readable. A fact not looked up yet (undefined) is not missing. */
export function isMissing(value: Json | undefined): boolean {
  return value === null || isUnknown(value);
}
