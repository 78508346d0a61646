/** What each file must hold, and from which state on it must be there. */
import {
  fieldsOf,
  isFilled,
  isText,
  listOf,
  objection,
  readJson,
  said,
  type Fields,
  type Objection,
  unless,
} from "../opinion.ts";
import { sectionsOf } from "../markdown.ts";
import { APPROVAL, STRATEGY, isStrategy, lastAsked } from "./decisions.ts";
import { type SessionFiles, decisionOf, stateOf } from "./files.ts";

/** The way of a session; repairs belong to the loop they repair. */
const LINE: readonly string[] = [
  "INTAKE",
  "DESIGN",
  "APPROVE_DESIGN",
  "PLAN",
  "REVIEW_STRATEGY",
  "IMPLEMENT_LOOP",
  "INTEGRATE",
  "RELEASE",
  "DONE",
];

/** How far it has come: a question and a block remember where they came from. */
export function placeOf(files: SessionFiles): string {
  const state = stateOf(files);
  if (state === "ASK_USER") return said(lastAsked(files)?.["state_context"] ?? "INTAKE");
  if (state === "BLOCKED") return said(files.status?.["blocked_from"] ?? "INTAKE");
  return state;
}

function hasReached(files: SessionFiles, state: string): boolean {
  const place = placeOf(files);
  const at = place.startsWith("FIX_")
    ? place === "FIX_BUILD"
      ? "INTEGRATE"
      : "IMPLEMENT_LOOP"
    : place;
  return LINE.indexOf(at) >= LINE.indexOf(state);
}

const SECTIONS: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  "spec.md": {
    Goals: /goals?/i,
    "Acceptance Criteria": /acceptance criteria/i,
    "Definition of Done": /definition of done/i,
  },
  "architecture.md": { Overview: /overview/i, Modules: /modules?|components?/i },
};

const NEEDED: readonly (readonly [file: string, from: string])[] = [
  ["spec.md", "DESIGN"],
  ["acceptance.json", "DESIGN"],
  ["architecture.md", "APPROVE_DESIGN"],
  ["tasks.yaml", "REVIEW_STRATEGY"],
  ["report.md", "DONE"],
];

export function judgeArtifacts(files: SessionFiles): readonly Objection[] {
  const due = NEEDED.filter(([file]) => !(files.lean && file === "architecture.md"));
  return [
    ...due
      .filter(([file, from]) => files.texts[file] === undefined && hasReached(files, from))
      .map(([file]) => objection(`artifact:missing ${file}`, `${file} is not there`)),
    ...Object.keys(SECTIONS).flatMap((file) => judgeSections(files, file)),
    ...judgeAcceptance(files.texts["acceptance.json"]),
    ...judgeTasks(files),
    ...judgeGates(files),
  ];
}

function judgeSections({ texts, lean }: SessionFiles, file: string): readonly Objection[] {
  const text = texts[file];
  if (text === undefined || (lean && file === "architecture.md")) return [];
  const titles = sectionsOf(text).map((one) => one.title);
  return Object.entries(SECTIONS[file] ?? {}).flatMap(([name, pattern]) =>
    unless(
      titles.some((title) => pattern.test(title)),
      `artifact:section ${name}`,
      `${file} has no section ${name}`,
    ),
  );
}

/** At least one criterion that says what, and how it is verified. */
function judgeAcceptance(text: string | undefined): readonly Objection[] {
  if (text === undefined) return [];
  const criteria = listOf(fieldsOf(readJson(text))["acceptance_criteria"]).map((one) =>
    fieldsOf(one),
  );
  const whole = criteria.every(
    ({ id, description, verify }) =>
      isFilled(id) && isFilled(description) && (saysHow(verify) || areChecks(verify)),
  );
  return unless(
    criteria.length > 0 && whole,
    "artifact:acceptance",
    "acceptance.json has no criteria",
  );
}

/** At least one, and none of them without something to run or to look at. */
function areChecks(checks: unknown): boolean {
  const all = listOf(checks);
  return all.length > 0 && all.every((one) => !isText(one) || saysHow(one));
}

function saysHow(check: unknown): boolean {
  return isText(check) && isFilled(check.replace(/^(?:cmd|manual):/, ""));
}

export const TASK_STATUSES: readonly string[] = [
  "not-started",
  "in-progress",
  "implemented",
  "completed",
  "blocked",
];

function judgeTasks(files: SessionFiles): readonly Objection[] {
  const { tasks, texts } = files;
  if (texts["tasks.yaml"] === undefined) return [];
  if (tasks === undefined || tasks.length === 0)
    return [objection("artifact:tasks", "tasks.yaml has no tasks")];
  const over = hasReached(files, "INTEGRATE");
  return tasks.flatMap((task) => [
    ...unless(isTask(task), "artifact:tasks", `${said(task["id"])} lacks a field`),
    ...unless(
      TASK_STATUSES.includes(said(task["status"])),
      "artifact:task-status",
      `${said(task["id"])} is ${said(task["status"])}`,
    ),
    ...unless(
      !over || task["status"] === "completed",
      "gate:tasks",
      `${said(task["id"])} is ${said(task["status"])} in ${stateOf(files)}`,
    ),
  ]);
}

function isTask({ id, status, goal, acceptance_checks: checks }: Fields): boolean {
  return isFilled(id) && isFilled(status) && isFilled(goal) && areChecks(checks);
}

/** Past a gate only with the answer that opens it; a lean session has no gates. */
function judgeGates(files: SessionFiles): readonly Objection[] {
  if (files.lean || files.status === undefined) return [];
  const design = decisionOf(files, APPROVAL);
  const strategy = decisionOf(files, STRATEGY);
  const approved =
    design?.["status"] === "answered" && said(design["answer"]).startsWith("approved");
  const chosen = strategy?.["status"] === "answered" && isStrategy(strategy["answer"]);
  return [
    ...unless(!hasReached(files, "PLAN") || approved, "gate:design", "the design is not approved"),
    ...unless(
      !hasReached(files, "IMPLEMENT_LOOP") || chosen,
      "gate:strategy",
      "no review strategy is chosen",
    ),
  ];
}
