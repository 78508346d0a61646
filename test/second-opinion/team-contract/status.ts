/** status.json by the contract's minimal schema. */
import {
  fieldsOf,
  isFields,
  isText,
  isTime,
  listOf,
  objection,
  said,
  type Fields,
  type Objection,
  unless,
} from "../opinion.ts";
import { type SessionFiles, stateOf } from "./files.ts";

export const STATES: readonly string[] = [
  "INTAKE",
  "INTAKE_LEAN",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
  "ASK_USER",
  "FIX_REVIEW",
  "FIX_TESTS",
  "FIX_SECURITY",
  "FIX_BUILD",
  "BLOCKED",
];

const LOOPS = ["FIX_REVIEW", "FIX_TESTS", "FIX_SECURITY", "FIX_BUILD"];

export function judgeStatus(files: SessionFiles): readonly Objection[] {
  const { id, status, texts } = files;
  if (texts["status.json"] === undefined) return [objection("status:missing", "no status.json")];
  if (status === undefined) return [objection("status:json", "status.json is no JSON object")];
  return [
    ...unless(STATES.includes(stateOf(files)), "status:current_state", `"${stateOf(files)}"`),
    ...unless(status["session"] === id, "status:session", `it is about ${said(status["session"])}`),
    ...["assumptions", "known_issues"].flatMap((key) =>
      unless(
        Array.isArray(status[key]) && listOf(status[key]).every(isText),
        `status:${key}`,
        `${key} is no list of texts`,
      ),
    ),
    ...unless(
      Array.isArray(status["user_decisions"]),
      "status:user_decisions",
      "user_decisions is no list",
    ),
    ...unless(
      ["unknown", "green", "red"].includes(said(status["last_ci_result"])),
      "status:last_ci_result",
      `last_ci_result is ${said(status["last_ci_result"])}`,
    ),
    ...unless(isTime(status["last_update"]), "status:last_update", "last_update is no time"),
    ...judgeRetries(status),
    ...judgeTracking(status),
    ...judgeFlags(status),
    ...judgeDuplicates(status),
  ];
}

/** By task, by loop, how often. */
function judgeRetries({ retry_counts: counts }: Fields): readonly Objection[] {
  const fits =
    isFields(counts) &&
    Object.values(counts).every(
      (loops) =>
        isFields(loops) &&
        Object.entries(loops).every(
          ([loop, count]) => LOOPS.includes(loop) && Number.isInteger(count) && Number(count) >= 0,
        ),
    );
  return unless(fits, "status:retry_counts", "retry_counts has another shape");
}

/** Where a correction of the design stands; the section may be left out until it is needed. */
function judgeTracking({ gate_tracking: tracking }: Fields): readonly Objection[] {
  if (tracking === undefined) return [];
  const { correction_status: status, last_correction_dispatch: last } = fieldsOf(
    fieldsOf(tracking)["APPROVE_DESIGN"],
  );
  const { agent = null, task_id: task = null, at = null } = fieldsOf(last);
  const known = [null, "SpecAgent", "Architect", "Designer"].includes(agent as string | null);
  return [
    ...unless(
      ["none", "queued", "dispatched", "completed"].includes(said(status)),
      "status:gate_tracking",
      `correction_status is ${said(status)}`,
    ),
    ...unless(
      known && (task === null || task === "meta") && (at === null || isTime(at)),
      "status:gate_tracking",
      `the last correction went to ${said(agent)}, task ${said(task)}`,
    ),
  ];
}

function judgeFlags({ runtime_flags: flags }: Fields): readonly Objection[] {
  if (flags === undefined) return [];
  const { copilot_instructions_exists: exists, copilot_checked_at: at } = fieldsOf(flags);
  return unless(
    typeof exists === "boolean" && isTime(at),
    "status:runtime_flags",
    "runtime_flags has another shape",
  );
}

/** The status of a task stands in tasks.yaml and nowhere else. */
function judgeDuplicates(status: Fields): readonly Objection[] {
  return Object.keys(status)
    .filter((key) => /task/.test(key))
    .map((key) => objection("status:duplicate", `${key} repeats what tasks.yaml says`));
}
