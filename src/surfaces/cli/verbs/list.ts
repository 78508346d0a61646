import { showJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { list } from "../../../operations/list.ts";
import type { Listed, ListInput } from "../../../operations/list.ts";
import { ageOf } from "../age.ts";
import { safe, style } from "../style.ts";
import type { Verb } from "../verb.ts";

export const listVerb: Verb<ListInput, Listed> = { operation: list, args: [], text: listText };

export function listText({ workflows, warnings = [] }: Listed): string {
  return [rowsText(workflows), ...warningLines(warnings)].join("\n");
}

export function warningLines(warnings: readonly string[]): readonly string[] {
  return warnings.map((one) => style().warn(`! ${safe(one)}`));
}

function rowsText(workflows: Listed["workflows"]): string {
  const { dim } = style();
  if (workflows.length === 0)
    return `No workflows here yet. ${dim("Begin with holdpoint start <name>, or take over existing files with holdpoint adopt --all.")}`;
  const now = new Date().toISOString();
  return workflows.map((row) => line(row, now)).join("\n");
}

function line(row: JsonObject, now: string): string {
  const { bold, dim, warn } = style();
  const waits =
    Number(row["open"]) > 0
      ? warn("  waits for a person")
      : Number(row["out"]) > 0
        ? "  an agent is at work"
        : "";
  const name = safe(showJson(row["id"])).padEnd(24);
  const state = showJson(row["at"]).padEnd(12);
  return `${bold(name)} ${state} ${dim(`${showJson(row["protocol"])}, ${ageOf(showJson(row["updatedAt"]), now)}`)}${waits}`;
}
