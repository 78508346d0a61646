import type { JsonObject } from "../../../core/values/json.ts";
import type { VarRule } from "../../../core/table/protocol.ts";

/** Everything that a repository may configure, with the defaults from the requirements. */
export const VARS: JsonObject = {
  root: ".holdpoint/tasks",
  main: "main",
  todo: "todo.md",
  changelog: "changelog.md",
  archive: ".holdpoint/tasks/.archive",
  completion: "remove+changelog",

  feasibility: null,
  description: "",
  scope_digest: null,
  risk_override: null,
  risk_level: null,
  risk_reason: "",
  risk: null,
  change_type: "code",
  /** Where the main branch was when the task began, and what others have added to it since. */
  begun: null,
  foreign: null,
  ended: null,
  validated: null,
  replanned: null,
  reviewed: null,

  report_bytes_min: 100,
  retries_max: 2,
  rounds_max: 10,
  orders_max: 40,
  fixes_max: 5,
  status_minutes_max: 5,
  stale_minutes_max: 30,
  wait_minutes_max: 60,
  effort_ratio_max: 2,
  scope_rejections_min: 2,
  merge_policy: "exact",
  retry_effects: true,
};

export const OPEN_VARS: Readonly<Record<string, VarRule>> = {
  risk_override: {
    values: ["HIGH", "MEDIUM", "LOW", "FULL", null],
    by: ["person"],
    rule: "TP-077",
  },
  merge_policy: { values: ["exact", "same-patch"], by: ["person"], rule: "TP-181" },
  retry_effects: { values: [true, false], by: ["person"], rule: "TP-191" },
};
