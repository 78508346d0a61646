import type { Claim } from "../../../core/state/commands.ts";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { parseAgentStatus } from "../files/agent-status.ts";
import { readReviewDecision, readScopeDecision } from "../files/decision-lines.ts";
import type { ReadReport } from "../../../ports/family.ts";
import { ANSWER, ANSWERS } from "../words/order.ts";
import { text } from "../../../core/values/json-read.ts";
import { VARS } from "../table/vars.ts";

/**
 * Reads an agent's answer as a claim: JSON in the form of its status file, or prose with decision lines. Anything
 * else is malformed, and never approves anything.
 */
export function readReport(answer: string, dispatch: Dispatch, state: Workflow): ReadReport {
  const parsed = parseJson(answer.trim());
  if (isJsonObject(parsed)) return fromJson(answer, parsed, dispatch, state);
  const decided = fromLines(answer, dispatch);
  if (decided !== undefined) return { kind: "report", claim: decided, warnings: [] };
  const outcome = JUDGING.includes(dispatch.spec) ? "MALFORMED" : "ERROR";
  const error_message = `no report could be read: ${answer.trim().slice(0, RAW_CHARS_MAX)}`;
  return {
    kind: "void",
    claim: { agent: dispatch.role, outcome, error_message },
    refusals: [
      {
        code: "report-unreadable",
        message: `${dispatch.role} gave no report that can be read; it counts as a failed try`,
        fix: `Hand it out again; it answers with ${ANSWERS[dispatch.spec] ?? ANSWER}.`,
        rule: outcome === "MALFORMED" ? "TP-170" : "TP-098",
      },
    ],
  };
}

const RAW_CHARS_MAX = 500;
const JUDGING: readonly string[] = ["review", "round-review"];

function fromJson(
  answer: string,
  given: JsonObject,
  dispatch: Dispatch,
  state: Workflow,
): ReadReport {
  const { value, problems } = parseAgentStatus(answer.trim(), { task: state.id });
  const errors = problems.filter(
    (one) => one.severity === "error" && given["outcome"] === undefined,
  );
  if (value === undefined || errors.length > 0) {
    const refusals = errors.map(({ code, message, fix, rule }) => ({ code, message, fix, rule }));
    return { kind: "refused", refusals };
  }
  const { agent, outcome, status: _, ...rest } = given;
  // Paths and limits belong to the workflow, so a report's values for them are dropped.
  const own = Object.entries(rest).filter(([name]) => !Object.hasOwn(VARS, name));
  const claim: Claim = {
    ...Object.fromEntries(own),
    agent: text(agent) || dispatch.role,
    outcome: text(outcome) || outcomeOf(value.status, value.decision, dispatch.spec),
  };
  return { kind: "report", claim, warnings: [] };
}

function outcomeOf(status: string | undefined, decision: string | undefined, spec: string): string {
  if (status === "ERROR" || status === "BLOCKED") return status;
  if (JUDGING.includes(spec) && decision !== undefined && decision !== "PENDING") return decision;
  if (JUDGING.includes(spec)) return "MALFORMED";
  if (status !== "COMPLETE") return "PARTIAL";
  return spec === "clarification" || spec === "validation" ? "DONE" : "COMPLETE";
}

function fromLines(answer: string, dispatch: Dispatch): Claim | undefined {
  const agent = dispatch.role;
  if (JUDGING.includes(dispatch.spec)) {
    const decision = readReviewDecision(answer);
    if (decision.kind === "malformed") return undefined;
    return { agent, outcome: decision.kind, feedback: decision.reason };
  }
  if (dispatch.spec !== "scope") return undefined;
  const decision = readScopeDecision(answer);
  if (decision.kind === "malformed") return undefined;
  const { kind: outcome, blocking, deferrable, justification } = decision;
  return { agent, outcome, blocking, deferrable, justification };
}
