import { rootOf } from "../../../core/state/evolve.ts";
import { isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Decision, Dispatch, Workflow } from "../../../core/state/state.ts";
import { latestFinding } from "../table/guards/agents.ts";
import { logOf } from "../table/log.ts";
import { object, text } from "../../../core/values/json-read.ts";
import { ADOPTED } from "./adopted.ts";
import { evidenceFor } from "./evidence.ts";
import { modeOf, requiredAgents, roundOf } from "../table/states.ts";

/** The owned fields of every file of a task, from the workflow alone. */

/** The session that has the task, or had it when it last sent out work. */
export function sessionOf(state: Workflow): string {
  const last = Object.values(state.dispatches).at(-1)?.session;
  return state.lease?.session ?? last ?? text(object(state.vars[ADOPTED])["session"]);
}

/** `task.json`. The checkpoint is only there while a commit waits for release or after it was released. */
export function taskFields(state: Workflow): JsonObject {
  const checkpoint = checkpointOf(state);
  const risk = state.vars["risk_level"];
  return {
    session_id: sessionOf(state),
    task_name: state.id,
    state: rootOf(state).at,
    created_at: state.startedAt,
    transition_log: logOf(state).map(({ reason, ...entry }) => withReason(entry, reason)),
    ...(typeof risk === "string" ? { risk_level: risk } : {}),
    required_agents: requiredAgents(state),
    agent_additions: additionsOf(state),
    ...(checkpoint === undefined ? {} : { checkpoint }),
  };
}

function withReason(
  entry: { readonly from: string; readonly to: string; readonly timestamp: string },
  reason: string,
): JsonObject {
  return reason === "" ? { ...entry } : { ...entry, reason };
}

/** Agents that joined later, with state, time and reason. */
export function additionsOf(state: Workflow): readonly JsonObject[] {
  return Object.values(state.units)
    .filter((unit) => unit.kind === "agent" && typeof unit.data["added_at"] === "string")
    .filter((unit) => unit.at !== "preparing")
    .map((unit) => ({
      agent: unit.id,
      added_at_state: unit.data["added_at_state"] ?? null,
      timestamp: unit.data["added_at"] ?? null,
      justification: justificationOf(unit.data["justification"]),
    }));
}

function justificationOf(value: Json | undefined): string {
  if (!isJsonObject(value)) return text(value);
  return Object.values(value)
    .filter((one) => typeof one === "string")
    .join("; ");
}

/** The last question about a commit that is open or led to a release. A wish for changes closes it. */
export function checkpointOf(state: Workflow): JsonObject | undefined {
  const asked = Object.values(state.decisions).findLast((one) => one.question === "change");
  if (asked === undefined || !isShown(state, asked)) return undefined;
  return {
    type: "USER_APPROVAL_POST_REVIEW",
    commit_sha: text(asked.bound[`head:${state.id}`]),
    presented_at: asked.askedAt,
    approved: asked.status === "answered" && asked.settled?.option === "approve",
  };
}

/**
 * The release that is still valid: of the plan since its states were entered, of the commit since the last
 * rework.
 */
export function releaseOf(state: Workflow, question: "plan" | "change"): Decision | undefined {
  const asked = Object.values(state.decisions).findLast((one) => one.question === question);
  const released = asked?.status === "answered" && asked.settled?.option === "approve";
  if (asked === undefined || !released) return undefined;
  return (question === "plan" ? isPlanned(state, asked) : isShown(state, asked))
    ? asked
    : undefined;
}

/** Going back to requirements, or planning again, makes the plan's release void. */
function isPlanned(state: Workflow, { settled }: Decision): boolean {
  const { at, entered } = rootOf(state);
  const before = ["INIT", "CLASSIFIED", "REQUIREMENTS"].includes(at);
  return !before && (settled?.seq ?? 0) > (entered["SYNTHESIS"] ?? 0);
}

function isShown(state: Workflow, asked: Decision): boolean {
  if (asked.status === "open") return true;
  const since = rootOf(state).entered["IMPLEMENTATION"] ?? 0;
  const released = asked.status === "answered" && asked.settled?.option === "approve";
  return released && (asked.settled?.seq ?? 0) > since;
}

