import { isJsonArray } from "../../core/json.ts";
import type { Json, JsonObject } from "../../core/json.ts";
import type { Problem } from "../problem.ts";
import { problem, warning } from "./json-problems.ts";
import { PLANNER_FIELDS, PLAN_FIELDS } from "./schema-tasks.ts";

/** Tasks as values: their dependencies, their risks, and what a plan of each mode must hold. */
export interface Task {
  readonly id: string;
  readonly status: string;
  readonly type: string | undefined;
  readonly title: string;
  readonly goal: string;
  readonly dependsOn: readonly string[];
  readonly checks: readonly string[];
  readonly risks: readonly string[];
  readonly nonGoals: readonly string[];
  readonly contextFiles: readonly string[];
  readonly raw: JsonObject;
}

export function toTask(raw: JsonObject): Task {
  const id = text(raw["id"]);
  return {
    id,
    status: text(raw["status"]),
    type: typeof raw["type"] === "string" ? raw["type"] : undefined,
    title: text(raw["title"]) || text(raw["goal"]) || id,
    goal: text(raw["goal"]),
    dependsOn: texts(raw["depends_on"]),
    checks: texts(raw["acceptance_checks"]),
    risks: texts(raw["risk_flags"]).filter((flag) => flag !== "none"),
    nonGoals: texts(raw["non_goals"]),
    contextFiles: texts(raw["context_files"]),
    raw,
  };
}

/** A problem that knows which task it is about; the reader adds the line. */
export type TaskProblem = Problem & { readonly index: number };

/** Ids that are there twice or lead nowhere, and dependencies that go round in circles. */
export function graphProblems(tasks: readonly Task[]): readonly TaskProblem[] {
  const ids = new Set(tasks.map((task) => task.id));
  return tasks.flatMap((task, index) => {
    const twice = tasks.findIndex((one) => one.id === task.id) < index;
    const dangling = task.dependsOn.filter((id) => !ids.has(id));
    return [
      ...(twice ? [graph(index, `${task.id} is there twice`, "Give every task its own id.")] : []),
      ...dangling.map((id) =>
        graph(
          index,
          `${task.id} depends on ${id}, which is not a task`,
          "Name a task of this file.",
        ),
      ),
      ...cycleOf(tasks, task, index),
    ];
  });
}

function graph(index: number, message: string, fix: string): TaskProblem {
  return { ...problem({ code: "tasks-graph", line: 0, message, fix, rule: "TC-129" }), index };
}

/** Each circle is told once, at its first task in the file. */
function cycleOf(tasks: readonly Task[], start: Task, index: number): readonly TaskProblem[] {
  const path = findCycle(tasks, start);
  if (path === undefined) return [];
  const first = Math.min(...path.map((id) => tasks.findIndex((task) => task.id === id)));
  if (first !== index) return [];
  const message = `${[...path, start.id].join(" needs ")}: a circle, so none of them can begin`;
  return [graph(index, message, "Take one of these dependencies out.")];
}

/** The ids from `start` round to it again, by breadth so that the shortest circle is shown. */
function findCycle(tasks: readonly Task[], start: Task): readonly string[] | undefined {
  const queue: (readonly string[])[] = [[start.id]];
  const seen = new Set<string>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const here = tasks.find((task) => task.id === path.at(-1));
    for (const id of here?.dependsOn ?? []) {
      if (id === start.id) return path;
      if (seen.has(id)) continue;
      seen.add(id);
      queue.push([...path, id]);
    }
  }
  return undefined;
}

export function riskProblems(tasks: readonly Task[]): readonly TaskProblem[] {
  return tasks.flatMap((task, index) => {
    const flags = texts(task.raw["risk_flags"]);
    if (!flags.includes("none") || flags.length === 1) return [];
    const message = `${task.id} has the risk flag none beside ${task.risks.join(", ")}`;
    const fix = "none stands alone.";
    return [{ ...problem({ code: "tasks-field", line: 0, message, fix, rule: "TC-015" }), index }];
  });
}

export function modeProblems(
  tasks: readonly Task[],
  { mode, fresh }: { readonly mode?: "full" | "lean"; readonly fresh?: boolean },
): readonly TaskProblem[] {
  const lean = mode === "lean" && tasks.length !== 1;
  return [
    ...(lean ? [field(0, `A lean session has one task, not ${tasks.length}`, "TC-135")] : []),
    ...tasks.flatMap((task, index) => [
      ...(mode === "full" ? missingFields(task, index) : []),
      ...(fresh === true && task.status !== "not-started"
        ? [field(index, `${task.id} is ${task.status} in a plan that was just made`, "TC-122")]
        : []),
    ]),
  ];
}

function missingFields(task: Task, index: number): readonly TaskProblem[] {
  const name = task.id === "" ? `tasks[${index}]` : task.id;
  const needed = PLAN_FIELDS.filter((key) => !isJsonArray(task.raw[key]));
  const wanted = PLANNER_FIELDS.filter((key) => !(key in task.raw));
  return [
    ...needed.map((key) => field(index, `${name} has no list ${key}`, "TC-138")),
    ...wanted.map((key) => {
      const message = `${name} has no ${key}`;
      const fix = `Add ${key}, as the plan's format has it.`;
      return { ...warning({ code: "tasks-field", line: 0, message, fix, rule: "TC-128" }), index };
    }),
  ];
}

function field(index: number, message: string, rule: string): TaskProblem {
  const fix = "Correct tasks.yaml.";
  return { ...problem({ code: "tasks-field", line: 0, message, fix, rule }), index };
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function texts(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? value.filter((one) => typeof one === "string") : [];
}
