import { textBody } from "../../../files/text.ts";
import { parseTaskJson } from "../files/task-json.ts";
import type { TaskLock } from "../files/task-json.ts";
import type { Adopted, World } from "../../../ports/family.ts";
import type { Problem } from "../../../files/problem.ts";
import type { Import } from "../../../core/state/commands.ts";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { BY_ADOPTION, LOG } from "../table/log.ts";
import { recordsIn } from "./adopted.ts";
import type { TaskPlaces } from "./places.ts";
import { settingsOf } from "./settings.ts";
import { objects, text } from "../../../core/values/json-read.ts";
import { isTaskState } from "../table/states.ts";

/**
 * Adopts a task whose files were written by others. Its approvals do not count, because a flag file proves
 * nothing. If its files disagree on the state, a person decides.
 */
export async function adopt(
  places: TaskPlaces,
  world: World,
  id: string,
  options: JsonObject,
): Promise<Adopted> {
  const vars = settingsOf(world.config);
  const dir = `${text(vars["root"]) || ".holdpoint/tasks"}/${id}`;
  const path = `${dir}/task.json`;
  const read = await readLock(world, path, id);
  const { lock, problems } = read;
  const stateJson = await readJson(world, `${dir}/state.json`);
  const trail = await readJson(world, `${dir}/audit-trail.json`);
  const sayings = [...read.sayings, ...sayingsOfState(`${dir}/state.json`, stateJson)];
  const at = options["at"] ?? agreedIn(lock, sayings);
  if (typeof at !== "string") return unsure(id, sayings, await worktreeOf(places, world, dir));
  const session = lock?.sessionId?.trim() || null;
  const log = lock?.log ?? [];
  const last = /^\w+$/.exec(log.at(-1)?.to ?? "")?.[0] ?? "INIT";
  return {
    kind: "ready",
    import: {
      at,
      vars: {
        ...vars,
        risk_level: lock?.riskLevel ?? null,
        risk_reason: lock?.riskLevel === undefined ? "" : "as the files say",
      },
      units: (lock?.requiredAgents ?? []).map((agent) => ({
        id: agent,
        kind: "agent",
        at: "ready",
        data: { domain: agent, reason: "as the files say" },
      })),
      notes: foundAt(last, at, world.now),
      seals: {},
      ...(session === null || at === "CLEANUP" ? {} : { owner: session }),
      why: "adopted from files",
      from: {
        path,
        states: ["INIT", ...log.map((one) => one.to)],
        session,
        files: {
          "task.json": recordsIn(lock?.raw),
          "state.json": { ...recordsIn(stateJson ?? {}), ...stateLog(lock, stateJson) },
          "audit-trail.json": recordsIn(trail ?? {}),
        },
      },
    },
    summary: [
      `${id} stands at ${at}, owned by session ${session ?? "(none)"}`,
      ...problems.map((one) => `line ${one.line}: ${one.message}`),
    ],
    confirm: true,
  };
}

function unsure(id: string, sayings: readonly Saying[], places: readonly string[]): Adopted {
  const refusal = {
    code: "adopt-unsure",
    message: `The files do not agree on where ${id} stands`,
    fix: "Say where it really stands, with --at and one of the states.",
    rule: "TP-215",
  };
  const states = [...new Set(sayings.map((one) => one.state))].filter(isTaskState);
  return {
    kind: "refused",
    refusals: [refusal],
    evidence: [...sayings.map(tell), ...places],
    choices: states.map((at) => ({ at })),
  };
}

/** If the log does not lead to the state, a note says that the task was found there, and when. */
function foundAt(last: string, at: string, now: string): Import["notes"] {
  const reason = `${BY_ADOPTION}it was found at ${at}`;
  return last === at ? [] : [{ list: LOG, tag: `${last} ${at}`, text: reason, at: now }];
}

/** Merges the logs of both files; state.json also has the evidence for each move. */
function stateLog(
  lock: TaskLock | undefined,
  stateJson: JsonObject | null | undefined,
): JsonObject {
  if (lock === undefined || lock.log.length === 0) return {};
  const known = objects(stateJson?.["transition_log"]);
  const log = lock.log.map(({ from, to, timestamp }) => {
    const same = known.find((one) => one["from"] === from && one["to"] === to);
    return { ...same, from, to, timestamp };
  });
  return { transition_log: log };
}

/** What one file says about the task's state; empty if it says nothing readable. */
interface Saying {
  readonly where: string;
  readonly state: string;
}

function tell({ where, state }: Saying): string {
  return state === "" ? where : `${where} says ${state}`;
}

async function readLock(
  { workspace }: World,
  path: string,
  id: string,
): Promise<{
  readonly lock?: TaskLock;
  readonly sayings: readonly Saying[];
  readonly problems: readonly Problem[];
}> {
  const file = await workspace.read(path);
  if (file.kind !== "text")
    return { sayings: [{ where: `${path} is not there`, state: "" }], problems: [] };
  const { value: lock, problems } = parseTaskJson(file.text, { task: id });
  if (lock === undefined) {
    const why = problems[0]?.message ?? "it cannot be read";
    return { sayings: [{ where: `${path} cannot be read: ${why}`, state: "" }], problems };
  }
  const last = lock.log.at(-1)?.to;
  const state = lock.state ?? "";
  return {
    lock,
    sayings: [
      { where: state === "" ? `${path} names no state` : path, state },
      ...(last === undefined || last === state ? [] : [{ where: `its log`, state: last }]),
    ],
    problems,
  };
}

/** Files of other versions use another name for it, or do not have it. */
function sayingsOfState(path: string, value: JsonObject | null | undefined): readonly Saying[] {
  if (value === undefined) return [];
  if (value === null) return [{ where: `${path} cannot be read`, state: "" }];
  const state = text(value["current_state"]) || text(value["state"]);
  const last = text(objects(value["transition_log"]).at(-1)?.["to"]);
  return [
    { where: state === "" ? `${path} names no state` : path, state },
    ...(last === "" || last === state ? [] : [{ where: `the log in ${path}`, state: last }]),
  ];
}

/** The state that all files agree on. A lock without an owner is not enough to be sure. */
function agreedIn(lock: TaskLock | undefined, sayings: readonly Saying[]): string | undefined {
  const [first] = sayings;
  const sure = lock?.sessionId !== undefined && lock.sessionId.trim() !== "";
  return sure &&
    first !== undefined &&
    isTaskState(first.state) &&
    sayings.every(({ state }) => state === first.state)
    ? first.state
    : undefined;
}

/** Undefined if there is no file, null if it is unreadable. */
async function readJson(
  { workspace }: World,
  path: string,
): Promise<JsonObject | null | undefined> {
  const file = await workspace.read(path);
  if (file.kind === "absent") return undefined;
  const value = file.kind === "text" ? parseJson(textBody(file.text)) : null;
  return isJsonObject(value) ? value : null;
}

async function worktreeOf(
  places: TaskPlaces,
  world: World,
  dir: string,
): Promise<readonly string[]> {
  const trees = await places.worktrees(world);
  const tree = trees.find(({ path }) => path === `${dir}/code`);
  return [tree === undefined ? `${dir}/code: no worktree` : `${tree.path} is on ${tree.branch}`];
}
