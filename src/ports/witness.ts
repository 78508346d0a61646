/** Stores the heads of journals where whoever can write the journals cannot: in a file, or by a program. */
import type { Problem } from "./problem.ts";

export interface Witness {
  /** The stored lines, oldest first, limited to the latest. */
  readonly recall: (name: string) => Promise<readonly string[] | Problem>;
  readonly keep: (name: string, line: string) => Promise<Problem | undefined>;
}
