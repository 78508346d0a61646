/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import {
  APPROVE_DESIGN_ID,
  CI_COLOURS,
  CORRECTION_STATUSES,
  CORRECTORS,
  DECISION_STATUSES,
  FIX_LOOPS,
  FIX_MAX,
  FORBIDDEN_STATUS_KEYS,
  REVIEW_STRATEGY_ID,
  STATES,
} from "../names.ts";
import type { Schema } from "../../../../files/json/schema.ts";

/** `status.json`: the state of a whole session. Unknown keys are kept; task status is not allowed here. */

const TIME: Schema = {
  type: "string",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}([.]\\d+)?)?(Z|[+-]\\d{2}:?\\d{2})$",
  "x-rule": "TC-058",
  "x-fix": "Write the time as ISO-8601, such as 2026-02-17T01:15:39.294Z.",
};
const FILLED: Schema = { type: "string", pattern: "\\S" };
const NULL: Schema = { type: "null" };
const TEXTS: Schema = { type: "array", items: { type: "string" } };

function nullable(schema: Schema): Schema {
  return { anyOf: [{ type: "null" }, schema] };
}

function when(status: string, fields: JsonObject, fix: string): Schema {
  return {
    if: { properties: { status: { const: status } }, required: ["status"] },
    then: { properties: fields, "x-rule": "TC-086", "x-fix": fix },
  };
}

const resolved: JsonObject = { resolved_at: TIME };

export const decisionSchema: Schema = {
  type: "object",
  "x-rule": "TC-086",
  required: [
    "decision_id",
    "question",
    "status",
    "answer",
    "asked_at",
    "resolved_at",
    "state_context",
    "resolution_reason",
  ],
  properties: {
    decision_id: {
      type: "string",
      pattern: `^(UD-[1-9]\\d*|${APPROVE_DESIGN_ID}|${REVIEW_STRATEGY_ID})$`,
      "x-rule": "TC-066",
      "x-fix": `Use UD-<n>, ${APPROVE_DESIGN_ID} or ${REVIEW_STRATEGY_ID}.`,
    },
    question: { ...FILLED, "x-rule": "TC-064" },
    status: { enum: DECISION_STATUSES, "x-rule": "TC-086" },
    answer: { type: ["string", "null"] },
    asked_at: TIME,
    resolved_at: nullable(TIME),
    state_context: {
      enum: STATES.filter((state) => !["ASK_USER", "BLOCKED", "DONE"].includes(state)),
      "x-rule": "TC-082",
      "x-fix": "Name the state the question arose in; for a gate, the gate.",
    },
    resolution_reason: { type: ["string", "null"] },
    origin: { type: "string", "x-rule": "TC-076" },
  },
  allOf: [
    when(
      "pending",
      { answer: NULL, resolved_at: NULL, resolution_reason: NULL },
      "A pending entry has answer, resolved_at and resolution_reason null.",
    ),
    when(
      "answered",
      { answer: FILLED, ...resolved },
      "An answered entry has an answer and the time it was given.",
    ),
    when(
      "cancelled",
      { ...resolved, resolution_reason: FILLED },
      "A cancelled entry says when and why.",
    ),
    when(
      "skipped",
      { ...resolved, resolution_reason: FILLED },
      "A skipped entry says when and why.",
    ),
  ],
};

const correction: Schema = {
  type: ["object", "null"],
  "x-rule": "TC-056",
  properties: {
    correction_status: {
      enum: [...CORRECTION_STATUSES, null],
      "x-rule": "TC-054",
      "x-fix": `Use one of ${CORRECTION_STATUSES.join(", ")}.`,
    },
    last_correction_dispatch: {
      type: ["object", "null"],
      properties: {
        agent: { enum: [...CORRECTORS, null], "x-rule": "TC-056" },
        task_id: { enum: ["meta", null], "x-rule": "TC-056" },
        at: nullable(TIME),
      },
    },
  },
};

const loops: JsonObject = Object.fromEntries(
  FIX_LOOPS.map((loop): [string, Json] => [
    loop,
    { type: "integer", minimum: 0, maximum: FIX_MAX, "x-rule": "TC-056" },
  ]),
);

const forbidden: Schema = {
  not: {},
  "x-rule": "TC-053",
  "x-fix": "Take it out: the status of tasks lives in tasks.yaml alone.",
};

export const statusSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "status.json of a team session",
  type: "object",
  "x-rule": "TC-051",
  required: [
    "current_state",
    "session",
    "assumptions",
    "user_decisions",
    "retry_counts",
    "known_issues",
    "last_ci_result",
    "last_update",
  ],
  properties: {
    current_state: {
      enum: STATES,
      "x-rule": "TC-051",
      "x-fix": "Use one of the sixteen states of the contract.",
    },
    session: { ...FILLED, "x-rule": "TC-022", "x-fix": "Write the name of the session folder." },
    assumptions: { ...TEXTS, "x-rule": "TC-052" },
    user_decisions: { type: "array", items: decisionSchema, "x-rule": "TC-086" },
    gate_tracking: {
      type: ["object", "null"],
      "x-rule": "TC-054",
      properties: { APPROVE_DESIGN: correction },
    },
    runtime_flags: {
      type: ["object", "null"],
      "x-rule": "TC-054",
      properties: {
        copilot_instructions_exists: { type: "boolean" },
        copilot_checked_at: TIME,
      },
    },
    retry_counts: {
      type: "object",
      "x-rule": "TC-056",
      propertyNames: {
        pattern: "^(T-\\d{3,}|meta)$",
        "x-fix": "Keys of retry_counts are task ids, or meta.",
      },
      additionalProperties: { type: "object", properties: loops, additionalProperties: false },
    },
    known_issues: { ...TEXTS, "x-rule": "TC-052" },
    last_ci_result: { enum: CI_COLOURS, "x-rule": "TC-057" },
    last_update: TIME,
    mode: { enum: ["full", "lean"], "x-rule": "TC-139" },
    blocker: { type: ["string", "null"], "x-rule": "TC-102" },
    blocker_detail: { type: ["string", "null"], "x-rule": "TC-180" },
    blocked_from: { enum: [...STATES, null], "x-rule": "TC-007" },
    ...Object.fromEntries(FORBIDDEN_STATUS_KEYS.map((key): [string, Json] => [key, forbidden])),
  },
};
