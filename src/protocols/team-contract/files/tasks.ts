import { isJsonArray } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { text, textIfAny, texts } from "../../../core/values/json-read.ts";
import type { Problem } from "../../../files/problem.ts";
import { circlesIn } from "./circles.ts";
import { problem, warning } from "./json-problems.ts";
import { PLANNER_FIELDS, PLAN_FIELDS } from "./schemas/tasks.ts";

/** Tasks as values: their dependencies, their risks, and what a plan must contain in each mode. */
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
    type: textIfAny(raw["type"]),
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

/** A problem with the number of its task; the reader adds the line. */
export type TaskProblem = Problem & { readonly index: number };

/** Duplicate ids, dependencies on missing tasks, and dependency cycles. */
export function graphProblems(tasks: readonly Task[]): readonly TaskProblem[] {
  const first = new Map<string, number>();
  tasks.forEach(({ id }, index) => {
    if (!first.has(id)) first.set(id, index);
  });
  const single = tasks.flatMap((task, index) => [
    ...(first.get(task.id) === index
      ? []
      : [graph(index, `${task.id} is there twice`, "Give every task its own id.")]),
    ...task.dependsOn
      .filter((id) => !first.has(id))
      .map((id) =>
        graph(
          index,
          `${task.id} depends on ${id}, which is not a task`,
          "Name a task of this file.",
        ),
      ),
  ]);
  const needs = tasks.map((task) => task.dependsOn.flatMap((id) => first.get(id) ?? []));
  const circles = circlesIn(needs).map((circle) => {
    const ids = circle.map((index) => tasks[index]?.id ?? "");
    const message = `${[...shortened(ids), ids[0]].join(" needs ")}: a circle, so none of them can begin`;
    return graph(circle[0] ?? 0, message, "Take one of these dependencies out.");
  });
  return [...single, ...circles].toSorted((one, other) => one.index - other.index);
}

const CIRCLE_SHOWN = 10;

function shortened(ids: readonly string[]): readonly string[] {
  if (ids.length <= CIRCLE_SHOWN) return ids;
  return [...ids.slice(0, CIRCLE_SHOWN), `… (${ids.length - CIRCLE_SHOWN} more)`];
}

function graph(index: number, message: string, fix: string): TaskProblem {
  return { ...problem({ code: "tasks-graph", line: 0, message, fix, rule: "TC-129" }), index };
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
