import type { Liveness } from "./sessions.ts";

/** Processes of this machine, each under a name that no later process gets. */
export interface Processes {
  /** The name of this process. */
  readonly self: string;
  /** The clone it works in, including its machine, where several share one store. Unique, and shown to people. */
  readonly place?: string;
  /** What became of the process with that name. `dead` only if it is proven. */
  readonly fate: (name: string) => Liveness;
}
