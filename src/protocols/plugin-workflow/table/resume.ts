import { isJsonArray, showJson } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Scope } from "../../../core/table/protocol.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { positionOf, progressDate } from "./position.ts";

/** After this many days without a change, the person is also shown what has happened since. */
export const OLD_DAYS = 14;

export const SHOWN_MAX = 10;

/**
 * After a pause a person is asked, and shown where the plugin stands, how long ago that was, and what has
 * changed.
 */
export function resumed(scope: Scope): string | undefined {
  const { id, vars } = scope.workflow;
  if (vars["paused"] !== "stage") return undefined;
  const later = scope.fact(`later:${id}`);
  const dirty = scope.fact(`dirty:${id}`);
  if (later === undefined || dirty === undefined) return undefined;
  const { milestone, handoff } = positionOf(scope.workflow);
  const next = [handoff?.nextAction, handoff?.nextPhase].filter((one) => typeof one === "string");
  return [
    `It stands at ${milestone}${next.length === 0 ? "" : `; next is ${next.join(", ")}`}.`,
    ageLine(scope.workflow, scope.envelope.at),
    listLine("Committed since", later),
    listLine("Not committed", dirty),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function ageLine(state: Workflow, now: string): string {
  const date = progressDate(state);
  const days = daysBetween(date, now);
  return days > OLD_DAYS
    ? `Its last step was on ${date}, ${days} days ago: check that it still holds.`
    : "";
}

export function daysBetween(date: string, now: string): number {
  const days = Math.floor((Date.parse(now) - Date.parse(date.slice(0, 10))) / 86_400_000);
  return Number.isFinite(days) ? days : 0;
}

function listLine(title: string, found: Json): string {
  if (!isJsonArray(found) || found.length === 0) return "";
  const more = found.length > SHOWN_MAX ? ", ..." : "";
  return `${title}: ${found.slice(0, SHOWN_MAX).map(showJson).join(", ")}${more}`;
}
