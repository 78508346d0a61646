/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema */
import {
  AGENTS,
  CHANGE_TYPES,
  CHECK_PATTERN,
  CI_COLOURS,
  OUTPUT_STATUSES,
  PROJECT_TYPES,
  RISK_FLAGS,
} from "../names.ts";
import type { Schema } from "../../../../files/json/schema.ts";

/** The two messages that agents exchange: a worker's input and its reply. */

const FILLED: Schema = { type: "string", pattern: "\\S", maxLength: 20_000 };
const LONG: Schema = { type: "string", maxLength: 1_000_000 };
const TEXTS: Schema = { type: "array", items: LONG, maxItems: 2_000 };
const TASK: Schema = {
  type: "string",
  pattern: "^(T-\\d{3,}|meta)$",
  "x-rule": "TC-008",
  "x-fix": "Use a task id of tasks.yaml, or meta.",
};

const change: Schema = {
  type: "object",
  "x-rule": "TC-010",
  required: ["path", "change_type"],
  properties: {
    path: FILLED,
    change_type: { enum: CHANGE_TYPES },
    old_path: FILLED,
  },
  additionalProperties: false,
  if: { properties: { change_type: { const: "renamed" } } },
  then: { required: ["old_path"], "x-fix": "A renamed file has its old_path." },
  else: { properties: { old_path: false }, "x-fix": "Only a renamed file has an old_path." },
};

export const inputSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "input of a team worker",
  type: "object",
  "x-rule": "TC-001",
  required: ["task", "project_type", "repo_state", "tools_available"],
  additionalProperties: false,
  properties: {
    task: {
      type: "object",
      required: [
        "id",
        "title",
        "goal",
        "non_goals",
        "context_files",
        "constraints",
        "acceptance_checks",
        "risk_flags",
      ],
      additionalProperties: false,
      properties: {
        id: TASK,
        title: FILLED,
        goal: FILLED,
        non_goals: TEXTS,
        context_files: {
          type: "array",
          items: { ...FILLED, "x-rule": "TC-036" },
          "x-rule": "TC-030",
        },
        session_changed_files: { type: "array", items: change, "x-rule": "TC-009" },
        constraints: TEXTS,
        acceptance_checks: {
          type: "array",
          items: {
            type: "string",
            pattern: CHECK_PATTERN,
            "x-rule": "TC-015",
            "x-fix":
              'Begin every check with "cmd: " and what to run, or "manual: " and what a person looks at.',
          },
        },
        risk_flags: { type: "array", items: { enum: RISK_FLAGS }, "x-rule": "TC-015" },
      },
    },
    project_type: { enum: PROJECT_TYPES, "x-rule": "TC-013" },
    repo_state: {
      type: "object",
      "x-rule": "TC-014",
      required: ["branch", "ci_status"],
      additionalProperties: false,
      properties: {
        branch: { type: "string" },
        ci_status: { enum: CI_COLOURS },
        last_failed_step: { type: ["string", "null"] },
      },
    },
    tools_available: { ...TEXTS, "x-rule": "TC-014" },
    artifact_list: TEXTS,
    lean: { type: "boolean" },
    research_question: FILLED,
  },
};

const gates: Schema = {
  type: "object",
  required: ["meets_definition_of_done", "needs_review", "needs_tests", "security_concerns"],
  properties: {
    meets_definition_of_done: { type: "boolean", "x-rule": "TC-021" },
    needs_review: { type: "boolean" },
    needs_tests: { type: "boolean" },
    security_concerns: TEXTS,
  },
};

