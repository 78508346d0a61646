import { isJsonArray, showJson } from "../../../core/values/json.ts";
import type { Scope } from "../../../core/table/protocol.ts";

/** Handoff and registry agree with the journal. Differences only in the table are checked by `rowAgrees`. */
export function filesAgree(scope: Scope): string | undefined {
  const drift = driftOf(scope);
  const other = drift.filter((one) => !isRow(one));
  return other.length === 0 ? undefined : drift.join("; ");
}

/** The table agrees with the full entry, and so with the journal. */
export function rowAgrees(scope: Scope): string | undefined {
  const drift = driftOf(scope);
  return drift.length > 0 && drift.every(isRow) ? drift.join("; ") : undefined;
}

function isRow(drift: string): boolean {
  return drift.startsWith("PLUGINS.md: the row ");
}

function driftOf(scope: Scope): readonly string[] {
  const drift = scope.fact(`drift:${scope.workflow.id}`);
  return isJsonArray(drift) ? drift.map(showJson) : [];
}
