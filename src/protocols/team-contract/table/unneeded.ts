import { ROOT } from "../../../core/state/state.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { CHECKERS, type CheckKind, isSingleFinal } from "./verdicts.ts";

/**
 * Work that is skipped when going on automatically: work already done in this state, agents that are not needed
 * here, and a pass over the whole session by a checker who has looked at every task.
 */
export function unneeded(state: Workflow, spec: string, unit: string): boolean {
  const { vars, dispatches, units } = state;
  if (spec === "research" && vars["research"] !== true) return true;
  if (spec === "design" && vars["ui"] !== true) return true;
  const all = Object.values(dispatches).filter((one) => one.outcome?.startsWith("OK") === true);
  const kind = WHOLE[spec];
  if (spec.endsWith("-late")) return false;
  if (kind !== undefined) {
    // A guard decides whether a verdict on the whole still counts. Without one, having checked every task is
    // enough.
    if (state.findings[`${ROOT} ${kind} ${CHECKERS[kind]}`] !== undefined) return false;
    return (
      kind !== "review" && !isSingleFinal(state) && all.some((one) => one.role === CHECKERS[kind])
    );
  }
  const root = units[ROOT];
  const since = root?.entered[root.at] ?? 0;
  return (
    unit === ROOT &&
    all.some((one) => one.spec === spec && one.unit === unit && one.sentSeq >= since)
  );
}

const WHOLE: Readonly<Record<string, CheckKind>> = {
  "review-all": "review",
  "test-all": "qa",
  "secure-all": "security",
};
