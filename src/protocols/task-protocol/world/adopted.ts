import type { Workflow } from "../../../core/state/state.ts";
import { canonicalJson, isJsonArray, isJsonObject, member } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { object, text } from "../../../core/values/json-read.ts";

/**
 * What the files of an adopted task had recorded before there was a journal. Nothing is decided by it, because
 * Holdpoint did not see it happen, but it is kept, and later entries come after it.
 */
export const ADOPTED = "adopted";

/** Members that only grow; their existing content stays. */
const RECORDS: readonly string[] = [
  "transition_log",
  "evidence",
  "state_transitions",
  "agent_invocations",
  "tool_usage",
  "commits",
  "build_verifications",
  "refusals",
];

/** The oldest file says when the task began. */
const BEGINNINGS: readonly string[] = ["created_at", "started_at"];

/** The members of a file that are kept. */
export function recordsIn(value: JsonObject | undefined): JsonObject {
  const kept = Object.entries(value ?? {}).filter(
    ([name, one]) =>
      (RECORDS.includes(name) && (isJsonArray(one) || isJsonObject(one))) ||
      (BEGINNINGS.includes(name) && typeof one === "string"),
  );
  const begun = text(value?.["created"]);
  return {
    ...(begun === "" ? {} : { created_at: begun }),
    ...Object.fromEntries(kept),
  };
}

/** A file's members, appended to what it had recorded when the task was adopted. */
export function behindAdopted(state: Workflow, file: string, owned: JsonObject): JsonObject {
  const kept = object(object(object(state.vars[ADOPTED])["files"])[file]);
  return Object.fromEntries(
    Object.entries(owned).map(([name, value]) => {
      const before = member(kept, name);
      if (before === undefined) return [name, value];
      return [name, BEGINNINGS.includes(name) ? before : joined(before, value)];
    }),
  );
}

function joined(before: Json, now: Json): Json {
  if (isJsonArray(before) && isJsonArray(now)) {
    const known = new Set(before.map(canonicalJson));
    return [...before, ...now.filter((one) => !known.has(canonicalJson(one)))];
  }
  if (!isJsonObject(before) || !isJsonObject(now)) return now;
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return Object.fromEntries(
    names.map((name) => {
      const [old, own] = [before[name], now[name]];
      return [name, old === undefined ? (own ?? null) : own === undefined ? old : joined(old, own)];
    }),
  );
}

export function isAdopted({ vars }: Workflow): boolean {
  return isJsonObject(vars[ADOPTED]);
}
