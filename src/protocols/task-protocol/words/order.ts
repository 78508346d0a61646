import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { reportName } from "../files/requirements-report.ts";
import type { Order, World } from "../../../ports/family.ts";
import { number, text } from "../../../core/values/json-read.ts";
import { modeOf, requiredAgents, roundOf } from "../table/states.ts";
import { saidTo } from "./said.ts";

/** An agent's order: its part, what to read, where to work, and how to report. */
export async function orderOf(world: World, state: Workflow, dispatch: Dispatch): Promise<Order> {
  const { unit, spec, id } = dispatch;
  // Absolute, because agents work in worktrees from which no relative path leads to these files.
  const dir = `${world.workspace.root}/${text(state.vars["root"])}/${state.id}`;
  const said = saidTo(state, dispatch);
  const report = `${dir}/${reportName(state.id, unit)}`;
  const reads =
    spec === "requirements"
      ? []
      : requiredAgents(state).map((agent) => `${dir}/${reportName(state.id, agent)}`);
  const files = [`${dir}/task.md`, ...reads];
  const place = spec === "implementation" ? `${dir}/agents/${unit}/code` : `${dir}/code`;
  const lines = [
    `You are ${unit}. ${PARTS[spec] ?? spec} for the task ${state.id}.`,
    `Dispatch ${id}, round ${roundOf(state, unit, spec)}, mode ${modeOf(spec)}. Work in ${place}.`,
    "",
    "Read first:",
    ...files.map((path) => `- ${path}`),
    "",
    ...(said.length === 0 ? [] : ["Said since you were last asked:", ...said.map(item), ""]),
    ...(spec === "requirements"
      ? [
          `Write ${report}, at least ${number(state.vars["report_bytes_min"], 0)} bytes. Write no source.`,
        ]
      : []),
    ...(spec === "implementation"
      ? [
          "Write only in your own worktree, commit there with the subject prefix " +
            `[${unit}]. Holdpoint validates and merges.`,
        ]
      : []),
    `Answer with ${ANSWERS[spec] ?? ANSWER}.`,
    `Then run: holdpoint report ${state.id} --dispatch ${id} -`,
  ];
  return {
    dispatch: id,
    role: unit,
    prompt: lines.join("\n"),
    files,
    data: {
      task: state.id,
      agent: unit,
      mode: modeOf(spec),
      round: roundOf(state, unit, spec),
      place,
      said,
    },
  };
}

/** A list item that may contain several lines. */
function item(said: string): string {
  return `- ${said.trim().replaceAll("\n", "\n  ")}`;
}

const PARTS: Readonly<Record<string, string>> = {
  requirements: "Analyse the task in your domain and write your requirements with success criteria",
  implementation: "Implement your part of the released plan",
  "round-review": "Look at what was merged to the task branch and decide",
  clarification: "Decide what blocks an implementing agent",
  validation: "Look at the failing checks",
  review: "Review the task branch as it is now and decide",
  scope: "Sort your issues into those that block and those that can wait",
};

export const ANSWER = 'JSON {"status": "COMPLETE"}';

export const ANSWERS: Readonly<Record<string, string>> = {
  implementation:
    'JSON {"status": "COMPLETE", "work_remaining": "none"}, or {"status": "BLOCKED", "blocked_by": "...", "details": "..."}',
  "round-review": "one line FINAL DECISION: APPROVED - why, or FINAL DECISION: REJECTED - why",
  review: "one line FINAL DECISION: APPROVED - why, or FINAL DECISION: REJECTED - why",
  scope:
    "BLOCKING ISSUES:, DEFERRABLE ISSUES:, PERSISTENCE JUSTIFICATION: and one line SCOPE_DECISION: DEFER or RESOLVE_NOW",
};
