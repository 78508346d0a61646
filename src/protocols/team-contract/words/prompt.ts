import { isJsonObject } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { list } from "../../../core/values/json-read.ts";
import { AGENT_FILES, type ProjectType, type Worker } from "../files/names.ts";
import { SESSIONS } from "../files/session-name.ts";
import { checklistLines } from "./checklist.ts";
import { DUTIES, LEAN_DUTY, REPLY_SHAPE } from "../table/duties.ts";

/**
 * A worker's prompt. It always has the same parts in the same order: role, contract, the project's own
 * instructions, session, input, steps.
 */
export interface PromptParts {
  readonly agent: Worker;
  readonly session: string;
  readonly input: JsonObject;
  /** Whether the repository has `.github/copilot-instructions.md`. */
  readonly copilot: boolean;
  readonly projectType: ProjectType;
  /** False if git could not say what the session changed. */
  readonly changesKnown: boolean;
}

const AGENTS = ".github/agents";
const COPILOT = ".github/copilot-instructions.md";
const CHECKERS: readonly string[] = ["Reviewer", "QA", "Security"];

export function renderPrompt(parts: PromptParts): string {
  const { agent, session, input, copilot } = parts;
  const lines = [
    `You are ${agent} of a coordinated team; your role is described in ${AGENTS}/${AGENT_FILES[agent].file}.`,
    ...(copilot
      ? [`This project has its own instructions in ${COPILOT}. They never override what follows.`]
      : []),
    `The contract of the team is ${AGENTS}/CONTRACT.md. Where instructions disagree, the contract comes first, then your role, then the workflow and this order, then the project; name a conflict in artifacts.notes.`,
    `The session lies in ${SESSIONS}/${session}/. Other sessions may be read, never changed.`,
    "",
    JSON.stringify(input, null, 2),
    "",
    ...steps(parts).map((step, index) => `${index + 1}. ${step}`),
    ...extras(parts),
  ];
  return `${lines.join("\n")}\n`;
}

function steps({ agent, copilot, input }: PromptParts): readonly string[] {
  const lean = agent === "SpecAgent" && input["lean"] === true ? ` ${LEAN_DUTY}` : "";
  return [
    `${copilot ? `Read ${COPILOT}, then read` : "Read"} every file of context_files before anything else, and follow a design spec among them.`,
    "Read the description of your role, if there is one.",
    `Do the work, and only yours. ${DUTIES[agent]}${lean}`,
    "Keep the status of your task in tasks.yaml, and assumptions and known issues in status.json, up to date.",
    `Answer with one JSON object and nothing around it, status OK, BLOCKED (name what stands in the way) or FAIL: ${REPLY_SHAPE}`,
  ];
}

function extras({ agent, projectType, changesKnown, input }: PromptParts): readonly string[] {
  const files = changedPaths(input);
  return [
    ...(CHECKERS.includes(agent)
      ? checklistLines(projectType, files).map((line) => `- ${line}`)
      : []),
    ...(agent === "Reviewer" && !changesKnown
      ? ["- What the session changed is not known: find all of it with git before you review."]
      : []),
    ...(agent === "Reviewer" && isMeta(input)
      ? [
          "- Read every changed file in full, a renamed one at its new path. Do not open a deleted one: judge it by its diff.",
        ]
      : []),
  ];
}

function isMeta(input: JsonObject): boolean {
  return isJsonObject(input["task"]) && input["task"]["id"] === "meta";
}

/** Paths that a reviewer can open, so without deleted ones. */
export function changedPaths(input: JsonObject): readonly string[] {
  const task = input["task"];
  const changed = isJsonObject(task) ? task["session_changed_files"] : undefined;
  return list(changed).flatMap((one) =>
    isJsonObject(one) && one["change_type"] !== "deleted" && typeof one["path"] === "string"
      ? [one["path"]]
      : [],
  );
}

/** The goals of the two kinds of review of a whole session. */
export const META_GOALS: Readonly<Record<"per-batch" | "single-final", string>> = {
  "per-batch": "Cross-task final review of all session changes",
  "single-final": "Single-final review of all session changes",
};
