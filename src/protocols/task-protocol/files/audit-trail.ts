import { isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { objects } from "../../../core/values/json-read.ts";
import type { Parsed } from "../../../files/problem.ts";
import { checkFields, fieldProblem, type FieldRule, isText, isUtc, openJson } from "./json-file.ts";

/**
 * `audit-trail.json`: everything that happened, from INIT to CLEANUP.
 *
 *   { "task_name", "session_id", "started_at",
 *     "state_transitions": [{ "from_state", "to_state", "timestamp", "verification_passed" }],
 *     "agent_invocations": [{ "id", "agent_name", "agent_mode", "working_dir", "invocation_timestamp",
 *                             "completion_timestamp", "report_location", "status" }],
 *     "tool_usage": [{ "tool", "agent_name"?, "file_path"?, "timestamp", "working_dir"?, "note"? }],
 *     "commits": [{ "sha", "agent", "branch", "timestamp", "files_created", "files_modified", "message" }],
 *     "build_verifications": [{ "timestamp", "command", "result", "tests_run", "tests_passed", "tests_failed" }] }
 *
 * An invocation is `running` and then one of `completed`, `failed`, `timed_out`, `cancelled`.
 */
export const INVOCATION_STATUSES: readonly string[] = [
  "running",
  "completed",
  "failed",
  "timed_out",
  "cancelled",
];

/** Codes: `audit-unreadable`, `audit-field`, `audit-invocation`. */
export function parseAuditTrail(text: string): Parsed<JsonObject> {
  const file = openJson(text, "audit-unreadable", "TP-203");
  if (file.value === undefined) return { value: undefined, problems: file.problems };
  const invocations = rowsOf(file.value, "agent_invocations");
  const wrong = invocations.flatMap((row, index) => {
    const status = row["status"];
    if (typeof status === "string" && INVOCATION_STATUSES.includes(status)) return [];
    return [
      fieldProblem(file, {
        code: "audit-invocation",
        path: ["agent_invocations", index],
        message: `the invocation of ${JSON.stringify(row["agent_name"] ?? null)} has no known status`,
        fix: `Use one of ${INVOCATION_STATUSES.join(", ")}.`,
        rule: "TP-205",
      }),
    ];
  });
  return {
    value: file.value,
    problems: [...file.problems, ...checkFields(file, "audit-field", FIELDS), ...wrong],
  };
}

export function rowsOf(trail: JsonObject, list: string): readonly JsonObject[] {
  return objects(trail[list]);
}

function isRows(value: Json): boolean {
  return isJsonArray(value) && value.every((row) => isJsonObject(row));
}

const LISTS: readonly string[] = [
  "state_transitions",
  "agent_invocations",
  "tool_usage",
  "commits",
  "build_verifications",
];

const FIELDS: readonly FieldRule[] = [
  ["task_name", isText, "the task's name", "TP-203"],
  ["session_id", isText, "a session id", "TP-203"],
  ["started_at", isUtc, "a time in UTC with a Z", "TP-061"],
  ...LISTS.map((list): FieldRule => [list, isRows, "a list of objects", "TP-203"]),
];
