import type { Remedy } from "../decide/answer.ts";

/** What `verify` says about one workflow: sound (0), or how it is not, with everything found. */
export interface VerifiedWorkflow {
  readonly id: string;
  readonly protocol: string;
  readonly exit: 0 | 1 | 2 | 3 | 4;
  readonly findings: readonly VerifyFinding[];
  /** It is finished, and what is found only says where to go from there: no fault of the tree. */
  readonly ended?: true;
}

/** What was found, and where. `line` counts from 1; 0 is the whole file. */
export interface VerifyFinding<Code extends string = string> {
  readonly code: Code;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: Remedy;
  /** The requirement this breaks, a row of the family. */
  readonly rule: string;
}
