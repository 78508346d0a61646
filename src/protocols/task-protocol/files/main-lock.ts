import type { JsonObject } from "../../../core/values/json.ts";
import { textIfAny } from "../../../core/values/json-read.ts";
import type { Parsed } from "../../../files/problem.ts";
import { checkFields, type FieldRule, isText, isUtc, oneOf, openJson } from "./json-file.ts";

/**
 * `<tasks>/main/task.json`: who may touch the main working tree right now.
 *
 *   { "session_id", "task_name": "main-worktree-operation",
 *     "operation_type": "git-operation" | "file-modification" | "configuration-update",
 *     "state": "IN_PROGRESS", "created_at" }
 */
export const OPERATION_TYPES: readonly string[] = [
  "git-operation",
  "file-modification",
  "configuration-update",
];

export interface MainLock {
  readonly sessionId: string | undefined;
  readonly operationType: string | undefined;
  readonly raw: JsonObject;
}

/** Codes: `main-lock-unreadable`, `main-lock-field`. */
export function parseMainLock(text: string): Parsed<MainLock> {
  const file = openJson(text, "main-lock-unreadable", "TP-038");
  if (file.value === undefined) return { value: undefined, problems: file.problems };
  const { session_id: session, operation_type: operation } = file.value;
  const value = {
    sessionId: textIfAny(session),
    operationType: textIfAny(operation),
    raw: file.value,
  };
  return { value, problems: [...file.problems, ...checkFields(file, "main-lock-field", FIELDS)] };
}

export interface MainLockInput {
  readonly session: string;
  readonly operation: string;
  readonly at: string;
}

/** Undefined for an operation that has no lock. */
export function mainLock({ session, operation, at }: MainLockInput): JsonObject | undefined {
  if (!OPERATION_TYPES.includes(operation)) return undefined;
  return {
    session_id: session,
    task_name: "main-worktree-operation",
    operation_type: operation,
    state: "IN_PROGRESS",
    created_at: at,
  };
}

const FIELDS: readonly FieldRule[] = [
  ["session_id", isText, "a session id", "TP-038"],
  ["task_name", oneOf("main-worktree-operation"), '"main-worktree-operation"', "TP-038"],
  ["operation_type", oneOf(...OPERATION_TYPES), OPERATION_TYPES.join(", "), "TP-038"],
  ["state", oneOf("IN_PROGRESS"), '"IN_PROGRESS"', "TP-038"],
  ["created_at", isUtc, "a time in UTC with a Z", "TP-061"],
];
