import { isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";

/**
 * Lean mode is for requests that are small in every respect. All six must be declared; one that is
 * missing or fails makes it a full session.
 */
export const LEAN_FILES_MAX = 3;
export const LEAN_MINUTES_MAX = 5;

/** A request that is small in every respect, as somebody says who asks for lean mode without figures. */
export const LEAN_ALL: JsonObject = {
  unambiguous: true,
  files: LEAN_FILES_MAX,
  architecture: false,
  ui: false,
  security: false,
  minutes: LEAN_MINUTES_MAX,
};

interface Criterion {
  readonly says: string;
  readonly holds: (declared: JsonObject) => boolean;
}

const CRITERIA: readonly Criterion[] = [
  { says: "an unambiguous request", holds: ({ unambiguous }) => unambiguous === true },
  {
    says: `at most ${LEAN_FILES_MAX} files`,
    holds: ({ files }) => typeof files === "number" && files >= 1 && files <= LEAN_FILES_MAX,
  },
  { says: "no architectural decision", holds: ({ architecture }) => architecture === false },
  { says: "no UI or UX decision", holds: ({ ui }) => ui === false },
  { says: "no security implication", holds: ({ security }) => security === false },
  {
    says: `at most ${LEAN_MINUTES_MAX} minutes of work`,
    holds: ({ minutes }) => typeof minutes === "number" && minutes <= LEAN_MINUTES_MAX,
  },
];

/** What stands against lean mode, in words; empty when nothing does. */
export function missingLean(declared: Json): readonly string[] {
  const given = isJsonObject(declared) ? declared : {};
  return CRITERIA.filter(({ holds }) => !holds(given)).map(({ says }) => says);
}

/** The mode a declaration leads to: full as soon as one criterion fails. */
export function modeFor(declared: Json): "full" | "lean" {
  return missingLean(declared).length === 0 ? "lean" : "full";
}