export const outputSchema: Schema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "reply of a team worker",
  type: "object",
  "x-rule": "TC-003",
  required: ["status", "summary", "artifacts", "gates", "next"],
  additionalProperties: false,
  properties: {
    status: { enum: OUTPUT_STATUSES },
    summary: {
      type: "string",
      pattern: "\\S",
      maxLength: 20_000,
      "x-rule": "TC-017",
      "x-fix": "Say in one to three sentences what was done, or what stands in the way.",
    },
    artifacts: {
      type: "object",
      properties: {
        files_to_create_or_update: TEXTS,
        files_changed: TEXTS,
        tests_added_or_updated: TEXTS,
        manual_steps: TEXTS,
        review_comments: { type: "array", maxItems: 2_000 },
        findings: { type: "array", maxItems: 2_000 },
        commands_to_run: TEXTS,
        notes: TEXTS,
      },
    },
    gates,
    next: {
      type: "object",
      "x-rule": "TC-016",
      required: ["recommended_agent", "recommended_task_id", "reason"],
      properties: {
        recommended_agent: {
          enum: AGENTS,
          "x-rule": "TC-174",
          "x-fix": `Use the canonical name: ${AGENTS.join(", ")}.`,
        },
        recommended_task_id: {
          type: "string",
          pattern: "^(T-\\d{3,}|meta|same)$",
          "x-fix": "Use a task id, meta, or same.",
        },
        reason: LONG,
      },
    },
  },
};

const texts = TEXTS;

/** Members that single roles add under `artifacts`. */
export const ROLE_ARTIFACTS: Readonly<Record<string, Schema>> = {
  Designer: {
    properties: {
      design_spec_inline: { type: ["string", "null"] },
      design_spec_file: { type: ["string", "null"] },
    },
  },
  Researcher: {
    properties: {
      research_summary: LONG,
      confidence: { enum: ["high", "medium", "low"] },
      options: {
        type: "array",
        items: {
          type: "object",
          required: ["id", "label", "pros", "cons", "effort", "recommended"],
          properties: {
            id: FILLED,
            label: FILLED,
            pros: texts,
            cons: texts,
            effort: { enum: ["low", "medium", "high"] },
            recommended: { type: "boolean" },
          },
        },
      },
    },
  },
  Coder: { properties: { patch_summary: texts } },
  Reviewer: {
    "x-rule": "TC-162",
    "x-fix": "Name every group of the checklist: OK, issues_found or N/A.",
    properties: {
      review_comments: {
        type: "array",
        items: {
          type: "object",
          "x-rule": "TC-163",
          required: ["severity", "category", "file", "message"],
          properties: {
            severity: { enum: ["nit", "minor", "major", "blocker"] },
            category: {
              enum: [
                "Security",
                "Architecture",
                "Logic",
                "Performance",
                "Quality",
                "Devil's Advocate",
              ],
            },
            file: { type: "string" },
            line: { type: ["integer", "string", "null"] },
            message: FILLED,
            suggested_fix: { type: ["string", "null"] },
          },
        },
      },
      checklist_summary: {
        type: "object",
        required: [
          "security",
          "architecture",
          "logic",
          "performance",
          "quality",
          "devils_advocate",
        ],
        additionalProperties: { enum: ["OK", "issues_found", "N/A"] },
      },
    },
  },
  QA: {
    properties: {
      test_results: {
        type: "object",
        "x-rule": "TC-164",
        required: ["passed", "failed", "skipped", "output"],
        properties: {
          passed: { type: "integer", minimum: 0 },
          failed: { type: "integer", minimum: 0 },
          skipped: { type: "integer", minimum: 0 },
          output: LONG,
        },
      },
      coverage_gaps: texts,
    },
  },
  Security: {
    properties: {
      findings: {
        type: "array",
        items: {
          type: "object",
          "x-rule": "TC-165",
          required: ["severity", "category", "file", "description", "recommended_fix"],
          properties: {
            severity: { enum: ["low", "medium", "high", "critical"] },
            category: {
              enum: ["XSS", "CSP", "SSRF", "Auth", "Secrets", "Deps", "Validation", "Other"],
            },
            file: FILLED,
            description: FILLED,
            recommended_fix: { type: "string" },
          },
        },
      },
    },
  },
  Integrator: { properties: { ci_notes: texts } },
};
