import { isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { objects } from "../../../core/values/json-read.ts";
import type { Agent } from "./names.ts";
import { INLINE_LINES_MAX, isInline } from "./session-name.ts";

/** What was asked of whom, to check the reply against. */
export interface Expected {
  readonly agent: Agent;
  /** The task: `T-001` or `meta`. `same` in the reply means this one. */
  readonly task: string;
  readonly tools?: readonly string[];
  readonly checks?: readonly string[];
}

/** Where a reply contradicts itself: for example, a checker must not pass what it reports as broken. */
export interface Contradiction {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
}

export function checkReply(reply: JsonObject, expected: Expected): readonly Contradiction[] {
  const artifacts = reply["artifacts"];
  const passed = reply["status"] === "OK";
  if (!isJsonObject(artifacts)) return [];
  switch (expected.agent) {
    case "Reviewer":
      return passed ? reviewerRules(artifacts) : [];
    case "QA":
      return passed ? qaRules(artifacts, expected) : [];
    case "Security":
      return securityRules(reply, artifacts);
    case "Designer":
      return designerRules(artifacts);
    case "SpecAgent":
    case "Architect":
    case "Planner":
    case "Researcher":
    case "Coder":
    case "Integrator":
    case "Docs":
    case "Orchestrator":
      return [];
  }
}

function designerRules(artifacts: JsonObject): readonly Contradiction[] {
  const inline = artifacts["design_spec_inline"];
  return typeof inline === "string" && !isInline(inline)
    ? [
        contradiction(
          ["artifacts", "design_spec_inline"],
          `A design spec of more than ${INLINE_LINES_MAX} lines inside the reply`,
          "Write it to design-specs/design-spec-<feature>.md and name it in design_spec_file.",
          "TC-138",
        ),
      ]
    : [];
}

function reviewerRules(artifacts: JsonObject): readonly Contradiction[] {
  const comments = objects(artifacts["review_comments"]);
  const grave = comments.filter(
    ({ severity, category }) =>
      severity === "blocker" || (severity === "major" && category === "Security"),
  );
  return [
    ...grave.map((comment) =>
      contradiction(
        ["artifacts", "review_comments", comments.indexOf(comment)],
        `OK with a ${show(comment["severity"])} comment (${show(comment["category"])})`,
        "Return BLOCKED, or take the comment back.",
        "TC-163",
      ),
    ),
    ...("checklist_summary" in artifacts
      ? []
      : [
          contradiction(
            ["artifacts"],
            "OK without a checklist_summary",
            "Name every group of the checklist: OK, issues_found or N/A.",
            "TC-162",
          ),
        ]),
  ];
}

function qaRules(artifacts: JsonObject, expected: Expected): readonly Contradiction[] {
  const results = artifacts["test_results"];
  const path = ["artifacts", "test_results"];
  const cannotRun =
    expected.tools !== undefined &&
    !expected.tools.includes("run_cmd") &&
    expected.checks?.some((check) => check.startsWith("cmd:")) === true;
  if (cannotRun)
    return [
      contradiction(
        ["status"],
        "OK although nothing here can run the cmd: checks",
        "Return BLOCKED and say that tests cannot be run.",
        "TC-166",
      ),
    ];
  if (!isJsonObject(results))
    return [
      contradiction(
        path,
        "OK without test_results",
        "Run the tests and give the counts.",
        "TC-164",
      ),
    ];
  const failed = results["failed"];
  return typeof failed === "number" && failed > 0
    ? [
        contradiction(
          [...path, "failed"],
          `OK with ${failed} failed tests`,
          "Return BLOCKED.",
          "TC-164",
        ),
      ]
    : [];
}

function securityRules(reply: JsonObject, artifacts: JsonObject): readonly Contradiction[] {
  const findings = objects(artifacts["findings"]);
  const gates = reply["gates"];
  const concerns = isJsonObject(gates) ? gates["security_concerns"] : undefined;
  if (reply["status"] === "NEEDS_DECISION" && findings.length === 0)
    return [
      contradiction(
        ["artifacts", "findings"],
        "NEEDS_DECISION without a finding to decide on",
        "List each finding that needs a person's judgement.",
        "TC-075",
      ),
    ];
  if (reply["status"] !== "OK") return [];
  const grave = findings.filter(({ severity }) => severity !== "low");
  return [
    ...grave.map((finding) =>
      contradiction(
        ["artifacts", "findings", findings.indexOf(finding)],
        `OK with a ${show(finding["severity"])} finding`,
        "Return BLOCKED for high or critical, NEEDS_DECISION for medium.",
        "TC-165",
      ),
    ),
    ...(isJsonArray(concerns) && concerns.length > 0
      ? [
          contradiction(
            ["gates", "security_concerns"],
            "OK with security concerns",
            "Return BLOCKED, or take the concern back.",
            "TC-165",
          ),
        ]
      : []),
  ];
}

function contradiction(
  path: readonly (string | number)[],
  message: string,
  fix: string,
  rule: string,
): Contradiction {
  return { path, message, fix, rule };
}

function show(value: Json | undefined): string {
  return typeof value === "string" ? value : "?";
}
