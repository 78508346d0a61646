/** Where the task protocol's ledger decides otherwise than the published scripts do, row by row. */
import type { Exception, Found } from "../agree.ts";
import { type Objection, fieldsOf, listOf } from "../opinion.ts";
import { PLAN_FLAG, type TaskFiles } from "./files.ts";
import { judgeState } from "./lock.ts";

function hasNoAgents({ agents, lock }: TaskFiles): boolean {
  return agents.length === 0 && lock?.["risk_level"] === "LOW";
}

/** A plan was approved: its digest is in the evidence. */
function isApproved({ state }: TaskFiles): boolean {
  return listOf(fieldsOf(state?.["evidence"])["SYNTHESIS"]).length > 0;
}

/** Every agent has given its requirements, by the trail. */
function haveReported({ agents, trail }: TaskFiles): boolean {
  const done = listOf(trail?.["agent_invocations"])
    .map((one) => fieldsOf(one))
    .filter((one) => one["agent_mode"] === "requirements" && one["status"] === "completed")
    .map((one) => one["agent_name"]);
  return agents.every((agent) => done.includes(agent));
}

export const EXCEPTIONS: readonly Exception<TaskFiles>[] = [
  {
    row: "C-01",
    because: "the journal is the authority: a lock edited by hand is named, and moves no gate",
    drops: ({ check }, files) =>
      /^(?:nine:[1258]|seven:6)$/.test(check) && judgeState(files).length > 0,
  },
  {
    row: "C-05",
    because: "the seventh guard is a reminder that always passes; here it must be acknowledged",
    adds: ({ code }) => (code === "entry-7-acknowledgement" ? "seven:7" : undefined),
  },
  {
    row: "C-06",
    because: "the short way of a small task leads to the person too, not past them",
    drops: ({ check }) => check === "lock:move SYNTHESIS to AWAITING_USER_APPROVAL",
  },
  {
    row: "C-10",
    because: "a finished task is archived, and its folder and lock are gone",
    drops: ({ check }, { texts }) =>
      check === "lock:missing" && Object.values(texts).every((text) => text === undefined),
  },
  {
    row: "C-13",
    because: "one report of several, and the mere words for a plan, are not enough",
    adds: ({ code }) =>
      code.startsWith("entry-3-") ? "seven:3" : code === "entry-4-plan" ? "seven:4" : undefined,
  },
  {
    row: "C-17",
    because: "a small task has no agents, whom the checks would miss",
    drops: ({ check }, files) =>
      /^(?:nine:5|seven:3|end:agent_invocations)$/.test(check) && hasNoAgents(files),
  },
  {
    row: "C-23",
    because: "the flag is what an approval leaves, and not the approval",
    drops: ({ check }, files) =>
      check === "seven:5" && files.texts[PLAN_FLAG] === undefined && isApproved(files),
  },
  {
    row: "C-25",
    because: "an agent is complete with its report, and not without",
    adds: ({ code }) => (code === "exit-6-incomplete" ? "nine:6" : undefined),
  },
  {
    row: "G-02",
    because: "an approval is of one plan; another plan has none",
    adds: ({ code }) => (code === "entry-5-approval" ? "seven:5" : undefined),
  },
  {
    row: "open",
    because:
      "what an agent writes into its status after its report is named, and stops no gate (TP-093, TP-097)",
    drops: ({ check }, files) => /^nine:[69]$/.test(check) && haveReported(files),
  },
];

/** Codes in which Holdpoint speaks of what a check is about. */
const CODES: readonly (readonly [check: RegExp, codes: RegExp])[] = [
  [/^nine:1$/, /^transition-illegal$/],
  [/^nine:2$/, /^lease-held$/],
  [/^seven:6$/, /^transition-illegal$/],
  [/^lock:(?:missing|json)$/, /^(?:lock-missing|lock-unreadable|agent-unlisted)$/],
  [/^lock:(?:log|move .*)$/, /^lock-log$/],
  [/^lock:checkpoint$/, /^checkpoint-missing$/],
  [/^lock:approval$/, /^(?:approval-change-missing|state-mismatch)$/],
  [/^lock:outlived$/, /^approval-outlived$/],
  [/^state:missing$/, /^state-missing$/],
  [/^state:json$/, /^state-unreadable$/],
  [/^state:evidence$/, /^state-field$/],
  [/^state:required_agents$/, /^agent-unlisted$/],
  [/^task\.md:missing$/, /^task-md-missing$/],
  [/^task\.md:plan$/, /^plan-incomplete$/],
  [/^plan:approval$/, /^approval-plan-missing$/],
  [/^report /, /^report-/],
  [/^agent /, /^(?:status-field|error-message-missing)$/],
  [/^worktree:task$/, /^worktree-missing$/],
  [/^worktree:agent /, /^agent-worktree-missing$/],
  [/^trail:/, /^(?:audit-|state-mismatch)/],
  [/^history:/, /^state-mismatch$/],
];

/** Whether a finding of Holdpoint is about what the sources object to. */
export function speaksOf({ code, file, message }: Found, { check }: Objection): boolean {
  const [, gate, number] = /^(nine|seven):(\d)$/.exec(check) ?? [];
  if (gate !== undefined && code.startsWith(`${gate === "nine" ? "exit" : "entry"}-${number}-`))
    return true;
  const [, kind = "", what = ""] = /^(lock|state|task\.md:section)[: ](.*)$/.exec(check) ?? [];
  if (kind === "lock" && code === "lock-field") return message.includes(what);
  if (kind === "state" && code === "state-mismatch")
    return file.endsWith("state.json") && message.startsWith(what);
  if (kind === "task.md:section") return code === "task-md-section" && message.includes(what);
  return CODES.some(([one, codes]) => one.test(check) && codes.test(code));
}
