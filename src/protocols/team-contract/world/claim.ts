import type { Claim } from "../../../core/state/commands.ts";
import { isJsonObject, showJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Dispatch } from "../../../core/state/state.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { WorkerReply } from "../files/output-json.ts";
import { list } from "../../../core/values/json-read.ts";
import { feedbackOf } from "../words/feedback.ts";

/** A worker's reply as a claim: the fields that the tables use, and the reply itself. */
export function toClaim(reply: WorkerReply, dispatch: Dispatch): Claim {
  const feedback = feedbackOf(reply.artifacts);
  const findings = list(reply.artifacts["findings"]).filter((one) => isJsonObject(one));
  return {
    agent: dispatch.role,
    outcome: outcomeOf(reply, dispatch.role),
    task: taskOf(dispatch),
    dispatch: dispatch.id,
    summary: reply.summary,
    done: reply.gates.done,
    needs_review: reply.gates.needsReview,
    needs_tests: reply.gates.needsTests,
    concerns: reply.gates.concerns,
    files: reply.files,
    questions: findings.flatMap(toQuestion),
    feedback,
    remarks: feedback.join(" / "),
    reply: reply.raw,
  };
}

/** No usable reply: an error, a timeout, or a text that is not a JSON object. */
export function unreadableClaim(dispatch: Dispatch, summary: string): Claim {
  const { role: agent, id } = dispatch;
  return { agent, outcome: "UNREADABLE", task: taskOf(dispatch), dispatch: id, summary };
}

export function taskOf({ unit }: Pick<Dispatch, "unit">): string {
  return unit === ROOT ? "meta" : unit;
}

function outcomeOf(reply: WorkerReply, role: string): string {
  const { status, artifacts } = reply;
  if (role === "Reviewer" && status === "OK" && hasNotes(artifacts)) return "OK_WITH_NOTES";
  if (role === "Coder" && status === "BLOCKED" && isTooComplex(artifacts)) return "TOO_COMPLEX";
  return status;
}

/** Passed with comments that a person should see: any above a nit. */
function hasNotes(artifacts: JsonObject): boolean {
  return list(artifacts["review_comments"]).some(
    (one) => isJsonObject(one) && ["minor", "major"].includes(showJson(one["severity"])),
  );
}

/** A note that starts with this says that the work is too large for a lean session. */
export const TOO_COMPLEX = "too-complex";

function isTooComplex(artifacts: JsonObject): boolean {
  return list(artifacts["notes"]).some(
    (one) => typeof one === "string" && one.trim().toLowerCase().startsWith(TOO_COMPLEX),
  );
}

/** Each finding that needs a person's judgement becomes a question; low ones do not. */
function toQuestion(finding: JsonObject, index: number): readonly JsonObject[] {
  const { severity, category, file, description, recommended_fix } = finding;
  if (severity === "low") return [];
  return [
    {
      number: index + 1,
      severity: severity ?? "",
      category: category ?? "",
      file: file ?? "unknown",
      description: description ?? "",
      recommended_fix: recommended_fix ?? "",
    },
  ];
}
