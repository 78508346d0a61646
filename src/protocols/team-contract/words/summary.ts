import type { JsonObject } from "../../../core/values/json.ts";
import { readMarkdown } from "../../../files/markdown.ts";
import type { Criterion } from "../files/acceptance-json.ts";
import type { Task } from "../files/tasks.ts";
import { textStart } from "../../../files/text.ts";

/** What the two gates show: the plan with a recommendation, and the design with its parts. */

const BATCH_TASKS_MIN = 5;

/** per-batch for many, interdependent or risky tasks; single-final for a few simple ones. */
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
  /** The texts of spec.md and architecture.md. */
  readonly spec: string;
  readonly architecture: string;
  /** Paths of decisions and of design specs. */
  readonly decisions: readonly string[];
  readonly designs: readonly string[];
}

/** What is to be approved, in its own words: the beginning of each section, and every criterion. */
export function designSummary(parts: DesignParts): JsonObject {
  const { criteria, assumptions, decisions, designs } = parts;
  const proved = criteria
    .slice(0, CRITERIA_SHOWN)
    .map((one) => `${one.id} ${clip(one.description)}`);
  const more = criteria.length - proved.length;
  const sentences = [
    `Spec: ${sectionsOf(parts.spec)}.`,
    `Acceptance criteria: ${[...proved, ...(more > 0 ? [`and ${more} more`] : [])].join("; ")}.`,
    assumptions.length === 0 ? "No assumptions." : `Assumptions: ${assumptions.join("; ")}.`,
    `Architecture: ${sectionsOf(parts.architecture)}.`,
    ...(decisions.length === 0 ? [] : [`Decisions: ${decisions.join(", ")}.`]),
    ...(designs.length === 0 ? [] : [`Design specs: ${designs.join(", ")}.`]),
  ];
  return { summary: sentences.join(" ") };
}

const CRITERIA_SHOWN = 20;
const SECTIONS_SHOWN = 12;
const CHARS_SHOWN = 160;

/** `Goals: a dark page; Acceptance Criteria: see below`. */
function sectionsOf(source: string): string {
  const markdown = readMarkdown(source, textStart(source));
  const sections = markdown.headings.map(({ text, at }, index) => {
    const next = markdown.headings[index + 1]?.at ?? markdown.lines.length;
    const opening = markdown.lines
      .slice(at + 1, next)
      .map((line) => source.slice(line.start, line.end).trim())
      .find((line) => line !== "");
    return opening === undefined
      ? clip(text)
      : `${clip(text)}: ${clip(opening.replace(/^[-*] /, ""))}`;
  });
  const more = sections.length - SECTIONS_SHOWN;
  const shown = sections.slice(0, SECTIONS_SHOWN);
  return [...shown, ...(more > 0 ? [`and ${more} more sections`] : [])].join("; ");
}

function clip(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim().replace(/[.;]$/, "");
  return line.length > CHARS_SHOWN ? `${line.slice(0, CHARS_SHOWN)}…` : line;
}
