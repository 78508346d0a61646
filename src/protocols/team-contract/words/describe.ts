import { showJson } from "../../../core/values/json.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { sessionPath } from "../files/session-name.ts";
import type { Description } from "../../../ports/family.ts";
import { evidenceLines } from "../table/evidence.ts";
import { ciResult, ownedStatus, taskStatuses } from "../world/render.ts";
import { remedy } from "../../../core/table/remedy.ts";

/** Describes where a session stands. */
export function describe(state: Workflow): Description {
  const { current_state, mode, blocker, blocker_detail } = ownedStatus(state);
  const tasks = Object.entries(taskStatuses(state)).map(([id, status]) => `${id} ${status}`);
  const correction = showJson(state.vars["correction"] ?? "");
  const details = [
    { name: "mode", value: mode },
    { name: "tasks", value: tasks.join(", ") },
    { name: "strategy", value: showJson(state.vars["strategy"] ?? "") },
    { name: "correction", value: current_state === "APPROVE_DESIGN" ? correction : "" },
    { name: "checks", value: ciResult(state) },
    ...evidenceLines(state).map((value, index) => ({ name: `check ${index + 1}`, value })),
    { name: "blocked by", value: [blocker, blocker_detail].filter(Boolean).join(": ") },
  ].filter(({ value }) => value !== "" && value !== "none");
  const closing = closingOf(state);
  return {
    headline: headlineOf(current_state, correction),
    state: current_state,
    details,
    finished: current_state === "DONE",
    ...(closing === undefined ? {} : { closing }),
  };
}

function headlineOf(at: string, correction: string): string {
  const corrects = at === "APPROVE_DESIGN" && ["queued", "dispatched"].includes(correction);
  return corrects ? "Correcting the design" : (HEADLINES[at] ?? at);
}

const HEADLINES: Readonly<Record<string, string>> = {
  INTAKE: "Writing the specification",
  INTAKE_LEAN: "Setting up a small task",
  DESIGN: "Designing",
  APPROVE_DESIGN: "Waiting for approval of the design",
  PLAN: "Planning the tasks",
  REVIEW_STRATEGY: "Waiting for the review strategy",
  IMPLEMENT_LOOP: "Implementing",
  FIX_REVIEW: "Repairing what the review found",
  FIX_TESTS: "Repairing what the tests found",
  FIX_SECURITY: "Repairing what the security check found",
  FIX_BUILD: "Repairing the build",
  INTEGRATE: "Bringing it together",
  RELEASE: "Preparing the release",
  DONE: "Done",
  ASK_USER: "Waiting for an answer",
  BLOCKED: "Blocked: a person has to act",
};

/** The closing message: the result and where it is, or what stopped the session and how to continue. */
function closingOf(state: Workflow): Description["closing"] {
  const { id } = state;
  const { current_state, blocker, blocker_detail, blocked_from } = ownedStatus(state);
  if (current_state === "DONE") {
    const tasks = Object.keys(taskStatuses(state));
    const done = tasks.length === 0 ? "No tasks" : `${tasks.join(", ")} completed`;
    return {
      message: `${done}; checks ${ciResult(state)}. What was done, and what shows it: ${sessionPath(id, "report.md")}`,
      fix: remedy(
        "advance",
        { workflow: id, step: "reopen", reason: "..." },
        "To take it up again",
      ),
    };
  }
  if (current_state !== "BLOCKED") return undefined;
  const why = blocker_detail === undefined || blocker_detail === "" ? "" : `: ${blocker_detail}`;
  return {
    message: `Stopped in ${blocked_from ?? "INTAKE"} by ${blocker ?? ""}${why}`,
    fix: remedy(
      "advance",
      { workflow: id, step: "unblock", reason: "..." },
      `${WORKAROUNDS[blocker ?? ""] ?? "Remove the cause"}, then`,
    ),
  };
}

/** The smallest helpful step, by what stopped the session. */
const WORKAROUNDS: Readonly<Record<string, string>> = {
  mandatory_user_decision_missing: "Decide what to answer; the question is asked again",
  subagent_failure: "Find out why the agent gives no JSON; its work is handed out again",
  agent_failed: "See why the agent gave up, and mend that; its work is handed out again",
  agent_blocked: "Give the agent what it lacks",
  decision_persistence_failed: "Mend the file; the answer is kept and nobody is asked again",
  repair_exhausted: "Repair it by hand or change the plan",
};
