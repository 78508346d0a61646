import { isJsonObject } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { text } from "../../../core/values/json-read.ts";
import { ADOPTED } from "../../../core/decide/start.ts";
import type { Bound, Decision, Finding, Workflow } from "../../../core/state/state.ts";
import { APPROVE_DESIGN_ID } from "../files/names.ts";

/** Decisions in the form of `user_decisions`. */

const GATES: Readonly<Record<string, string>> = {
  "approve-design": "APPROVE_DESIGN",
  "review-strategy": "REVIEW_STRATEGY",
};

const ORIGINS: Readonly<Record<string, string>> = {
  "security-finding": "security",
  "review-notes": "review-notes",
  "retry-exhausted": "retry-exhausted",
  "retry-exhausted-security": "retry-exhausted",
  "agent-blocked": "agent-blocked",
  "research-info": "requirements",
  "design-changed": "design",
  "stray-changes": "scope",
  "nothing-done": "scope",
  "lean-outgrown": "scope",
};

export function decisionEntries(workflow: Workflow): readonly JsonObject[] {
  return Object.values(workflow.decisions).map((one) => decisionEntry(workflow, one));
}

/** One decision as an entry of `user_decisions`. An approval given again counts as the gate's. */
export function decisionEntry(workflow: Workflow, decision: Decision): JsonObject {
  const again = decision.id === APPROVE_DESIGN_ID ? reapproval(workflow) : undefined;
  const entry = entryOf(decision);
  if (again === undefined || again.seq <= (decision.settled?.seq ?? 0)) return entry;
  return {
    ...entry,
    status: "answered",
    answer: "approved: as it is now",
    resolved_at: again.at,
    resolution_reason: null,
  };
}

/** The approval that a person gave again when the design changed after the gate. */
export function reapproval({ findings }: Workflow): Finding | undefined {
  return Object.values(findings)
    .filter((one) => one.kind === "design-approval")
    .toSorted((a, b) => b.seq - a.seq)[0];
}

/**
 * What a person approved, at the gate or when asked again. An approval found in a file does not count, because
 * nobody gave it here.
 */
export function approvals(workflow: Workflow): readonly Bound[] {
  const { status, settled, bound = {} } = workflow.decisions[APPROVE_DESIGN_ID] ?? {};
  const given = status === "answered" && settled?.option === "approved" && settled.by !== ADOPTED;
  const again = reapproval(workflow);
  return [...(again === undefined ? [] : [again.bound]), ...(given ? [bound] : [])];
}

function entryOf(decision: Decision): JsonObject {
  const { about, question, settled } = decision;
  // An entry from before there was a journal keeps its wording until somebody answers.
  const written = isJsonObject(about["entry"]) ? about["entry"] : undefined;
  if (written !== undefined && (settled === null || settled.by === ADOPTED)) return written;
  const status = entryStatus(decision);
  const origin = text(written?.["origin"]) || (ORIGINS[question] ?? text(about["origin"]));
  return {
    decision_id: decision.id,
    question: decision.prompt.trim(),
    status,
    answer: status === "answered" ? answerText(decision) : null,
    asked_at: text(written?.["asked_at"]) || decision.askedAt,
    resolved_at: settled?.at ?? null,
    state_context: GATES[question] ?? (text(about["from"]) || "INTAKE"),
    resolution_reason: status === "cancelled" || status === "skipped" ? reason(decision) : null,
    ...(origin === "" ? {} : { origin }),
  };
}

function entryStatus({ status, settled }: Decision): string {
  if (status === "open") return "pending";
  if (status === "void") return "skipped";
  return settled?.option === "skip" ? "skipped" : status;
}

/** The canonical answer: a gate's choice begins with its keyword, whatever was typed. */
function answerText({ question, settled }: Decision): string {
  const said = settled?.text.trim() ?? "";
  const option = settled?.option ?? "";
  if (question === "review-strategy") return option;
  if (question !== "approve-design") return said === "" ? option : said;
  const rest = said.toLowerCase().startsWith(option) ? said.slice(option.length) : "";
  return `${option}${rest}`;
}

function reason({ status, settled }: Decision): string {
  if (settled?.option === "no-response") return "no response provided";
  if (status === "void") return settled?.text || "no longer relevant";
  return settled?.text || "withdrawn";
}
