import { showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { list } from "../../../operations/list.ts";
import type { Listed, ListInput } from "../../../operations/list.ts";
import { ageOf } from "../text/age.ts";
import { columnsOf, padTo } from "../terminal/fit.ts";
import { safe, style } from "../terminal/style.ts";
import type { Verb } from "../verb.ts";

export const listVerb: Verb<ListInput, Listed> = { operation: list, args: [], text: listText };

export function listText(listed: Listed): string {
  const [first] = listed.workflows;
  const ahead = first === undefined ? [] : ["", `→ Next: holdpoint next ${shown(first["id"])}`];
  return [listedText(listed), ...ahead].join("\n");
}

/** Workflows waiting for a person come first. */
export function waitingFirst({ workflows, ...rest }: Listed): Listed {
  const waits = (row: JsonObject): number => Number(Number(row["open"]) > 0);
  return { ...rest, workflows: workflows.toSorted((a, b) => waits(b) - waits(a)) };
}

export function listedText({ workflows, warnings = [] }: Listed): string {
  return [rowsText(workflows), ...warningLines(warnings)].join("\n");
}

export function warningLines(warnings: readonly string[]): readonly string[] {
  return warnings.map((one) => style().warn(`! ${safe(one)}`));
}

function rowsText(workflows: Listed["workflows"]): string {
  const { bold, dim } = style();
  if (workflows.length === 0)
    return `No workflows here yet. ${dim("Begin with holdpoint start <name>, or take over existing files with holdpoint adopt --all.")}`;
  const now = new Date().toISOString();
  const rows = workflows.map((one) => ({
    id: shown(one["id"]),
    at: shown(one["state"]),
    waits: waitsFor(one),
    about: dim(`${ageOf(showJson(one["updatedAt"]), now)}, ${showJson(one["protocol"])}`),
  }));
  const width = (name: "id" | "at" | "waits"): number =>
    rows.reduce((widest, row) => Math.max(widest, columnsOf(row[name])), 0);
  const [ids, ats, waits] = [width("id"), width("at"), width("waits")];
  return rows
    .map(({ id, at, waits: why, about }) =>
      [
        bold(padTo(id, ids)),
        padTo(at, ats),
        ...(waits === 0 ? [] : [padTo(why, waits)]),
        about,
      ].join("  "),
    )
    .join("\n");
}

function shown(value: Json | undefined): string {
  return safe(showJson(value));
}

function waitsFor(row: JsonObject): string {
  if (Number(row["open"]) > 0) return style().warn("waits for you");
  return Number(row["out"]) > 0 ? "at work" : "";
}
