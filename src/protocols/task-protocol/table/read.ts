import { isJsonArray, isJsonObject } from "../../../core/json.ts";
import type { Json, JsonObject } from "../../../core/json.ts";

/** Small readers for JSON whose shape is not known. */

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function texts(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((one) => typeof one === "string") : [];
}

export function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function objects(value: Json | undefined): readonly JsonObject[] {
  return isJsonArray(value) ? value.filter((one) => isJsonObject(one)) : [];
}

export function number(value: Json | undefined, or: number): number {
  return typeof value === "number" ? value : or;
}

/** Whole minutes between two times; NaN when one of them is none. */
export function minutesBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 60_000;
}
