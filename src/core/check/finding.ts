import type { Step } from "./explore.ts";

/** What is proved of a protocol, each by a name of its own. */
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

/** Something wrong with a table, with the shortest way to meet it. */
export interface CheckFinding {
  readonly property: Property;
  readonly code: string;
  readonly message: string;
  readonly fix: string;
  /** From the start; empty where it can be seen without taking a step. */
  readonly steps: readonly Step[];
  /** What then goes round and round. */
  readonly loop?: readonly Step[];
}
