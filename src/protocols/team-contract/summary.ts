import type { JsonObject } from "../../core/json.ts";
import type { Criterion } from "../../files/team/acceptance-json.ts";
import type { Task } from "../../files/team/tasks.ts";

/** What the two gates show: the plan with a recommendation, the design with its parts. */

const BATCH_TASKS_MIN = 5;

/** per-batch for many, entangled or risky tasks; single-final for a few simple ones. */
export function recommendStrategy(tasks: readonly Task[]): "per-batch" | "single-final" {
  const risky = tasks.some(
    ({ risks }) => risks.includes("security") || risks.includes("breaking-change"),
  );
  const needed = tasks.flatMap((task) => task.dependsOn);
  const entangled = new Set(needed).size < needed.length;
  return tasks.length >= BATCH_TASKS_MIN || risky || entangled ? "per-batch" : "single-final";
}

export function planSummary(tasks: readonly Task[]): JsonObject {
  const risks = [...new Set(tasks.flatMap((task) => task.risks))];
  const names = tasks.map((task) => `${task.id} ${task.title}`).join("; ");
  const flagged = risks.length === 0 ? "no risk flags" : `risk flags: ${risks.join(", ")}`;
  return {
    count: tasks.length,
    summary: `${tasks.length} task${tasks.length === 1 ? "" : "s"} (${names}), ${flagged}.`,
    recommended: recommendStrategy(tasks),
  };
}

export interface DesignParts {
  readonly criteria: readonly Criterion[];
  readonly assumptions: readonly string[];
  /** Headings of spec.md and architecture.md, and the paths of design specs. */
  readonly spec: readonly string[];
  readonly architecture: readonly string[];
  readonly designs: readonly string[];
}

export function designSummary(parts: DesignParts): JsonObject {
  const { criteria, assumptions, spec, architecture, designs } = parts;
  const sentences = [
    `Spec: ${spec.join(", ")}; ${criteria.length} acceptance criteria (${criteria.map((one) => one.id).join(", ")}).`,
    assumptions.length === 0 ? "No assumptions." : `Assumptions: ${assumptions.join("; ")}.`,
    `Architecture: ${architecture.join(", ")}.`,
    ...(designs.length === 0 ? [] : [`Design specs: ${designs.join(", ")}.`]),
  ];
  return { summary: sentences.join(" ") };
}