/** `state.json`: the same history, with the evidence for each state. */
export function stateFields(state: Workflow): JsonObject {
  return {
    current_state: rootOf(state).at,
    session_id: sessionOf(state),
    task_name: state.id,
    risk_level: state.vars["risk_level"] ?? null,
    required_agents: requiredAgents(state),
    evidence: evidenceOf(state),
    transition_log: logOf(state).map((entry, _, log) => ({
      from: entry.from,
      to: entry.to,
      timestamp: entry.timestamp,
      evidence: evidenceFor(state, log, entry).join("; "),
    })),
    risk_classification: state.vars["risk"] ?? null,
    feasibility: state.vars["feasibility"] ?? null,
    outcome: state.vars["ended"] ?? null,
  };
}

function evidenceOf(state: Workflow): JsonObject {
  const agents = requiredAgents(state);
  const of = (kind: string, value: string): readonly string[] =>
    agents.filter((agent) => latestFinding(state, kind, agent)?.value === value);
  const builds = Object.values(state.findings).filter(
    (one) => one.kind === "build" && one.value === "passed",
  );
  const reviews = agents.flatMap((agent) => {
    const found = latestFinding(state, "review", agent);
    return found === undefined ? [] : [[agent, found.value] as const];
  });
  const released = Object.values(state.decisions).findLast(
    (one) => one.question === "plan" && one.settled?.option === "approve",
  );
  const plan = released?.bound[`plan-digest:${state.id}`];
  return {
    REQUIREMENTS: of("requirements", "COMPLETE").map(
      (agent) => `${state.id}-${agent}-requirements.md`,
    ),
    SYNTHESIS: typeof plan === "string" ? [plan] : [],
    IMPLEMENTATION: [...new Set(builds.map((one) => one.bound[`tree:${state.id}`]))].filter(
      (one) => typeof one === "string",
    ),
    VALIDATION: builds.map((one) => one.at),
    REVIEW: Object.fromEntries(reviews),
  };
}

/** `agents/<agent>/status.json`: the agent's latest order and its result. Undefined before the first. */
export function agentFields(state: Workflow, agent: string): JsonObject | undefined {
  const last = Object.values(state.dispatches).findLast((one) => one.unit === agent);
  if (last === undefined) return undefined;
  const mode = modeOf(last.spec);
  const decision = decisionOf(last);
  return {
    agent,
    task: state.id,
    mode,
    status: statusOf(last),
    ...(mode === "implementation" ? {} : { decision: decision ?? "PENDING" }),
    round: roundOf(state, agent, last.spec),
    work_remaining:
      last.claim?.["work_remaining"] ?? (statusOf(last) === "COMPLETE" ? "none" : "pending"),
    ...optional(last, "feedback"),
    ...optional(last, "blocked_by"),
    ...optional(last, "details"),
    ...optional(last, "error_message"),
    ...(statusOf(last) === "ERROR" && text(last.claim?.["error_message"]) === ""
      ? { error_message: `the order ended without a report: ${last.outcome ?? ""}` }
      : {}),
    retry_count: state.spent[`retries/${agent}`] ?? 0,
    updated_at: last.endedAt ?? last.sentAt,
  };
}

function optional({ claim }: Dispatch, field: string): JsonObject {
  const value = claim?.[field];
  return value === undefined ? {} : { [field]: value };
}

function decisionOf({ outcome }: Dispatch): string | undefined {
  if (outcome === "APPROVED" || outcome === "REJECTED") return outcome;
  return outcome === "COMPLETE" ? "APPROVED" : undefined;
}

const ENDED: Readonly<Record<string, string>> = {
  COMPLETE: "COMPLETE",
  APPROVED: "COMPLETE",
  REJECTED: "COMPLETE",
  DEFER: "COMPLETE",
  RESOLVE_NOW: "COMPLETE",
  DONE: "COMPLETE",
  PARTIAL: "IN_PROGRESS",
  BLOCKED: "BLOCKED",
};

function statusOf({ status, outcome }: Dispatch): string {
  return status === "ended" ? (ENDED[outcome ?? ""] ?? "ERROR") : "WORKING";
}

export type TodoWord = "READY" | "IN_PROGRESS";

/** The word of a task's entry in the list: taken while it runs, and closed by the merged commit itself. */
export function todoWordOf(state: Workflow): TodoWord | "closed" {
  const { ended } = state.vars;
  if (ended === "merged") return "closed";
  return rootOf(state).at === "CLEANUP" ? "READY" : "IN_PROGRESS";
}
