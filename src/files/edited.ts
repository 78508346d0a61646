import type { Problem } from "./problem.ts";

/** The outcome of an edit. With an error among the problems, `text` is the text that came in. */
export interface Edited {
  readonly text: string;
  readonly problems: readonly Problem[];
}
