import { recordedPlaces } from "../made.ts";
import { rootOf } from "../../../../core/state/evolve.ts";
import { isJsonArray, isJsonObject, showJson } from "../../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import type { Guard, Scope } from "../../../../core/table/protocol.ts";
import { object, text, texts } from "../../../../core/values/json-read.ts";
import { whyUnknown } from "../../../../core/values/unknown.ts";
import { decidesConflict } from "../agents.ts";
import { requiredAgents } from "../states.ts";

/** Guards on where the work is: state, ownership, directories, worktrees, the task's own document. */
export const placeGuards: Readonly<Record<string, Guard>> = {
  at: (scope, args) => {
    const { at } = rootOf(scope.workflow);
    return at === args["state"] ? undefined : `the state is ${at}, not ${text(args["state"])}`;
  },
  leased,
  idle,
  none,
  some,
  known,
  "own-names": ownNames,
  cwd,
  "cwd-outside": cwdOutside,
  worktrees,
  walked,
  "task-md-exists": taskMdExists,
  "task-md": taskMd,
  plan,
  synthesis,
  merged,
  "worktree-made": worktreeMade,
  "agent-places": agentPlaces,
  "main-free": mainFree,
  "on-branch": onBranch,
};

/** Commits on a detached HEAD or on another branch are not on this task's branch. */
function onBranch(scope: Scope): string | undefined {
  const { branch } = object(scope.fact("worktree:."));
  if (typeof branch !== "string" || branch === scope.workflow.id) return undefined;
  const now = branch === "" ? "has a detached HEAD" : `is on ${branch}`;
  return scope.fill(`{root}/{id}/code ${now}, not on {id}`);
}

/** Nothing is merged into the main worktree while another session holds it for an operation. */
function mainFree(scope: Scope): string | undefined {
  const owner = scope.fact("main-lock");
  return typeof owner !== "string" || owner === scope.envelope.session
    ? undefined
    : `the main worktree is locked by ${owner}`;
}

function leased(scope: Scope): string | undefined {
  const { lease, id } = scope.workflow;
  if (lease === null) return `${id} belongs to no session`;
  return lease.session === scope.envelope.session
    ? undefined
    : `${id} belongs to session ${lease.session}`;
}

/** No question is open, no effect is pending, and this agent is not already working. */
function idle(scope: Scope): string | undefined {
  const { decisions, effects, dispatches } = scope.workflow;
  const open = Object.values(decisions).find((one) => one.status === "open");
  if (open !== undefined) return `a person is asked: ${open.prompt}`;
  const wanted = Object.values(effects).find((one) => one.status === "wanted");
  if (wanted !== undefined) return `${wanted.kind} is not done yet`;
  const busy = Object.values(dispatches).find(
    (one) => one.unit === scope.unit.id && one.status !== "ended",
  );
  return busy === undefined ? undefined : `${scope.unit.id} is at work already (${busy.id})`;
}

function none(scope: Scope, args: JsonObject): string | undefined {
  const found = scope.fact(scope.fill(text(args["fact"])));
  if (found === undefined) return undefined;
  if (!isJsonArray(found)) return `${scope.fill(text(args["fact"]))}: ${whyUnknown(found)}`;
  const list = found.map(showJson);
  return list.length === 0 ? undefined : `${scope.fill(text(args["says"]))}: ${list.join(", ")}`;
}

function some(scope: Scope, args: JsonObject): string | undefined {
  const found = scope.fact(scope.fill(text(args["fact"])));
  return found === undefined || texts(found).length > 0 ? undefined : "there is none";
}

function known(scope: Scope, args: JsonObject): string | undefined {
  const value = scope.fact(scope.fill(text(args["fact"])));
  return value === null || value === false ? scope.fill(text(args["says"])) : undefined;
}

function ownNames(scope: Scope): string | undefined {
  const given = [...Object.keys(scope.input), ...Object.keys(scope.claim ?? {})];
  const taken = given.filter((name) => Object.hasOwn(scope.workflow.vars, name));
  return taken.length === 0 || scope.command.type === "workflow.start"
    ? undefined
    : `${taken.join(", ")} cannot be given here`;
}

/** The paths were already resolved when looked up; the message shows both. */
function cwd(scope: Scope): string | undefined {
  const place = scope.fact(scope.fill("cwd:{id}"));
  if (place === undefined) return undefined;
  const { same, current, required } = object(place);
  return same === true
    ? undefined
    : `the current directory is ${placeNamed(current)}, required is ${placeNamed(required)}`;
}

function placeNamed(place: Json | undefined): string {
  return place === "" || place === undefined ? "the top of the repository" : showJson(place);
}

