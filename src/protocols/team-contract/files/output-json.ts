import { isJsonObject, showJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { object, text, texts } from "../../../core/values/json-read.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";
import { checkJson, hasErrors, problem } from "./json-problems.ts";
import { type JsonText, lineOf } from "../../../files/json/source.ts";
import { type Agent, OUTPUT_STATUSES, OWN_STATUSES, type OutputStatus } from "./names.ts";
import { type Expected, checkReply } from "./output-rules.ts";
import { ROLE_ARTIFACTS, outputSchema } from "./schemas/messages.ts";
import { checkSchema } from "../../../files/json/schema.ts";

/**
 * A worker's reply. The whole text must be one JSON object. Every problem is reported at once with its path, so
 * that an agent can fix them together. Keys that a role adds are kept.
 */
export interface WorkerReply {
  readonly status: OutputStatus;
  readonly summary: string;
  readonly artifacts: JsonObject;
  readonly files: readonly string[];
  readonly gates: ReplyGates;
  readonly next: { readonly agent: string; readonly task: string; readonly reason: string };
  readonly raw: JsonObject;
}

export interface ReplyGates {
  readonly done: boolean;
  readonly needsReview: boolean;
  readonly needsTests: boolean;
  readonly concerns: readonly string[];
}

/** Undefined value as soon as one problem is an error. */
export interface ParsedReply extends Parsed<WorkerReply> {
  /** `unreadable` counts as a failed dispatch; `invalid` can be corrected by the agent. */
  readonly kind: "reply" | "unreadable" | "invalid";
}

/** Codes: `reply-unreadable`, `reply-field`, `reply-status`, `reply-inconsistent`. */
export function parseReply(text: string, expected: Expected): ParsedReply {
  const { json, value, problems } = checkJson(text, outputSchema, {
    unreadable: "reply-unreadable",
    field: "reply-field",
    rule: "TC-002",
    fix: "Answer with one JSON object and nothing else: no fence, no comment, no sentence around it.",
  });
  if (!isJsonObject(value))
    return { value: undefined, kind: "unreadable", problems: fenced(text, problems) };
  const all = [
    ...problems,
    ...roleProblems(json, value, expected.agent),
    ...statusProblems(json, value, expected.agent),
    ...checkReply(value, expected).map(({ path, ...row }) =>
      problem({ code: "reply-inconsistent", line: lineOf(json, path), ...row }),
    ),
  ];
  if (hasErrors(all)) return { value: undefined, kind: "invalid", problems: all };
  return { value: toReply(value, expected), kind: "reply", problems: all };
}

/** If the text is not an object at all, one clear sentence replaces the other problems. */
function fenced(text: string, problems: readonly Problem[]): readonly Problem[] {
  const message = text.trimStart().startsWith("```")
    ? "The reply stands in a code fence; it must be the bare JSON object"
    : "The reply is not one JSON object";
  const fix =
    "Answer with one JSON object and nothing else: no fence, no comment, no sentence around it.";
  const first = problem({ code: "reply-unreadable", line: 1, message, fix, rule: "TC-002" });
  return [first, ...problems];
}

function roleProblems(json: JsonText, value: JsonObject, agent: Agent): readonly Problem[] {
  const schema = ROLE_ARTIFACTS[agent];
  const { artifacts } = value;
  if (schema === undefined || !isJsonObject(artifacts)) return [];
  return checkSchema({ properties: { artifacts: schema } }, value).map(
    ({ path, message, fix, rule }) =>
      problem({ code: "reply-field", line: lineOf(json, path), message, fix, rule }),
  );
}

function statusProblems(json: JsonText, value: JsonObject, agent: Agent): readonly Problem[] {
  const { status } = value;
  const owner = typeof status === "string" ? OWN_STATUSES[status] : undefined;
  if (owner === undefined || owner === agent) return [];
  return [
    problem({
      code: "reply-status",
      line: lineOf(json, ["status"]),
      message: `$.status is ${showJson(status)}, which only ${owner} may return; this is ${agent}`,
      fix: "Return OK, BLOCKED or FAIL.",
      rule: "TC-019",
    }),
  ];
}

function toReply(raw: JsonObject, { task }: Expected): WorkerReply {
  const artifacts = object(raw["artifacts"]);
  const gates = object(raw["gates"]);
  const next = object(raw["next"]);
  const named = text(next["recommended_task_id"]);
  return {
    status: OUTPUT_STATUSES.find((one) => one === raw["status"]) ?? "FAIL",
    summary: text(raw["summary"]),
    artifacts,
    files: [
      ...new Set([
        ...texts(artifacts["files_to_create_or_update"]),
        ...texts(artifacts["files_changed"]),
        ...texts(artifacts["tests_added_or_updated"]),
      ]),
    ],
    gates: {
      done: gates["meets_definition_of_done"] === true,
      needsReview: gates["needs_review"] === true,
      needsTests: gates["needs_tests"] === true,
      concerns: texts(gates["security_concerns"]),
    },
    next: {
      agent: text(next["recommended_agent"]),
      task: named === "same" ? task : named,
      reason: text(next["reason"]),
    },
    raw,
  };
}

export type { Expected };
