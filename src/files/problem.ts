/**
 * What is wrong with a text, as data. Readers collect problems and continue; the caller decides whether to stop.
 * `line` counts from 1; 0 stands for the whole file.
 */
export interface Problem {
  readonly code: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The requirement this breaks: an id from the family's SPEC.md. */
  readonly rule: string;
  readonly severity: "error" | "warning";
}

/** What a reader made of a text; `value` is undefined if it could make nothing of it. */
export interface Parsed<T> {
  readonly value: T | undefined;
  readonly problems: readonly Problem[];
}
