/** Where the team contract's ledger decides otherwise than the contract's own words, row by row. */
import type { Exception, Found } from "../agree.ts";
import { type Objection, said } from "../opinion.ts";
import { APPROVAL } from "./decisions.ts";
import { type SessionFiles, decisionOf } from "./files.ts";

export const EXCEPTIONS: readonly Exception<SessionFiles>[] = [
  {
    row: "9",
    because:
      "whatever begins with `approved` would pass, a doubt too; what follows must not be one",
    adds: ({ code }, files) =>
      ["decision-invalid", "gate-missing", "state-mismatch"].includes(code) &&
      said(decisionOf(files, APPROVAL)?.["answer"]).startsWith("approved?")
        ? "decision:answer"
        : undefined,
  },
  {
    row: "27",
    because: "a person may accept what a checker goes on to refuse, as a known issue",
    drops: ({ check }, { status }) =>
      check === "history:completed" && JSON.stringify(status?.["known_issues"]) !== "[]",
  },
  {
    row: "33",
    because: "a repair takes the task up again, which the list of its states leaves out",
    drops: ({ check }) => check === "history:task implemented to in-progress",
  },
  {
    row: "36",
    because: "no file has a place for the results of the criteria; the report is asked for them",
    adds: ({ code }) => (code === "evidence-missing" ? "artifact:acceptance" : undefined),
  },
];

/** Codes in which Holdpoint speaks of what a check is about. */
const CODES: readonly (readonly [check: RegExp, codes: RegExp])[] = [
  [/^status:json$/, /^status-(?:unreadable|field)$/],
  [/^status:session$/, /^session-mismatch$/],
  [/^status:duplicate$/, /^status-field$/],
  [/^decision:(?:record|answer|id)$/, /^(?:decision-invalid|status-field)$/],
  [/^decision:pending$/, /^decision-pending$/],
  [/^decision:question$/, /^question-missing$/],
  [/^decision:cancelled$/, /^gate-missing$/],
  // A hole in the numbers, and a correction that nobody queued, are what old files may have.
  [/^decision:(?:id|correction)$/, /^state-mismatch$/],
  [/^history:line$/, /^history-line$/],
  [/^history:missing$/, /^history-missing$/],
  [/^artifact:acceptance$/, /^acceptance-/],
  [/^artifact:task/, /^tasks-(?:unreadable|field)$/],
  [/^gate:(?:design|strategy)$/, /^(?:gate-missing|decision-invalid)$/],
  [/^gate:tasks$/, /^(?:tasks-open|done-too-early)$/],
  [
    /^history:(?:move|context|kept|task|time|completed)/,
    /^(?:state-mismatch|history-|tasks-field)/,
  ],
];

/** Whether a finding of Holdpoint is about what the contract objects to. */
export function speaksOf({ code, file, message }: Found, { check }: Objection): boolean {
  const [, kind = "", what = ""] = /^(\S+?:\S+)(?: (.*))?$/.exec(check) ?? [];
  if (kind === "artifact:missing" || check === "status:missing")
    return code === "artifact-missing" && file.endsWith(what === "" ? "status.json" : what);
  if (kind === "artifact:section") return code === "section-missing" && message.includes(what);
  const [, field] = /^status:(.*)$/.exec(check) ?? [];
  if (field !== undefined && code === "status-field" && message.includes(`$.${field}`)) return true;
  return CODES.some(([one, codes]) => one.test(check) && codes.test(code));
}
