/** task.json and state.json: where the task stands, how it came there, and what a person has seen of it. */
import {
  type Fields,
  type Objection,
  fieldsOf,
  isFilled,
  isText,
  isTime,
  listOf,
  objection,
  said,
  unless,
} from "../opinion.ts";
import { CHANGE_FLAG, type TaskFiles, logOf, stateOf } from "./files.ts";

export const STATES: readonly string[] = [
  "INIT",
  "CLASSIFIED",
  "REQUIREMENTS",
  "SYNTHESIS",
  "IMPLEMENTATION",
  "VALIDATION",
  "REVIEW",
  "AWAITING_USER_APPROVAL",
  "SCOPE_NEGOTIATION",
  "COMPLETE",
  "CLEANUP",
];

export function judgeLock(files: TaskFiles): readonly Objection[] {
  const { lock, texts, id } = files;
  if (texts["task.json"] === undefined) return [objection("lock:missing", "there is no task.json")];
  if (lock === undefined) return [objection("lock:json", "task.json is no JSON object")];
  return [
    ...unless(isFilled(lock["session_id"]), "lock:session_id", "nobody owns it"),
    ...unless(lock["task_name"] === id, "lock:task_name", `it is about ${said(lock["task_name"])}`),
    ...unless(STATES.includes(stateOf(files)), "lock:state", `the state is ${stateOf(files)}`),
    ...unless(isTime(lock["created_at"]), "lock:created_at", "created_at is no time"),
    ...judgeLog(files),
    ...judgeCheckpoint(files),
    ...judgeAgents(lock),
  ];
}

/** Every move in order, each from where the one before led, none left out, the last where it stands. */
function judgeLog(files: TaskFiles): readonly Objection[] {
  const { lock } = files;
  if (!Array.isArray(lock?.["transition_log"])) return [objection("lock:log", "there is no log")];
  const log = logOf(lock);
  const broken = log.filter(({ from }, index) => from !== (log[index - 1]?.to ?? "INIT"));
  const times = log.map(({ timestamp }) => said(timestamp));
  const back = times.filter((time, index) => time < (times[index - 1] ?? ""));
  const skipped = log.filter(({ from, to }) => !isMove(said(from), said(to)));
  return [
    ...unless(broken.length === 0, "lock:log", "the log does not hang together"),
    ...unless(
      times.every((time) => isTime(time) && time.endsWith("Z")) && back.length === 0,
      "lock:log",
      "the times of the log are not in order, or not UTC",
    ),
    ...unless(
      (log.at(-1)?.to ?? "INIT") === stateOf(files),
      "lock:log",
      `the log ends at ${said(log.at(-1)?.to)}, the state is ${stateOf(files)}`,
    ),
    ...skipped.map(({ from, to }) =>
      objection(`lock:move ${said(from)} to ${said(to)}`, "no such move"),
    ),
  ];
}

/** What follows what; from review, a wish and trouble lead back. */
const MOVES: Readonly<Record<string, readonly string[]>> = {
  INIT: ["CLASSIFIED"],
  CLASSIFIED: ["REQUIREMENTS"],
  REQUIREMENTS: ["SYNTHESIS", "CLASSIFIED"],
  SYNTHESIS: ["IMPLEMENTATION"],
  IMPLEMENTATION: ["VALIDATION"],
  VALIDATION: ["REVIEW", "REQUIREMENTS"],
  REVIEW: ["AWAITING_USER_APPROVAL", "IMPLEMENTATION", "REQUIREMENTS"],
  AWAITING_USER_APPROVAL: ["COMPLETE", "IMPLEMENTATION"],
  COMPLETE: ["CLEANUP"],
};

function isMove(from: string, to: string): boolean {
  return (MOVES[from] ?? []).includes(to);
}

/** Presented is a commit, and COMPLETE only what a person approved. */
function judgeCheckpoint(files: TaskFiles): readonly Objection[] {
  const state = stateOf(files);
  const {
    type,
    commit_sha: sha,
    presented_at: at,
    approved,
  } = fieldsOf(files.lock?.["checkpoint"]);
  const shown = type === "USER_APPROVAL_POST_REVIEW" && isTime(at) && typeof approved === "boolean";
  const open = state === "AWAITING_USER_APPROVAL";
  const needs = state === "COMPLETE" || (open && files.texts[CHANGE_FLAG] !== undefined);
  return [
    ...unless(!open || (shown && isFilled(sha)), "lock:checkpoint", "nothing was presented"),
    ...unless(!needs || approved === true, "lock:approval", "the change is not approved"),
    ...unless(
      !["IMPLEMENTATION", "VALIDATION", "REVIEW"].includes(state) || approved !== true,
      "lock:outlived",
      "an approval of what was shown before still stands",
    ),
  ];
}

function judgeAgents(lock: Fields): readonly Objection[] {
  const { required_agents: agents = [], agent_additions: additions = [] } = lock;
  const names = listOf(agents);
  const odd = listOf(additions)
    .map((one) => fieldsOf(one))
    .filter(
      (one) =>
        !names.includes(one["agent"]) ||
        !isText(one["added_at_state"]) ||
        !["REQUIREMENTS", "SYNTHESIS", "IMPLEMENTATION"].includes(one["added_at_state"]) ||
        !isTime(one["timestamp"]) ||
        !isFilled(one["justification"]),
    );
  return [
    ...unless(
      Array.isArray(agents) && names.every(isFilled) && new Set(names).size === names.length,
      "lock:required_agents",
      `the agents are ${said(agents)}`,
    ),
    ...odd.map((one) => objection("lock:agent_additions", `${said(one["agent"])} was added so`)),
  ];
}

function wayOf(record: Fields): readonly string[] {
  return logOf(record).map(({ from, to }) => `${said(from)} to ${said(to)}`);
}

/** The same task in the other record. */
export function judgeState({ state, lock, texts }: TaskFiles): readonly Objection[] {
  if (lock === undefined) return [];
  if (texts["state.json"] === undefined)
    return [objection("state:missing", "there is no state.json")];
  if (state === undefined) return [objection("state:json", "state.json is no JSON object")];
  const same = (key: string, other: string): readonly Objection[] =>
    unless(
      JSON.stringify(state[key]) === JSON.stringify(lock[other]),
      `state:${key}`,
      `state.json says ${said(state[key])}, task.json ${said(lock[other])}`,
    );
  const classified = lock["risk_level"] !== undefined;
  const { REQUIREMENTS, IMPLEMENTATION, VALIDATION, REVIEW } = fieldsOf(state["evidence"]);
  return [
    ...same("current_state", "state"),
    ...same("session_id", "session_id"),
    ...same("task_name", "task_name"),
    ...(classified ? same("risk_level", "risk_level") : []),
    ...(classified ? same("required_agents", "required_agents") : []),
    ...unless(
      JSON.stringify(wayOf(state)) === JSON.stringify(wayOf(lock)),
      "state:transition_log",
      "the two logs differ",
    ),
    ...unless(
      [REQUIREMENTS, IMPLEMENTATION, VALIDATION].every(
        (list) => Array.isArray(list) && list.every(isText),
      ) &&
        Object.values(fieldsOf(REVIEW)).every((one) =>
          ["APPROVED", "REJECTED"].includes(said(one)),
        ),
      "state:evidence",
      "the evidence has another shape",
    ),
  ];
}
