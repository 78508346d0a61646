import type { Workflow } from "../../../core/state/state.ts";
import { canonicalJson, isJsonArray, isJsonObject, member } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { object, text } from "../../../core/values/json-read.ts";

/**
 * What the files of an adopted task had recorded before there was a journal. Nobody here saw it happen, so nothing counts
 * by it; but it is somebody's record, and what is written later comes behind it.
 */
export const ADOPTED = "adopted";

/** Members that only grow: what stands there stays. */
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

/** When it began is what the oldest file says. */
const BEGINNINGS: readonly string[] = ["created_at", "started_at"];

/** Of one file, what is kept of it. */
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

/** The members of a file, behind what it had recorded when the task was adopted. */
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
