import { compareTexts, isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { objects, text, textIfAny } from "../../../core/values/json-read.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";
import {
  checkFields,
  fieldProblem,
  type FieldRule,
  isText,
  isTexts,
  isUtc,
  type JsonFile,
  oneOf,
  openJson,
} from "./json-file.ts";
import { STATE_NAMES } from "./state-names.ts";

/**
 * `task.json`: who has the task, where it stands, and every move it made.
 *
 *   { "session_id", "task_name", "state", "created_at",
 *     "transition_log": [{ "from", "to", "timestamp", "reason"?, "evidence"?, "duration_seconds"? }],
 *     "risk_level"?, "required_agents"?: [], "agent_additions"?: [{ "agent", "added_at_state", "timestamp", "justification" }],
 *     "checkpoint"?: { "type", "commit_sha", "presented_at", "approved" } }
 *
 * read also: `created` for `created_at`, and a log under `transitions`, where older snippets put moves
 * back. A lock that cannot be read, or names no session, is foreign: it is never written over.
 */
export interface TaskLock {
  readonly sessionId: string | undefined;
  readonly taskName: string | undefined;
  readonly state: string | undefined;
  readonly createdAt: string | undefined;
  readonly log: readonly LogEntry[];
  readonly riskLevel: string | undefined;
  readonly requiredAgents: readonly string[];
  readonly additions: readonly JsonObject[];
  readonly checkpoint: Checkpoint | undefined;
  readonly raw: JsonObject;
}

export interface LogEntry {
  readonly from: string | null;
  readonly to: string;
  readonly timestamp: string;
  readonly reason: string | undefined;
}

export interface Checkpoint {
  readonly type: string;
  readonly commitSha: string;
  readonly presentedAt: string;
  readonly approved: boolean;
}

const CODE = "lock-field";

/** Codes: `lock-unreadable`, `lock-field`, `lock-log`. */
export function parseTaskJson(
  text: string,
  expected: { readonly task?: string } = {},
): Parsed<TaskLock> {
  const file = openJson(text, "lock-unreadable", "TP-018");
  if (file.value === undefined) return { value: undefined, problems: file.problems };
  const value = readLock(file.value);
  const names =
    expected.task === undefined || value.taskName === undefined || value.taskName === expected.task
      ? []
      : [
          fieldProblem(file, {
            code: CODE,
            path: ["task_name"],
            message: `task_name is "${value.taskName}", but the folder is "${expected.task}"`,
            fix: `Set task_name to "${expected.task}".`,
            rule: "TP-026",
          }),
        ];
  const problems = [...file.problems, ...checkFields(file, CODE, FIELDS), ...names];
  return { value, problems: [...problems, ...logProblems(file, value)] };
}

const FIELDS: readonly FieldRule[] = [
  ["session_id", isText, "a session id", "TP-018"],
  ["task_name", isText, "the task's name", "TP-026"],
  ["state", oneOf(...STATE_NAMES), "one of the eleven states", "TP-056"],
  ["created_at?", isTime, "a time", "TP-061"],
  ["risk_level?", oneOf("HIGH", "MEDIUM", "LOW"), "HIGH, MEDIUM or LOW", "TP-072"],
  [
    "required_agents?",
    (value) => isTexts(value) && new Set(value).size === value.length,
    "a list of different names",
    "TP-073",
  ],
  [
    "agent_additions?",
    isAdditions,
    "a list of additions with agent, added_at_state, timestamp and justification",
    "TP-211",
  ],
  ["checkpoint?", isCheckpoint, "type, commit_sha, presented_at and approved", "TP-177"],
];

function isTime(value: Json): boolean {
  return isText(value) && !Number.isNaN(Date.parse(value));
}

function isAdditions(value: Json): boolean {
  return (
    isJsonArray(value) &&
    value.every(
      (one) =>
        isJsonObject(one) &&
        ["agent", "added_at_state", "timestamp"].every((key) => isText(one[key] ?? null)) &&
        (isText(one["justification"] ?? null) || isJsonObject(one["justification"])),
    )
  );
}

function isCheckpoint(value: Json): boolean {
  if (value === null) return true;
  return (
    isJsonObject(value) &&
    isText(value["type"] ?? null) &&
    isText(value["commit_sha"] ?? null) &&
    typeof value["approved"] === "boolean"
  );
}

function readLock(raw: JsonObject): TaskLock {
  const { required_agents: agents = [] } = raw;
  return {
    sessionId: textIfAny(raw["session_id"]),
    taskName: textIfAny(raw["task_name"]),
    state: textIfAny(raw["state"]),
    createdAt: textIfAny(raw["created_at"]) ?? textIfAny(raw["created"]),
    log: bothLogs(readLog(raw["transition_log"]), readLog(raw["transitions"])),
    riskLevel: textIfAny(raw["risk_level"]),
    requiredAgents: isTexts(agents) ? agents : [],
    additions: objects(raw["agent_additions"]),
    checkpoint: readCheckpoint(raw["checkpoint"]),
    raw,
  };
}

/** Merges two lists by time. Within each list the writer's order is kept. */
function bothLogs(log: readonly LogEntry[], older: readonly LogEntry[]): readonly LogEntry[] {
  if (older.length === 0) return log;
  return [...log, ...older].toSorted((a, b) => compareTexts(a.timestamp, b.timestamp));
}

function readLog(value: Json | undefined): readonly LogEntry[] {
  return objects(value).flatMap(({ from, to, timestamp, reason }) =>
    typeof to === "string"
      ? [
          {
            from: textIfAny(from) ?? null,
            to,
            timestamp: text(timestamp),
            reason: textIfAny(reason),
          },
        ]
      : [],
  );
}

function readCheckpoint(value: Json | undefined): Checkpoint | undefined {
  if (!isJsonObject(value)) return undefined;
  return {
    type: text(value["type"]),
    commitSha: text(value["commit_sha"]),
    presentedAt: text(value["presented_at"]),
    approved: value["approved"] === true,
  };
}

const BACKWARD: readonly string[] = [
  "REQUIREMENTS CLASSIFIED",
  "IMPLEMENTATION SYNTHESIS",
  "VALIDATION SYNTHESIS",
  "VALIDATION IMPLEMENTATION",
  "REVIEW IMPLEMENTATION",
  "REVIEW SYNTHESIS",
  "AWAITING_USER_APPROVAL IMPLEMENTATION",
  "VALIDATION REQUIREMENTS",
  "REVIEW REQUIREMENTS",
  "SYNTHESIS REQUIREMENTS",
  "REVIEW SCOPE_NEGOTIATION",
  "SCOPE_NEGOTIATION SYNTHESIS",
  "SCOPE_NEGOTIATION AWAITING_USER_APPROVAL",
];

const FORWARD: readonly string[] = [
  "INIT CLASSIFIED",
  "CLASSIFIED REQUIREMENTS",
  "REQUIREMENTS SYNTHESIS",
  "SYNTHESIS IMPLEMENTATION",
  "SYNTHESIS AWAITING_USER_APPROVAL",
  "IMPLEMENTATION VALIDATION",
  "VALIDATION REVIEW",
  "REVIEW AWAITING_USER_APPROVAL",
  "AWAITING_USER_APPROVAL COMPLETE",
  "COMPLETE CLEANUP",
];

/** The log must be a chain of legal moves in order of time, from INIT to the task's current state. */
function logProblems(file: JsonFile, lock: TaskLock): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (index: number, rule: string, message: string): void => {
    const path = index < 0 ? ["transition_log"] : ["transition_log", index];
    const fix = "Only Holdpoint writes the log; restore it with holdpoint reconcile.";
    problems.push(fieldProblem(file, { code: "lock-log", path, message, fix, rule }));
  };
  let at = "INIT";
  let time = "";
  for (const [index, { from, to, timestamp, reason }] of lock.log.entries()) {
    const pair = `${from ?? ""} ${to}`;
    if (from !== null && from !== at)
      report(index, "TP-058", `the log jumps from ${at} to ${pair}`);
    const opens = from === null && to === "INIT";
    // For an adopted task, the state it was found in need not be reachable by a move.
    const found = (reason ?? "").startsWith("adopted: ");
    const isLegal = FORWARD.includes(pair) || BACKWARD.includes(pair) || to === "CLEANUP";
    if (!opens && !found && !isLegal)
      report(index, "TP-060", `${from ?? "(none)"} to ${to} is no legal move`);
    if (BACKWARD.includes(pair) && (reason ?? "").trim() === "")
      report(index, "TP-062", `the move back to ${to} has no reason`);
    if (!isUtc(timestamp)) report(index, "TP-061", `timestamp "${timestamp}" is not UTC with a Z`);
    else if (timestamp < time) report(index, "TP-061", `time runs backwards at ${timestamp}`);
    at = to;
    if (isUtc(timestamp)) time = timestamp;
  }
  const { state } = lock;
  if (lock.log.length > 0 && state !== undefined && state !== at)
    report(-1, "TP-059", `the state is ${state}, but the log ends in ${at}`);
  if (lock.log.length === 0 && state !== undefined && state !== "INIT")
    report(-1, "TP-060", `the state is ${state}, but the log is empty`);
  return problems;
}
