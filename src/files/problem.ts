/**
 * What is wrong with a text, as data. Readers collect problems and go on; only the edge decides to stop.
 * `line` counts from 1; 0 means the whole file.
 */
export interface Problem {
  readonly code: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The requirement this breaks, a row of the family. */
  readonly rule: string;
  readonly severity: "error" | "warning";
}

/** What a reader made of a text: undefined when nothing could be made of it. */
export interface Parsed<T> {
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
}