function cwdOutside(scope: Scope): string | undefined {
  const place = object(scope.fact(scope.fill("cwd:{id}")));
  return place["inside"] === true
    ? `the current directory ${showJson(place["current"])} is inside the task`
    : undefined;
}

function worktrees(scope: Scope): string | undefined {
  const gone = Object.values(scope.workflow.units)
    .filter((unit) => unit.kind === "agent")
    .filter((unit) => scope.fact(`worktree:${unit.id}`) === null || unit.at === "preparing")
    .map((unit) => unit.id);
  return gone.length === 0 ? undefined : `no worktree for ${gone.join(", ")}`;
}

/** The states were entered one after the other. An adopted task has its own log. */
function walked(scope: Scope, args: JsonObject): string | undefined {
  const { entered } = rootOf(scope.workflow);
  const adopted = texts(object(scope.workflow.vars["adopted"])["states"]);
  const missing = texts(args["states"]).filter(
    (state) => entered[state] === undefined && !adopted.includes(state),
  );
  return missing.length === 0 ? undefined : `the log does not show ${missing.join(", ")}`;
}

function taskMdExists(scope: Scope): string | undefined {
  const document = scope.fact(scope.fill("task-md:{id}"));
  if (document === undefined || isJsonObject(document)) return undefined;
  return scope.fill("{root}/{id}/task.md does not exist");
}

/** The mandatory sections exist, or those that `only` names. */
function taskMd(scope: Scope, args: JsonObject): string | undefined {
  const document = scope.fact(scope.fill("task-md:{id}"));
  if (document === undefined) return undefined;
  const only = texts(args["only"]);
  // Two gates check the file and its sections; each gives its own reason, even if the file is missing for both.
  if (!isJsonObject(document))
    return scope.fill(
      `{root}/{id}/task.md does not exist${only.length === 0 ? "" : `, and so has no ${only.join(", ")}`}`,
    );
  if (document["misplaced"] === true)
    return scope.fill("task.md lies in the code worktree; it belongs at {root}/{id}/task.md");
  const missing = texts(document["missing"]).filter(
    (section) => only.length === 0 || only.includes(section),
  );
  return missing.length === 0 ? undefined : `task.md lacks ${missing.join(", ")}`;
}

function plan(scope: Scope): string | undefined {
  const found = scope.fact(scope.fill("plan:{id}"));
  if (found === undefined) return undefined;
  if (!isJsonObject(found)) return "task.md has no implementation plan";
  const wrong = [...missingIn(found), ...texts(found["problems"])];
  return wrong.length === 0 ? undefined : `the plan is not complete: ${wrong.join("; ")}`;
}

function synthesis(scope: Scope): string | undefined {
  const found = scope.fact(scope.fill("synthesis:{id}"));
  if (found === undefined) return undefined;
  if (!isJsonObject(found)) return "the synthesis is not documented";
  const wrong = [
    ...missingIn(found),
    ...texts(found["unmapped"]).map((part) => `requirement ${part} is not mapped`),
    ...texts(found["undecided"]).map(
      (part) => `conflict ${part} is not decided: ${decidesConflict(part)}`,
    ),
  ];
  return wrong.length === 0 ? undefined : `the synthesis is not complete: ${wrong.join("; ")}`;
}

function missingIn(found: JsonObject): readonly string[] {
  const missing = texts(found["missing"]);
  return missing.length === 0 ? [] : [`missing: ${missing.join(", ")}`];
}

function merged(scope: Scope): string | undefined {
  const late = requiredAgents(scope.workflow).filter(
    (agent) => scope.fact(`merged:${agent}`) === false,
  );
  return late.length === 0 ? undefined : `not merged to the task branch: ${late.join(", ")}`;
}

/** Agents selected together get their worktrees together; one that joins later gets its own. */
function worktreeMade(scope: Scope): string | undefined {
  const together = scope.unit.data["added_at"] === undefined;
  const opened = scope.unit.entered["preparing"] ?? 0;
  const made = Object.values(scope.workflow.effects).some(
    (one) =>
      one.kind === "worktree" &&
      one.status === "done" &&
      // An agent that is selected again had a worktree before, but may not have it any more.
      (one.by === undefined || one.by.seq >= opened) &&
      (one.unit === scope.unit.id || (together && one.args["scope"] === "agents")),
  );
  return made ? undefined : "the worktree is not made";
}

/** There are agents, or worktrees of agents that are no longer selected. */
function agentPlaces({ workflow }: Scope): string | undefined {
  const selected = Object.values(workflow.units).some((one) => one.kind === "agent");
  const left = recordedPlaces(workflow).some((one) => one.branch !== workflow.id);
  return selected || left ? undefined : "it has no agents";
}
