import type { Json, JsonObject } from "../../../core/values/json.ts";
import { number, textIfAny } from "../../../core/values/json-read.ts";
import type { Parsed } from "../../../files/problem.ts";
import { checkFields, fieldProblem, type FieldRule, isText, isUtc, openJson } from "./json-file.ts";

/**
 * `agents/<agent>/status.json`: what an agent says about its own work.
 *
 *   { "agent", "task", "mode": "requirements" | "validation" | "implementation",
 *     "status": "WORKING" | "IN_PROGRESS" | "MERGING" | "COMPLETE" | "ERROR" | "WAITING" | "BLOCKED",
 *     "decision"?: "APPROVED" | "REJECTED" | "PENDING", "round"?, "last_review_sha"?, "last_merge_sha"?,
 *     "work_remaining"?, "feedback"?, "blocked_by"?, "details"?, "error_message"?, "retry_count"?, "updated_at" }
 *
 * Also accepted, in any case: `not_started`, `completed`, `failed`. Only COMPLETE ends a phase.
 */
export type AgentState =
  | "WORKING"
  | "IN_PROGRESS"
  | "MERGING"
  | "COMPLETE"
  | "ERROR"
  | "WAITING"
  | "BLOCKED"
  | "NOT_STARTED";

export interface AgentStatus {
  readonly agent: string | undefined;
  readonly task: string | undefined;
  readonly mode: string | undefined;
  readonly status: AgentState | undefined;
  readonly decision: "APPROVED" | "REJECTED" | "PENDING" | undefined;
  readonly round: number | undefined;
  readonly workRemaining: string | undefined;
  readonly feedback: string | undefined;
  readonly blockedBy: string | undefined;
  readonly errorMessage: string | undefined;
  readonly retryCount: number;
  readonly updatedAt: string | undefined;
  readonly raw: JsonObject;
}

/** Codes: `status-unreadable`, `status-field`. */
export function parseAgentStatus(
  text: string,
  expected: { readonly agent?: string; readonly task?: string } = {},
): Parsed<AgentStatus> {
  const file = openJson(text, "status-unreadable", "TP-093");
  if (file.value === undefined) return { value: undefined, problems: file.problems };
  const value = readStatus(file.value);
  const wrong = Object.entries(expected).flatMap(([key, wanted]) => {
    const given = file.value?.[key];
    return given === undefined || given === wanted
      ? []
      : [
          fieldProblem(file, {
            code: "status-field",
            path: [key],
            message: `${key} is ${JSON.stringify(given)}, the folder says "${wanted}"`,
            fix: `Set ${key} to "${wanted}".`,
            rule: "TP-093",
          }),
        ];
  });
  const needs = value.status === "ERROR" ? [ERROR_MESSAGE] : [];
  const fields = checkFields(file, "status-field", [...FIELDS, ...needs]);
  return { value, problems: [...file.problems, ...fields, ...wrong] };
}

const STATUSES: Readonly<Record<string, AgentState>> = {
  WORKING: "WORKING",
  IN_PROGRESS: "IN_PROGRESS",
  MERGING: "MERGING",
  COMPLETE: "COMPLETE",
  COMPLETED: "COMPLETE",
  ERROR: "ERROR",
  FAILED: "ERROR",
  WAITING: "WAITING",
  BLOCKED: "BLOCKED",
  NOT_STARTED: "NOT_STARTED",
};

export function normalStatus(text: string): AgentState | undefined {
  const word = text.trim().toUpperCase().replaceAll(/[ -]/g, "_");
  return Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
}

function isStatus(value: Json): boolean {
  return typeof value === "string" && normalStatus(value) !== undefined;
}

function normalDecision(text: string): AgentStatus["decision"] {
  const word = text.trim().toUpperCase();
  return word === "APPROVED" || word === "REJECTED" || word === "PENDING" ? word : undefined;
}

function readStatus(raw: JsonObject): AgentStatus {
  const text = (key: string): string | undefined => textIfAny(raw[key]);
  const { round, retry_count: retries } = raw;
  return {
    agent: text("agent"),
    task: text("task"),
    mode: text("mode")?.toLowerCase(),
    status: normalStatus(text("status") ?? ""),
    decision: normalDecision(text("decision") ?? ""),
    round: typeof round === "number" && Number.isInteger(round) ? round : undefined,
    workRemaining: text("work_remaining"),
    feedback: text("feedback"),
    blockedBy: text("blocked_by"),
    errorMessage: text("error_message"),
    retryCount: number(retries, 0),
    updatedAt: text("updated_at"),
    raw,
  };
}

const FIELDS: readonly FieldRule[] = [
  [
    "status",
    isStatus,
    "WORKING, IN_PROGRESS, MERGING, COMPLETE, ERROR, WAITING or BLOCKED",
    "TP-093",
  ],
  [
    "decision?",
    (value) => value === null || (typeof value === "string" && normalDecision(value) !== undefined),
    "APPROVED, REJECTED or PENDING",
    "TP-170",
  ],
  [
    "round?",
    (value) => typeof value === "number" && Number.isInteger(value) && value >= 1,
    "a whole number from 1",
    "TP-093",
  ],
  ["updated_at?", isUtc, "a time in UTC with a Z", "TP-061"],
];

const ERROR_MESSAGE: FieldRule = ["error_message", isText, "what went wrong", "TP-098"];
