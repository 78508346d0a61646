import type { Refusal } from "../core/decide/answer.ts";
import type { Claim } from "../core/state/commands.ts";
import { isJsonArray, isJsonObject, member, parseJson } from "../core/values/json.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { Dispatch } from "../core/state/state.ts";
import type { ReadReport } from "../ports/family.ts";

/**
 * The plain report of a family that has no format of its own:
 *
 *     { "outcome": "done", "files": ["src/a.ts"], "summary": "one sentence" }
 *
 * `outcome` is one of the work's outcomes, and may be left out where there is only one. `files` and `summary`
 * may be left out too. Other members are refused, so that a misspelt one is not silently dropped.
 */
export function readPlainReport(protocol: Protocol, text: string, dispatch: Dispatch): ReadReport {
  const value = parseJson(unfenced(text));
  const outcomes = outcomesOf(protocol, dispatch);
  if (!isJsonObject(value)) return refused([notAnObject(text, outcomes)]);
  const refusals = mistakesIn(value, outcomes);
  if (refusals.length > 0) return refused(refusals);
  return { kind: "report", claim: claimOf(value, dispatch, outcomes), warnings: [] };
}

/** The outcomes that a report on this work may have. */
export function outcomesOf({ work }: Protocol, { spec }: Dispatch): readonly string[] {
  return Object.keys(member(work, spec)?.outcomes ?? {});
}

/** Models like to wrap JSON in a code fence. Nothing else may surround it. */
function unfenced(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/.exec(text)?.[1] ?? text;
}

const MEMBERS: readonly string[] = ["outcome", "files", "summary"];

function mistakesIn(value: JsonObject, outcomes: readonly string[]): readonly Refusal[] {
  const { outcome = null, files = null, summary = null } = value;
  const unknown = Object.keys(value).filter((name) => !MEMBERS.includes(name));
  return [
    ...(isOutcome(outcome, outcomes)
      ? []
      : [mistake("outcome", `is ${shown(outcome)}`, `Use one of ${outcomes.join(", ")}.`)]),
    ...(files === null || isTexts(files)
      ? []
      : [mistake("files", "is not a list of paths", 'Write "files": ["src/a.ts"].')]),
    ...(summary === null || typeof summary === "string"
      ? []
      : [mistake("summary", "is not a text", 'Write "summary": "what was done".')]),
    ...unknown.map((name) =>
      mistake(name, "is not known", `A report has ${MEMBERS.join(", ")}; leave the rest out.`),
    ),
  ];
}

function isOutcome(value: Json, outcomes: readonly string[]): boolean {
  if (value === null) return outcomes.length === 1;
  return typeof value === "string" && outcomes.includes(value);
}

function isTexts(value: Json): boolean {
  return isJsonArray(value) && value.every((one) => typeof one === "string");
}

function shown(value: Json): string {
  return value === null ? "missing" : JSON.stringify(value).slice(0, 80);
}

function mistake(name: string, what: string, fix: string): Refusal {
  return { code: "report-field", message: `The report's "${name}" ${what}`, fix, rule: "core" };
}

function notAnObject(text: string, [first = "done"]: readonly string[]): Refusal {
  return {
    code: "report-unreadable",
    message: `The report is not one JSON object: ${JSON.stringify(text.trim().slice(0, 60))}`,
    fix: `Answer with {"outcome": "${first}", "files": [], "summary": "..."} and nothing around it.`,
    rule: "core",
  };
}

function refused(refusals: readonly Refusal[]): ReadReport {
  return { kind: "refused", refusals };
}

function claimOf(value: JsonObject, { role }: Dispatch, outcomes: readonly string[]): Claim {
  const { outcome, files = [], summary = "" } = value;
  return {
    agent: role,
    outcome: typeof outcome === "string" ? outcome : (outcomes[0] ?? ""),
    files,
    summary,
  };
}
