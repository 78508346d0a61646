import type { Remedy } from "../decide/answer.ts";

/** What `verify` reports about one workflow: an exit code (0 is sound) and everything found. */
export interface VerifiedWorkflow {
  readonly id: string;
  readonly protocol: string;
  readonly exit: 0 | 1 | 2 | 3 | 4;
  readonly findings: readonly VerifyFinding[];
  /** The workflow has ended, and its findings only say what could be done next. They do not count as faults. */
  readonly ended?: true;
}

/** What was found, and where. `line` counts from 1; 0 stands for the whole file. */
export interface VerifyFinding<Code extends string = string> {
  readonly code: Code;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: Remedy;
  /** The requirement this breaks: an id from the family's SPEC.md. */
  readonly rule: string;
}
