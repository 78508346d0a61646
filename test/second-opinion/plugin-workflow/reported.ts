/** Whether the agent kept the state as it says: the four steps after every return, and the first one that fails. */
import { fieldsOf, isFilled, readJson, today } from "../opinion.ts";
import type { PluginFiles } from "./files.ts";
import { placesOf, statusOf } from "./registry.ts";

export type Reason =
  | "stateUpdated_false"
  | "state_update_error"
  | "stage_mismatch"
  | "date_not_current"
  | "plugins_md_not_updated";

export const REASONS: readonly Reason[] = [
  "stateUpdated_false",
  "state_update_error",
  "stage_mismatch",
  "date_not_current",
  "plugins_md_not_updated",
];

/** The reason it is not verified; undefined if it is. The files are those the agent left. */
export function reasonOf(files: PluginFiles, report: string, stage: number): Reason | undefined {
  const said = fieldsOf(readJson(report));
  if (said["stateUpdated"] !== true) return "stateUpdated_false";
  if (isFilled(said["stateUpdateError"])) return "state_update_error";
  const fields = files.handoff?.fields;
  if (fields?.["stage"] !== String(stage)) return "stage_mismatch";
  if (fields["last_updated"] !== today()) return "date_not_current";
  const status = statusOf(placesOf(files.registry, files.name));
  return status.includes(`Stage ${stage}`) ? undefined : "plugins_md_not_updated";
}
