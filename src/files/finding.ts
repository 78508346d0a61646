/** What `verify` found, and where. `line` counts from 1; 0 is the whole file. */
export interface Finding<Code extends string = string> {
  readonly code: Code;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** The requirement this breaks, a row of the family. */
  readonly rule: string;
}
