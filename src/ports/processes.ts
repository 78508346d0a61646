import type { Liveness } from "./sessions.ts";

/** Processes of this machine, each under a name that no later one gets. */
export interface Processes {
  /** The name of this one. */
  readonly self: string;
  /** The clone it works in, with its machine, where several share one store; unique, and told to people. */
  readonly place?: string;
  /** What became of the process of that name. Only what is proven is `dead`. */
  readonly fate: (name: string) => Liveness;
}
