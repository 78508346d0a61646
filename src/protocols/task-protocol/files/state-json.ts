import { isJsonArray, isJsonObject } from "../../../core/json.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import type { Problem } from "../../../files/problem.ts";
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
 */
export interface ParsedState {
  readonly value: JsonObject | undefined;
  readonly problems: readonly Problem[];
}

/** Codes: `state-unreadable`, `state-field`, `state-mismatch` (against the lock, where given). */
export function parseStateJson(text: string, lock?: TaskLock): ParsedState {
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
    ["transition_log", logOf(value["transition_log"]), logOf(lock.raw["transition_log"])],
  ];
  return rows
    .map(([key, said, wanted]): Difference => [key, JSON.stringify(said), JSON.stringify(wanted)])
    .filter(([, said, wanted]) => said !== wanted);
}

const FIELDS: readonly FieldRule[] = [
  {
    path: ["current_state"],
    is: oneOf(...STATE_NAMES),
    expected: "one of the eleven states",
    rule: "TP-056",
  },
  { path: ["session_id"], is: isText, expected: "a session id", rule: "TP-063" },
  { path: ["task_name"], is: isText, expected: "the task's name", rule: "TP-063" },
  {
    path: ["risk_level"],
    is: (one) => one === null || oneOf("HIGH", "MEDIUM", "LOW")(one),
    expected: "HIGH, MEDIUM or LOW",
    optional: true,
    rule: "TP-063",
  },
  { path: ["required_agents"], is: isTexts, expected: "a list of names", rule: "TP-063" },
  { path: ["evidence"], is: isJsonObject, expected: "an object", rule: "TP-064" },
  {
    path: ["evidence", "REQUIREMENTS"],
    is: isTexts,
    expected: "a list of report files",
    optional: true,
    rule: "TP-064",
  },
  {
    path: ["evidence", "IMPLEMENTATION"],
    is: isTexts,
    expected: "a list of hashes",
    optional: true,
    rule: "TP-064",
  },
  {
    path: ["evidence", "VALIDATION"],
    is: isTexts,
    expected: "a list of times",
    optional: true,
    rule: "TP-064",
  },
  {
    path: ["evidence", "REVIEW"],
    is: isJsonObject,
    expected: "a decision per agent",
    optional: true,
    rule: "TP-064",
  },
  { path: ["transition_log"], is: isJsonArray, expected: "a list of moves", rule: "TP-063" },
];
