import { isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { list } from "../../../core/values/json-read.ts";

/** A checker's findings, one sentence each, so that whoever repairs them need not guess. */
export function feedbackOf(artifacts: JsonObject): readonly string[] {
  const said = [
    ...list(artifacts["review_comments"]).map((one) => remark(one, "message", "suggested_fix")),
    ...list(artifacts["findings"]).map((one) => remark(one, "description", "recommended_fix")),
    ...tests(artifacts["test_results"]),
    ...list(artifacts["coverage_gaps"]).map(showJson),
    ...list(artifacts["ci_notes"]).map(showJson),
  ];
  const told = said.map((one) => clip(one.trim())).filter((one) => one !== "");
  const left = told.length - REMARKS_MAX;
  return left <= 0 ? told : [...told.slice(0, REMARKS_MAX), `and ${left} more in the reply`];
}

const REMARKS_MAX = 20;
const CHARS_MAX = 600;

/** `blocker, Logic, b.js:3: the loop runs once too often; use < instead` */
export function remark(entry: Json, what: string, how: string): string {
  if (!isJsonObject(entry)) return showJson(entry);
  const { severity, category, file, line } = entry;
  const place = [file, line].map(word).filter((one) => one !== "");
  const head = [word(severity), word(category), place.join(":")].filter((one) => one !== "");
  const said = [word(entry[what]), word(entry[how])].filter((one) => one !== "").join("; ");
  return head.length === 0 ? said : `${head.join(", ")}: ${said}`;
}

function tests(results: Json | undefined): readonly string[] {
  if (!isJsonObject(results)) return [];
  const { failed, output } = results;
  if (typeof failed !== "number" || failed === 0) return [];
  return [`${failed} ${failed === 1 ? "test" : "tests"} failed: ${tail(word(output))}`];
}

/** The end of an output, which says what went wrong. */
function tail(text: string): string {
  return text.length > CHARS_MAX ? `… ${text.slice(-(CHARS_MAX / 2))}` : text;
}

function clip(text: string): string {
  return text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)} …` : text;
}

function word(value: Json | undefined): string {
  return value === undefined || value === null ? "" : showJson(value);
}
