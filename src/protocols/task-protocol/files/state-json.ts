import { isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Parsed } from "../../../files/problem.ts";
import {
  checkFields,
  fieldProblem,
  type FieldRule,
  isText,
  isTexts,
  oneOf,
  openJson,
} from "./json-file.ts";
import { STATE_NAMES } from "./state-names.ts";
import type { TaskLock } from "./task-json.ts";

/**
 * `state.json`: the evidence, state by state.
 *
 *   { "current_state", "session_id", "task_name", "risk_level", "required_agents",
 *     "evidence": { "REQUIREMENTS": [files], "IMPLEMENTATION": [hashes], "VALIDATION": [times],
 *                   "REVIEW": { agent: "APPROVED" } },
 *     "transition_log": [{ "from", "to", "timestamp", "evidence"? }] }
 *
 * Codes: `state-unreadable`, `state-field`, `state-mismatch` (against the lock, where given).
 */
export function parseStateJson(text: string, lock?: TaskLock): Parsed<JsonObject> {
  const file = openJson(text, "state-unreadable", "TP-063");
  if (file.value === undefined) return { value: undefined, problems: file.problems };
  const { value } = file;
  const differing = lock === undefined ? [] : differences(value, lock);
  const problems = differing.map(([key, said, wanted]) =>
    fieldProblem(file, {
      code: "state-mismatch",
      path: [key],
      message: `${key} is ${said}, task.json says ${wanted}`,
      fix: "Bring both up to the journal with holdpoint reconcile.",
      rule: "TP-063",
    }),
  );
  return {
    value,
    problems: [...file.problems, ...checkFields(file, "state-field", FIELDS), ...problems],
  };
}

type Difference = readonly [key: string, said: string, wanted: string];

function differences(value: JsonObject, lock: TaskLock): readonly Difference[] {
  const logOf = (one: Json | undefined): Json =>
    isJsonArray(one)
      ? one.map((entry) =>
          isJsonObject(entry) ? [entry["from"] ?? null, entry["to"] ?? null] : null,
        )
      : null;
  const rows: readonly (readonly [string, Json, Json])[] = [
    ["current_state", value["current_state"] ?? null, lock.state ?? null],
    ["session_id", value["session_id"] ?? null, lock.sessionId ?? null],
    ["task_name", value["task_name"] ?? null, lock.taskName ?? null],
    ["risk_level", value["risk_level"] ?? null, lock.riskLevel ?? null],
    ["required_agents", value["required_agents"] ?? [], lock.requiredAgents],
    ["transition_log", logOf(value["transition_log"]), lock.log.map(({ from, to }) => [from, to])],
  ];
  return rows
    .map(([key, said, wanted]): Difference => [key, JSON.stringify(said), JSON.stringify(wanted)])
    .filter(([, said, wanted]) => said !== wanted);
}

const FIELDS: readonly FieldRule[] = [
  ["current_state", oneOf(...STATE_NAMES), "one of the eleven states", "TP-056"],
  ["session_id", isText, "a session id", "TP-063"],
  ["task_name", isText, "the task's name", "TP-063"],
  [
    "risk_level?",
    (one) => one === null || oneOf("HIGH", "MEDIUM", "LOW")(one),
    "HIGH, MEDIUM or LOW",
    "TP-063",
  ],
  ["required_agents", isTexts, "a list of names", "TP-063"],
  ["evidence", isJsonObject, "an object", "TP-064"],
  ["evidence.REQUIREMENTS?", isTexts, "a list of report files", "TP-064"],
  ["evidence.IMPLEMENTATION?", isTexts, "a list of hashes", "TP-064"],
  ["evidence.VALIDATION?", isTexts, "a list of times", "TP-064"],
  ["evidence.REVIEW?", isJsonObject, "a decision per agent", "TP-064"],
  ["transition_log", isJsonArray, "a list of moves", "TP-063"],
];
