/** What must lie in a task's folder by its state, and what its audit trail must hold. */
import { dirname, join } from "node:path";
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
import { PLAN_FLAG, type TaskFiles, logOf, realPath, stateOf } from "./files.ts";
import { hasSection } from "./gates.ts";
import { STATES } from "./lock.ts";

const AGENT_STATUSES = [
  "WORKING",
  "IN_PROGRESS",
  "MERGING",
  "COMPLETE",
  "ERROR",
  "WAITING",
  "BLOCKED",
];

function hasReached(files: TaskFiles, state: string): boolean {
  return STATES.indexOf(stateOf(files)) >= STATES.indexOf(state);
}

export function judgeArtifacts(files: TaskFiles): readonly Objection[] {
  if (files.lock === undefined) return [];
  return [
    ...judgeDocument(files),
    ...judgeReports(files),
    ...judgeStatuses(files),
    ...judgePlaces(files),
    ...judgeTrail(files),
  ];
}

function judgeDocument(files: TaskFiles): readonly Objection[] {
  const text = files.texts["task.md"];
  if (text === undefined)
    return unless(!hasReached(files, "REQUIREMENTS"), "task.md:missing", "there is no task.md");
  const missing = ["Task Objective", "Scope Definition", "Stakeholder Agent Reports"].filter(
    (title) => !hasSection(files, title),
  );
  const released = files.texts[PLAN_FLAG] !== undefined;
  return [
    ...missing.map((title) => objection(`task.md:section ${title}`, `no section ${title}`)),
    ...unless(
      !hasReached(files, "IMPLEMENTATION") || /implementation plan/i.test(text),
      "task.md:plan",
      "there is no implementation plan",
    ),
    ...unless(
      !hasReached(files, "IMPLEMENTATION") || released,
      "plan:approval",
      "no plan was approved",
    ),
  ];
}

function judgeReports(files: TaskFiles): readonly Objection[] {
  return files.agents.flatMap((agent) => {
    const size = files.reports[agent];
    if (size === undefined)
      return unless(!hasReached(files, "SYNTHESIS"), `report ${agent}`, `${agent} left no report`);
    return unless(size >= 100, `report ${agent}`, `the report of ${agent} has ${size} bytes`);
  });
}

function judgeStatuses({ agents, statuses }: TaskFiles): readonly Objection[] {
  return agents.flatMap((agent) => {
    const status = statuses[agent];
    if (status === undefined) return [];
    return [
      ...unless(
        AGENT_STATUSES.includes(said(status["status"])),
        `agent ${agent}`,
        `${agent} is ${said(status["status"])}`,
      ),
      ...unless(
        status["status"] !== "ERROR" || isFilled(status["error_message"]),
        `agent ${agent}`,
        `${agent} is in ERROR and does not say why`,
      ),
    ];
  });
}

/** The task works in a worktree of its own from the start, each agent in its own while there is work for it. */
function judgePlaces(files: TaskFiles): readonly Objection[] {
  const state = stateOf(files);
  if (["", "COMPLETE", "CLEANUP"].includes(state)) return [];
  const known = (path: string): boolean => files.worktrees.includes(realPath(path) ?? "");
  const working = ["REQUIREMENTS", "SYNTHESIS", "IMPLEMENTATION", "VALIDATION", "REVIEW"];
  const homeless = files.agents.filter(
    (agent) => !known(join(dirname(files.code), "agents", agent, "code")),
  );
  return [
    ...unless(known(files.code), "worktree:task", "the task has no worktree"),
    ...(working.includes(state) ? homeless : []).map((agent) =>
      objection(`worktree:agent ${agent}`, `${agent} has no worktree`),
    ),
  ];
}

/** The trail from the first state on: every move, every invocation, every commit and build. */
function judgeTrail({ trail, texts, lock, id }: TaskFiles): readonly Objection[] {
  if (texts["audit-trail.json"] === undefined)
    return [objection("trail:missing", "there is no audit trail")];
  if (trail === undefined) return [objection("trail:json", "the trail is no JSON object")];
  const moves = rows(trail, "state_transitions");
  const passed = moves.filter((one) => one["verification_passed"] === true);
  const told = passed.map((one) => `${said(one["from_state"])} ${said(one["to_state"])}`);
  const logged = logOf(lock).map(({ from, to }) => `${said(from)} ${said(to)}`);
  return [
    ...unless(
      trail["task_name"] === id && isFilled(trail["session_id"]) && isTime(trail["started_at"]),
      "trail:head",
      "the trail does not say what it is about",
    ),
    ...unless(
      JSON.stringify(told) === JSON.stringify(logged),
      "trail:moves",
      "the moves of the trail are not those of the log",
    ),
    ...rows(trail, "agent_invocations")
      .filter((one) => !isInvocation(one))
      .map((one) => objection("trail:invocation", `${said(one["agent_name"])} was invoked so`)),
    ...rows(trail, "commits")
      .filter((one) => !isCommit(one))
      .map((one) => objection("trail:commit", `${said(one["sha"])} is recorded so`)),
    ...rows(trail, "build_verifications")
      .filter(
        (one) => !isTime(one["timestamp"]) || !isFilled(one["command"]) || !isFilled(one["result"]),
      )
      .map((one) => objection("trail:build", `${said(one["command"])} is recorded so`)),
    ...unless(Array.isArray(trail["tool_usage"]), "trail:head", "there is no tool_usage"),
  ];
}

function rows(trail: Fields, key: string): readonly Fields[] {
  return listOf(trail[key]).map((one) => fieldsOf(one));
}

function isInvocation(one: Fields): boolean {
  const over = one["status"] !== "running";
  return (
    isFilled(one["agent_name"]) &&
    isFilled(one["agent_mode"]) &&
    isFilled(one["working_dir"]) &&
    isTime(one["invocation_timestamp"]) &&
    (!over || isTime(one["completion_timestamp"])) &&
    isFilled(one["status"])
  );
}

function isCommit(one: Fields): boolean {
  const lists = [one["files_created"], one["files_modified"]];
  return (
    /^[0-9a-f]{7,40}$/.test(said(one["sha"])) &&
    isFilled(one["agent"]) &&
    isFilled(one["branch"]) &&
    isTime(one["timestamp"]) &&
    isText(one["message"]) &&
    lists.every((list) => Array.isArray(list) && list.every(isText))
  );
}

/** Before a task is tidied away: something was logged of each kind, and every invocation came to its end. */
export function judgeEnd(trail: Fields): readonly Objection[] {
  const open = rows(trail, "agent_invocations").filter((one) => one["status"] !== "completed");
  return [
    ...["state_transitions", "agent_invocations", "commits"].flatMap((key) =>
      unless(rows(trail, key).length > 0, `end:${key}`, `the trail has no ${key}`),
    ),
    ...unless(open.length === 0, "end:open", `${open.length} invocations did not complete`),
  ];
}
