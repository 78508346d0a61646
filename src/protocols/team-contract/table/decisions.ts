import { isJsonObject } from "../../../core/json.ts";
import type { JsonObject } from "../../../core/json.ts";
import { text } from "../../../core/json-read.ts";
import { ADOPTED } from "../../../core/start.ts";
import type { Decision } from "../../../core/state.ts";

/** Decisions in the words of `user_decisions`. */

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
};

/** One decision as an entry of `user_decisions`. */
export function decisionEntry(decision: Decision): JsonObject {
  const { about, question, settled } = decision;
  // What a file said before there was a journal stays as it was written, until somebody answers.
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

/** The canonical answer: a gate's choice begins with its word, whatever was typed. */
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
