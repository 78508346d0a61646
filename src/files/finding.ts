/** What `verify` can find in a plugin workflow, and where. `line` counts from 1; 0 is the whole file. */
export type VerifyCode =
  | "handoff-missing"
  | "handoff-unparseable"
  | "handoff-field"
  | "registry-missing"
  | "registry-drift"
  | "stage-mismatch"
  | "contract-changed"
  | "contract-missing"
  | "handoff-stale";

export interface Finding {
  readonly code: VerifyCode;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
}
