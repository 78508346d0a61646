import { isJsonArray, showJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import type { Workflow } from "../../core/state/state.ts";

/** What to look at before deciding on the latest step: its report, its commit, the check runs. */
export function detailsOf(state: Workflow): readonly string[] {
  const dispatch = Object.values(state.dispatches).findLast((one) => one.claim !== null);
  const commit = Object.values(state.effects).findLast((one) => one.detail["oid"] !== undefined);
  const run = state.notes.findLast((note) => note.list === "runs");
  const advice = state.notes.filter((note) => note.list === "advice");
  return [
    ...(dispatch === undefined
      ? []
      : [`Report of ${dispatch.role} (${dispatch.id})`, ...reportLines(dispatch.claim ?? {})]),
    ...(commit === undefined ? [] : [`Commit ${showJson(commit.detail["oid"])}`]),
    ...(run === undefined ? [] : [`Run of ${run.tag}`, indent(run.text)]),
    ...advice.map((note) => `Advice on ${note.tag}: ${note.text}`),
  ];
}

const FIELDS: readonly string[] = [
  "outcome",
  "description",
  "files",
  "errorType",
  "error",
  "issues",
  "stateError",
  "raw",
];

function reportLines(claim: JsonObject): readonly string[] {
  return FIELDS.flatMap((name) => {
    const text = textOf(claim[name]);
    return text === "" ? [] : [indent(`${name}: ${text}`)];
  });
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  return isJsonArray(value) ? value.map(showJson).join(", ") : showJson(value);
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
