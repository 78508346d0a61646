import type { VerifyFinding } from "../../../../core/guards/verified.ts";

export type PluginFinding = VerifyFinding<
  | "handoff-missing"
  | "handoff-unparseable"
  | "handoff-field"
  | "registry-missing"
  | "registry-drift"
  | "stage-mismatch"
  | "contract-changed"
  | "contract-missing"
  | "handoff-stale"
>;
