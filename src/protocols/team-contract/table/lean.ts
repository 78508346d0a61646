import { isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";

/**
 * Lean mode is for small requests. All six criteria must be declared; if one is missing or fails, the session is
 * a full one.
 */
export const LEAN_FILES_MAX = 3;
export const LEAN_MINUTES_MAX = 5;

/** Used if somebody asks for lean mode without details: small in every respect. */
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

/** Reasons against lean mode, in words; empty if there are none. */
export function missingLean(declared: Json): readonly string[] {
  const given = isJsonObject(declared) ? declared : {};
  return CRITERIA.filter(({ holds }) => !holds(given)).map(({ says }) => says);
}

/** The mode that follows from a declaration: full as soon as one criterion fails. */
export function modeFor(declared: Json): "full" | "lean" {
  return missingLean(declared).length === 0 ? "lean" : "full";
}
