/** Somebody who keeps the heads of journals where whoever can write the journals cannot: a file, or a program. */
import type { Problem } from "./problem.ts";

export interface Witness {
  /** What it has kept, oldest first, a line each; the last ones at most. */
  readonly recall: (name: string) => Promise<readonly string[] | Problem>;
  readonly keep: (name: string, line: string) => Promise<Problem | undefined>;
}
