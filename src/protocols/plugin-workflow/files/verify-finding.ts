import type { Finding } from "../../../files/finding.ts";

export type PluginFinding = Finding<
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
