import type { Workflow } from "../../../core/state/state.ts";
import { rootOf } from "../../../core/state/evolve.ts";
import { STATE_NAMES } from "../files/state-names.ts";
import type { TaskState } from "../files/state-names.ts";

export type { TaskState } from "../files/state-names.ts";

export const STATES: readonly TaskState[] = STATE_NAMES;

export const FINAL: TaskState = "CLEANUP";

export function isTaskState(text: string): text is TaskState {
  return STATES.some((state) => state === text);
}

/** Every legal change of state, with its number in the requirements. Anything else is refused. */
export const TRANSITIONS: readonly Transition[] = [
  { id: "T2", from: "INIT", to: "CLASSIFIED" },
  { id: "T3", from: "CLASSIFIED", to: "REQUIREMENTS" },
  { id: "T4", from: "REQUIREMENTS", to: "SYNTHESIS" },
  { id: "T5", from: "SYNTHESIS", to: "IMPLEMENTATION" },
  { id: "T6", from: "IMPLEMENTATION", to: "VALIDATION" },
  { id: "T7", from: "VALIDATION", to: "REVIEW" },
  { id: "T8", from: "REVIEW", to: "AWAITING_USER_APPROVAL" },
  { id: "T9", from: "AWAITING_USER_APPROVAL", to: "COMPLETE" },
  { id: "T10", from: "COMPLETE", to: "CLEANUP" },
  { id: "K1", from: "SYNTHESIS", to: "AWAITING_USER_APPROVAL" },
  { id: "B1", from: "REQUIREMENTS", to: "CLASSIFIED" },
  { id: "B2", from: "IMPLEMENTATION", to: "SYNTHESIS" },
  { id: "B3", from: "VALIDATION", to: "SYNTHESIS" },
  { id: "B4", from: "VALIDATION", to: "IMPLEMENTATION" },
  { id: "B5", from: "REVIEW", to: "IMPLEMENTATION" },
  { id: "B6", from: "REVIEW", to: "SYNTHESIS" },
  { id: "B7", from: "AWAITING_USER_APPROVAL", to: "IMPLEMENTATION" },
  { id: "B8", from: "VALIDATION", to: "REQUIREMENTS" },
  { id: "B8", from: "REVIEW", to: "REQUIREMENTS" },
  { id: "B9", from: "SYNTHESIS", to: "REQUIREMENTS" },
  { id: "S1", from: "REVIEW", to: "SCOPE_NEGOTIATION" },
  { id: "S2", from: "SCOPE_NEGOTIATION", to: "SYNTHESIS" },
  { id: "S3", from: "SCOPE_NEGOTIATION", to: "AWAITING_USER_APPROVAL" },
];

export interface Transition {
  readonly id: string;
  readonly from: TaskState;
  readonly to: TaskState;
}

export function transitionId(from: string, to: string): string | undefined {
  return TRANSITIONS.find((one) => one.from === from && one.to === to)?.id;
}

/** What an agent may be asked for: to read and judge, or to write source. */
export type Mode = "requirements" | "validation" | "implementation";

const MODES: Readonly<Record<string, Mode>> = {
  requirements: "requirements",
  clarification: "validation",
  implementation: "implementation",
  "round-review": "validation",
  validation: "validation",
  review: "validation",
  scope: "validation",
};

export function modeOf(spec: string): Mode {
  return MODES[spec] ?? "validation";
}

/** The agent's round: how often it was asked for this, including now. */
export function roundOf(state: Workflow, unit: string, spec: string): number {
  return Object.values(state.dispatches).filter((one) => one.unit === unit && one.spec === spec)
    .length;
}

/** The agents whose verdict counts: those with a worktree. */
export function requiredAgents(state: Workflow): readonly string[] {
  return Object.values(state.units)
    .filter((unit) => unit.kind === "agent" && unit.at !== "preparing")
    .map((unit) => unit.id);
}

/** Commits that were merged from an agent's branch. They stay merged when the task branch is squashed. */
export function broughtIn(state: Workflow, agent: string): readonly string[] {
  return Object.values(state.effects)
    .filter((one) => one.kind === "merge-ff" && one.status === "done")
    .filter((one) => one.args["agent"] === agent)
    .flatMap((one) => (typeof one.detail["oid"] === "string" ? [one.detail["oid"]] : []));
}

/** Commits at which Holdpoint itself has put the task branch. Their content is on it, in whatever form. */
export function madeBefore({ effects }: Workflow): readonly string[] {
  return Object.values(effects)
    .filter((one) => one.status === "done" && ["merge-ff", "squash"].includes(one.kind))
    .flatMap((one) => (typeof one.detail["oid"] === "string" ? [one.detail["oid"]] : []));
}

export function enteredAt(state: Workflow, name: string): number {
  return rootOf(state).entered[name] ?? 0;
}

/** A state named as a target: the move that leads there, no move at all, or none that exists. */
export type Target =
  | { readonly kind: "here"; readonly warning: string }
  | { readonly kind: "move"; readonly id: string }
  | { readonly kind: "none"; readonly reachable: readonly string[] };

export function targetOf(
  at: string,
  name: string,
  moves: readonly { readonly id: string; readonly from: readonly string[]; readonly to: string }[],
): Target {
  const to = name.toUpperCase();
  if (at === to) return { kind: "here", warning: `${at} is where it stands; nothing happens` };
  const leaving = moves.filter((one) => one.from.includes(at) && one.to !== at);
  const found = leaving.find((one) => one.to === to);
  return found === undefined
    ? { kind: "none", reachable: [...new Set(leaving.map((one) => one.to))] }
    : { kind: "move", id: found.id };
}
