import { isJsonObject, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Problem } from "../../../files/problem.ts";
import { eolOf, linesOf, textStart } from "../../../files/text.ts";
import { readApproval } from "./answers.ts";
import { problem } from "./json-problems.ts";
import { readJsonText, toJson } from "../../../files/json/source.ts";
import { APPROVE_DESIGN_ID } from "./names.ts";

/**
 * `approve-design-history.jsonl`: one line for every `changes-requested:` answer, only ever appended. `event_id`
 * is added by us, to tell a line that a crash left out from one that exists.
 */
export interface HistoryLine {
  readonly at: string;
  readonly answer: string;
  readonly eventId: string;
}

export interface ParsedHistory {
  readonly value: readonly JsonObject[];
  readonly problems: readonly Problem[];
}

/** Code: `history-line`. */
export function parseHistory(text: string): ParsedHistory {
  const value: JsonObject[] = [];
  const problems: Problem[] = [];
  linesOf(text, textStart(text)).forEach(({ start, end }, index) => {
    const source = text.slice(start, end);
    if (source.trim() === "") return;
    const json = readJsonText(source);
    const entry = json.root === undefined ? undefined : toJson(json.root);
    if (isJsonObject(entry)) value.push(entry);
    const fix = "The history is only ever appended to; restore the line.";
    for (const message of lineMistakes(entry))
      problems.push(
        problem({ code: "history-line", line: index + 1, message, fix, rule: "TC-092" }),
      );
  });
  return { value, problems };
}

function lineMistakes(entry: Json | undefined): readonly string[] {
  if (!isJsonObject(entry)) return ["This line is not one JSON object"];
  const missing = FIELDS.filter((key) => typeof entry[key] !== "string");
  if (missing.length > 0) return [`This line has no ${missing.join(", ")}`];
  const { at, decision_id, answer, state_context } = entry;
  return [
    ...(Number.isNaN(Date.parse(showJson(at))) ? [`at is "${showJson(at)}", not a time`] : []),
    ...(decision_id === APPROVE_DESIGN_ID
      ? []
      : [`decision_id is "${showJson(decision_id)}", expected ${APPROVE_DESIGN_ID}`]),
    ...(readApproval(showJson(answer)) === "changes-requested"
      ? []
      : [`answer is "${showJson(answer)}", expected changes-requested: <what>`]),
    ...(state_context === "APPROVE_DESIGN"
      ? []
      : [`state_context is "${showJson(state_context)}", expected APPROVE_DESIGN`]),
  ];
}

const FIELDS: readonly string[] = ["at", "decision_id", "answer", "state_context"];

/** Adds every missing line after the existing ones. Earlier bytes never change. */
export function appendHistory(text: string, lines: readonly HistoryLine[]): string {
  const kept = putBack(text, lines);
  const there = parseHistory(kept).value;
  const missing = lines.filter(
    (line) =>
      !there.some((one) => one["event_id"] === line.eventId) &&
      !there.some((one) => one["at"] === line.at && one["answer"] === line.answer),
  );
  if (missing.length === 0) return kept;
  const eol = eolOf(kept);
  const gap = kept === "" || /[\r\n]$/.test(kept) ? "" : eol;
  return `${kept}${gap}${missing.map((line) => `${renderLine(line)}${eol}`).join("")}`;
}

/** A line with our id must say what was recorded. If it was edited by hand, it is restored in its place. */
function putBack(text: string, lines: readonly HistoryLine[]): string {
  return linesOf(text, textStart(text)).reduceRight((now, { start, end }) => {
    const [entry] = parseHistory(text.slice(start, end)).value;
    const line = lines.find((one) => one.eventId === entry?.["event_id"]);
    if (line === undefined || entry?.["answer"] === line.answer) return now;
    return `${now.slice(0, start)}${renderLine(line)}${now.slice(end)}`;
  }, text);
}

function renderLine({ at, answer, eventId }: HistoryLine): string {
  return JSON.stringify({
    at,
    decision_id: APPROVE_DESIGN_ID,
    answer,
    state_context: "APPROVE_DESIGN",
    event_id: eventId,
  });
}
