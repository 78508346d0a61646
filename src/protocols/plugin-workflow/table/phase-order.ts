import { isJsonArray, member, showJson } from "../../../core/values/json.ts";
import type { Scope } from "../../../core/table/protocol.ts";

/** Phases are done in the order of the plan: all phases before this one must be done. */
export function phaseOrder({ unit, workflow }: Scope): string | undefined {
  const after = isJsonArray(unit.data["after"]) ? unit.data["after"] : [];
  const late = after.map(showJson).filter((id) => member(workflow.units, id)?.at !== "done");
  return late.length === 0
    ? undefined
    : `${unit.id} comes after ${late.join(", ")}, which is not done`;
}
