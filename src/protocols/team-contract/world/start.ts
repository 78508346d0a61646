import type { Refusal } from "../../../core/decide/answer.ts";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { PROJECT_TYPES } from "../files/names.ts";
import { SESSIONS, isNewSessionName, sessionName } from "../files/session-name.ts";
import type { Named, StartOption, StartOptions, Started, World } from "../../../ports/family.ts";
import { baseOf } from "./changes.ts";
import { copilotOf } from "./copilot.ts";
import { LEAN_ALL, missingLean, modeFor } from "../table/lean.ts";
import { remedy } from "../../../core/table/remedy.ts";

export const START_OPTIONS: Readonly<Record<string, StartOption>> = {
  goal: { type: "string", about: "what the user wants; the session is named after it" },
  "project-type": { type: "string", about: "what is worked on", values: PROJECT_TYPES },
  mode: { type: "string", about: "how many agents take part", values: ["full", "lean"] },
  lean: { type: "boolean", about: "a small request, the same as --mode lean" },
  criteria: {
    type: "string",
    about: 'what speaks for lean mode, such as \'{"files":2,"minutes":5}\'',
  },
  ui: { type: "boolean", about: "there is something to see, so a Designer takes part" },
  research: { type: "string", about: "a question for the Researcher to answer first" },
  constraint: { type: "string", about: "something every agent must keep to" },
};

/** Names a session after the day and its goal. If that name is taken, the next free one is used. */
export async function nameFor(world: World, options: StartOptions): Promise<Named> {
  const goal = textOf(options["goal"]);
  if (goal === "")
    return refusedNow({
      code: "goal-missing",
      message: "A session needs a goal, or a name",
      fix: 'Say what is wanted: --goal "Add dark mode".',
      rule: "TC-023",
    });
  const folders = (await world.workspace.list(SESSIONS)).map((name) => name.replace(/\/$/, ""));
  const streams = (await world.workflows()).map(({ stream }) => stream.replace(/^[^:]*:/, ""));
  const taken = new Set([...folders, ...streams]);
  return { kind: "named", id: sessionName(world.now.slice(0, 10), goal, taken) };
}

export async function start(world: World, id: string, options: StartOptions): Promise<Started> {
  const type = options["project-type"] ?? options["type"] ?? "mixed";
  const criteria = criteriaOf(options);
  const refusals = [
    ...(isNewSessionName(id) ? [] : [nameIllegal(id)]),
    ...(PROJECT_TYPES.some((one) => one === type) ? [] : [typeUnknown(String(type))]),
    ...(["full", "lean", undefined].some((one) => one === options["mode"]) ? [] : [MODE]),
    ...(typeof criteria === "string" ? [criteriaUnreadable(criteria)] : []),
    ...((await isThere(world, id)) ? [alreadyThere(id)] : []),
    ...(modeFor(criteria) === "lean" && options["by"] !== "person" ? [LEAN_BY_AGENT] : []),
  ];
  if (refusals.length > 0 || typeof criteria === "string") return { kind: "refused", refusals };
  const base = await baseOf(world);
  if (typeof base["unread"] === "string")
    return { kind: "refused", refusals: [unreadable(base["unread"])] };
  const missing = criteria === null ? [] : missingLean(criteria);
  const lean = criteria !== null && missing.length === 0;
  const question = textOf(options["research"]) || textOf(options["research-question"]);
  return {
    kind: "ready",
    vars: {
      mode: lean ? "lean" : "full",
      lean: criteria,
      goal: textOf(options["goal"]),
      constraints: textOf(options["constraint"]) === "" ? [] : [textOf(options["constraint"])],
      project_type: String(type),
      ui: options["ui"] === true,
      research: question !== "" || options["research"] === true,
      research_question: question,
      base,
      copilot: await copilotOf(world),
    },
    warnings:
      missing.length === 0 ? [] : [`It is a full session: lean mode needs ${missing.join("; ")}`],
  };
}

/** The declared reasons for lean mode; null if it was not asked for, a text if they are unreadable. */
function criteriaOf(options: StartOptions): JsonObject | null | string {
  const given = options["criteria"] ?? options["lean"];
  const wanted = options["mode"] === "lean" || (options["lean"] ?? false) !== false;
  if (!wanted) return null;
  if (typeof given !== "string") return LEAN_ALL;
  const parsed = parseJson(given);
  return isJsonObject(parsed)
    ? { ...(options["criteria"] === undefined ? {} : LEAN_ALL), ...parsed }
    : given;
}

async function isThere({ workspace }: World, id: string): Promise<boolean> {
  return (await workspace.list(`${SESSIONS}/${id}`)).length > 0;
}

function textOf(value: string | boolean | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}

function refusedNow(refusal: Refusal): Extract<Named, { kind: "refused" }> {
  return { kind: "refused", refusals: [refusal] };
}

function nameIllegal(id: string): Refusal {
  const message = `"${id}" is not a session name`;
  const fix =
    "Name it YYYY-MM-DD_<two to four words>, such as 2026-02-17_add-dark-mode, or give --goal.";
  return { code: "name-illegal", message, fix, rule: "TC-023" };
}

function typeUnknown(type: string): Refusal {
  const message = `"${type}" is not a project type`;
  const fix = `Use one of ${PROJECT_TYPES.join(", ")}.`;
  return { code: "project-type-unknown", message, fix, rule: "TC-013" };
}

const MODE: Refusal = {
  code: "mode-unknown",
  message: "The mode is full or lean",
  fix: "Use --mode full or --mode lean.",
  rule: "TC-141",
};

/**
 * No command can measure whether a request is unambiguous and needs no architectural, UI or security decisions.
 */
const LEAN_BY_AGENT: Refusal = {
  code: "person-required",
  message: "Only a person may start a lean session: no command can measure what speaks for it",
  fix: "Start a full session without --lean, or let a person start the lean one.",
  rule: "TC-141",
};

function criteriaUnreadable(given: string): Refusal {
  const message = `The criteria are not a JSON object: ${given.slice(0, 80)}`;
  const fix = `Give them as ${JSON.stringify(LEAN_ALL)}.`;
  return { code: "criteria-unreadable", message, fix, rule: "TC-141" };
}

function alreadyThere(id: string): Refusal {
  const message = `${SESSIONS}/${id} is there already`;
  const fix = remedy("adopt", { workflow: id }, "Choose another name, or take it over");
  return { code: "workflow-exists", message, fix, rule: "TC-024" };
}

function unreadable(what: string): Refusal {
  const message = `What is there cannot be read in full: ${what}`;
  const fix =
    "Make it readable, or let .gitignore leave it out; nothing could be checked otherwise.";
  return { code: "tree-unreadable", message, fix, rule: "core" };
}
