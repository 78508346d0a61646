import type { Step } from "./explore.ts";

/** The properties that are proved, each under its own name. */
export const PROPERTIES = {
  reachable: "every state can be reached",
  "way-on": "every state has a way on for somebody who exists",
  gates: "no way leads around a gate",
  loops: "every loop is stopped by a person or a budget",
  questions: "every question can be answered",
  remedies: "every refusal says what to do",
  budgets: "every budget has an exit",
  settles: "every step comes to rest",
} as const;

export type Property = keyof typeof PROPERTIES;

/** Something wrong with a table, with the shortest way to see it happen. */
export interface CheckFinding {
  readonly property: Property;
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  /** Steps from the start; empty if no step is needed to see the problem. */
  readonly steps: readonly Step[];
  /** The steps that then repeat without end. */
  readonly loop?: readonly Step[];
}
