import { CHECK_PATTERN, RISK_FLAGS, TASK_STATUSES, TASK_TYPES, VERIFY_PATTERN } from "../names.ts";
import type { Schema } from "../../../../files/json/schema.ts";

/** `tasks.yaml` and `acceptance.json` as values. Parsing YAML is the codec's work. */

const FILLED: Schema = { type: "string", pattern: "\\S" };
const TEXTS: Schema = { type: "array", items: { type: "string" } };

const CHECK: Schema = {
  type: "string",
  pattern: CHECK_PATTERN,
  "x-rule": "TC-015",
  "x-fix":
    'Begin every check with "cmd: " and what to run, or "manual: " and what a person looks at.',
};

const task: Schema = {
  type: "object",
  "x-rule": "TC-135",
  required: ["id", "status", "goal", "acceptance_checks"],
  properties: {
    id: {
      type: "string",
      pattern: "^T-\\d{3,}$",
      "x-rule": "TC-008",
      "x-fix": "Number tasks T-001, T-002 and so on.",
    },
    status: {
      enum: TASK_STATUSES,
      "x-rule": "TC-121",
      "x-fix": `Use one of ${TASK_STATUSES.join(", ")}.`,
    },
    type: { enum: TASK_TYPES, "x-rule": "TC-128" },
    title: FILLED,
    depends_on: { ...TEXTS, "x-rule": "TC-129" },
    goal: { ...FILLED, "x-rule": "TC-135" },
    non_goals: TEXTS,
    context_files: TEXTS,
    files_expected: TEXTS,
    acceptance_checks: { type: "array", minItems: 1, items: CHECK, "x-rule": "TC-135" },
    risk_flags: { type: "array", items: { enum: RISK_FLAGS }, "x-rule": "TC-015" },
    done_when: { ...TEXTS, "x-rule": "TC-138" },
  },
};

export const tasksSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "tasks.yaml of a team session",
  type: "object",
  "x-rule": "TC-135",
  "x-fix": "List them under tasks:, each with id, status, goal and acceptance_checks.",
  required: ["tasks"],
  properties: {
    project: {
      type: "object",
      "x-rule": "TC-128",
      properties: { name: { type: "string" }, definition_of_done: TEXTS },
    },
    tasks: { type: "array", minItems: 1, items: task, "x-rule": "TC-135" },
  },
};

/** What the plan of a full session must have in addition. */
export const PLAN_FIELDS: readonly string[] = ["depends_on", "done_when"];
/** What the planner is asked to write. Missing fields are reported but do not stop a session. */
export const PLANNER_FIELDS: readonly string[] = [
  "type",
  "title",
  "non_goals",
  "context_files",
  "files_expected",
  "risk_flags",
];

export const acceptanceSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "acceptance.json of a team session",
  type: "object",
  "x-rule": "TC-133",
  required: ["acceptance_criteria"],
  properties: {
    acceptance_criteria: {
      type: "array",
      minItems: 1,
      items: {
        type: "object",
        "x-rule": "TC-133",
        "x-fix": "A criterion has an id, a description and a list verify.",
        required: ["id", "description", "verify"],
        properties: {
          id: { type: "string", pattern: "^AC-[A-Z0-9]+(-[A-Z0-9]+)*$" },
          description: FILLED,
          verify: {
            type: "array",
            minItems: 1,
            items: { type: "string", pattern: VERIFY_PATTERN },
            "x-fix": "List how it is verified: a command, or manual: what a person looks at.",
          },
        },
      },
    },
  },
};
