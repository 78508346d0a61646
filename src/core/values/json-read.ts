import { isJsonArray, isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

/** Readers for JSON of unknown shape. A value of another type reads as empty. */

export function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

export function textIfAny(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function number(value: Json | undefined, or: number): number {
  return typeof value === "number" ? value : or;
}

export function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function list(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}

export function texts(value: Json | undefined): readonly string[] {
  return list(value).filter((one) => typeof one === "string");
}

export function objects(value: Json | undefined): readonly JsonObject[] {
  return list(value).filter((one) => isJsonObject(one));
}
