import type { Liveness } from "./sessions.ts";

/** Processes of this machine, each under a name that no later one gets. */
export interface Processes {
  /** The name of this one. */
  readonly self: string;
  /** What became of the process of that name. Only what is proven is `dead`. */
  readonly fate: (name: string) => Liveness;
}
