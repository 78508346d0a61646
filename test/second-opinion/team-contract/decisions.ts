/** The records of what was asked and answered, by the contract's rules for them. */
import {
  fieldsOf,
  isFilled,
  isText,
  isTime,
  listOf,
  objection,
  readJson,
  said,
  type Fields,
  type Objection,
  unless,
} from "../opinion.ts";
import { type SessionFiles, decisionOf, stateOf } from "./files.ts";
import { STATES } from "./status.ts";

export const APPROVAL = "UD-APPROVE-DESIGN";
export const STRATEGY = "UD-REVIEW-STRATEGY";
const GATES: Readonly<Record<string, string>> = {
  [APPROVAL]: "APPROVE_DESIGN",
  [STRATEGY]: "REVIEW_STRATEGY",
};

export function judgeDecisions(files: SessionFiles): readonly Objection[] {
  return [
    ...files.decisions.flatMap((one) => [...judgeRecord(one), ...judgeAnswer(one)]),
    ...judgeIds(files),
    ...judgePending(files),
    ...judgeHistory(files),
    ...judgeCancelled(files),
  ];
}

export function idOf(decision: Fields): string {
  return said(decision["decision_id"]);
}

/** What each status asks of the other fields. */
function judgeRecord(decision: Fields): readonly Objection[] {
  const { status, answer, resolved_at: at, resolution_reason: reason } = decision;
  const id = idOf(decision);
  const holds =
    status === "pending"
      ? answer === null && at === null && reason === null
      : status === "answered"
        ? isFilled(answer) && isTime(at) && (reason === null || isText(reason))
        : ["cancelled", "skipped"].includes(said(status)) &&
          isTime(at) &&
          isFilled(reason) &&
          (answer === null || isText(answer));
  const context = decision["state_context"];
  return [
    ...unless(holds, "decision:record", `${id} is ${said(status)}, and its fields are not so`),
    ...unless(isTime(decision["asked_at"]), "decision:record", `${id} was asked at no time`),
    ...unless(isFilled(decision["question"]), "decision:record", `${id} has no question`),
    ...unless(
      isText(context) && STATES.includes(context) && (GATES[id] ?? context) === context,
      "decision:record",
      `${id} comes from ${said(context)}`,
    ),
  ];
}

/** The two gates take these answers and no others. */
function judgeAnswer(decision: Fields): readonly Objection[] {
  const { status, answer } = decision;
  if (status !== "answered" || !isText(answer)) return [];
  const id = idOf(decision);
  if (id === STRATEGY)
    return unless(isStrategy(answer), "decision:answer", `${id} is answered "${answer}"`);
  if (id !== APPROVAL) return [];
  return unless(
    answer.startsWith("approved") || answer.startsWith("changes-requested:"),
    "decision:answer",
    `${id} is answered "${answer}"`,
  );
}

export function isStrategy(answer: unknown): boolean {
  return answer === "per-batch" || answer === "single-final";
}

/** Counted up one by one; the ids of the two gates at most once. */
function judgeIds({ decisions }: SessionFiles): readonly Objection[] {
  const ids = decisions.map(idOf);
  const numbers = ids.flatMap((id) => /^UD-(\d+)$/.exec(id)?.[1] ?? []).map(Number);
  const odd = ids.filter((id) => !(id in GATES) && !/^UD-\d+$/.test(id));
  return [
    ...odd.map((id) => objection("decision:id", `${id} is no id`)),
    ...unless(new Set(ids).size === ids.length, "decision:id", "an id is there twice"),
    ...unless(
      numbers.every((number, index) => number === index + 1),
      "decision:id",
      `the numbers are ${numbers.join(", ")}`,
    ),
  ];
}

/** Nothing goes on while a question is open: it is open only where it is asked. */
function judgePending(files: SessionFiles): readonly Objection[] {
  const state = stateOf(files);
  const open = files.decisions.filter((one) => one["status"] === "pending").map(idOf);
  const stray = open.filter((id) => (GATES[id] ?? "ASK_USER") !== state);
  const asked = files.decisions.some((one) => !(idOf(one) in GATES));
  return [
    ...stray.map((id) => objection("decision:pending", `${id} is open in ${state}`)),
    ...unless(state !== "ASK_USER" || asked, "decision:question", "nothing was asked in ASK_USER"),
  ];
}

/** Every request for changes is kept in the history before the answer is written over. */
function judgeHistory(files: SessionFiles): readonly Objection[] {
  const text = files.texts["approve-design-history.jsonl"] ?? "";
  const lines = text.split("\n").filter((line) => line !== "");
  const records = lines.map((line) => fieldsOf(readJson(line)));
  const odd = records.filter(
    (one) =>
      !isTime(one["at"]) ||
      one["decision_id"] !== APPROVAL ||
      !said(one["answer"]).startsWith("changes-requested:") ||
      one["state_context"] !== "APPROVE_DESIGN",
  );
  const { answer } = decisionOf(files, APPROVAL) ?? {};
  const asked = isText(answer) && answer.startsWith("changes-requested:");
  const tracking = fieldsOf(fieldsOf(files.status?.["gate_tracking"])["APPROVE_DESIGN"]);
  return [
    ...odd.map(() => objection("history:line", "a line of the history is no request")),
    ...unless(
      !asked || records.some((one) => one["answer"] === answer),
      "history:missing",
      "a request for changes is not in the history",
    ),
    ...unless(
      !asked || ["queued", "dispatched", "completed"].includes(said(tracking["correction_status"])),
      "decision:correction",
      "changes are requested, and no correction is queued",
    ),
  ];
}

/** A gate that nobody decides blocks the session, and says so. */
function judgeCancelled(files: SessionFiles): readonly Objection[] {
  const cancelled = files.decisions.some(
    (one) => idOf(one) in GATES && one["status"] === "cancelled",
  );
  const blocked =
    stateOf(files) === "BLOCKED" && files.status?.["blocker"] === "mandatory_user_decision_missing";
  return unless(
    !cancelled || blocked,
    "decision:cancelled",
    "a gate was cancelled, and it goes on",
  );
}

export function lastAsked({ decisions }: SessionFiles): Fields | undefined {
  return listOf(decisions)
    .map((one) => fieldsOf(one))
    .findLast((one) => !(idOf(one) in GATES));
}
