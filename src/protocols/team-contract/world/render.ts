import { rootOf } from "../../../core/state/evolve.ts";
import { isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { list, text } from "../../../core/values/json-read.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { Finding, Workflow } from "../../../core/state/state.ts";
import type { HistoryLine } from "../files/history-jsonl.ts";
import { FIX_LOOPS, TASK_STATUSES, type TaskStatus } from "../files/names.ts";
import type { OwnedStatus, StatusLists } from "../files/status-edit.ts";
import { decisionEntries } from "../table/decisions.ts";
import { tasksOf } from "../table/verdicts.ts";

/** Renders the session's files from the workflow: what the engine owns in them, and nothing else. */

export function ownedStatus(workflow: Workflow): OwnedStatus {
  const root = rootOf(workflow);
  const isBlocked = root.at === "BLOCKED";
  const { blocker, blocker_detail, mode, retired } = workflow.vars;
  const gone = list(retired).map((key) => [text(key), undefined] as const);
  return {
    ...Object.fromEntries(gone),
    current_state: root.at,
    session: workflow.id,
    mode: text(mode) || "full",
    user_decisions: decisionEntries(workflow),
    gate_tracking: gateTracking(workflow),
    runtime_flags: runtimeFlags(workflow),
    retry_counts: retryCounts(workflow),
    last_ci_result: ciResult(workflow),
    last_update: workflow.updatedAt,
    blocker: isBlocked ? text(blocker) || "no_progress" : undefined,
    blocker_detail: isBlocked ? text(blocker_detail) : undefined,
    blocked_from: isBlocked ? root.back.at(-1) : undefined,
  };
}

/** The engine's entries for the free lists. What agents wrote there stays. */
export function statusLists({ notes }: Workflow): StatusLists {
  const of = (list: string): readonly string[] =>
    notes.filter((note) => note.list === list).map((note) => note.text);
  return { assumptions: of("assumptions"), known_issues: of("known_issues") };
}

/** Absent until the first correction; then its state, and which agent was sent last. */
function gateTracking(workflow: Workflow): JsonObject | undefined {
  const status = text(workflow.vars["correction"]) || "none";
  const last = Object.values(workflow.dispatches).findLast((one) =>
    one.spec.startsWith("correct-"),
  );
  if (status === "none" && last === undefined) return undefined;
  return {
    APPROVE_DESIGN: {
      correction_status: status,
      last_correction_dispatch: {
        agent: last?.role ?? null,
        task_id: last === undefined ? null : "meta",
        at: last?.sentAt ?? null,
      },
    },
  };
}

function runtimeFlags(workflow: Workflow): JsonObject | undefined {
  const { copilot } = workflow.vars;
  if (isJsonObject(copilot))
    return {
      copilot_instructions_exists: copilot["exists"] === true,
      copilot_checked_at: copilot["at"] ?? null,
    };
  const found = workflow.findings[`${ROOT} copilot engine`];
  if (found === undefined) return undefined;
  return { copilot_instructions_exists: found.value === true, copilot_checked_at: found.at };
}

/** `FIX_REVIEW/T-001` spent twice becomes `{ "T-001": { "FIX_REVIEW": 2 } }`. */
function retryCounts({ spent }: Workflow): JsonObject {
  const counts: Record<string, Record<string, number>> = {};
  for (const [budget, number] of Object.entries(spent)) {
    const [loop = "", task = ""] = budget.split("/");
    if (!FIX_LOOPS.some((one) => one === loop) || task === "") continue;
    counts[task] = { ...counts[task], [loop]: number };
  }
  return counts;
}

/** The result of the latest run: red as soon as one of its checks failed. */
export function ciResult(workflow: Workflow): "unknown" | "green" | "red" {
  const since = rootOf(workflow).entered["INTEGRATE"] ?? 0;
  const results = Object.values(workflow.findings)
    .filter((one) => one.seq > since && /^(?:check:|checks$|ci$)/.test(one.kind))
    .map(colour);
  if (results.length === 0) return "unknown";
  return results.every((one) => one === "green") ? "green" : "red";
}

function colour({ value }: Finding): string {
  const result: Json = isJsonObject(value) ? (value["result"] ?? null) : value;
  return result === "passed" || result === "green" ? "green" : "red";
}

export function taskStatuses(workflow: Workflow): Readonly<Record<string, TaskStatus>> {
  const entries = tasksOf(workflow).flatMap(({ id, at }): readonly [string, TaskStatus][] => {
    const status = TASK_STATUSES.find((one) => one === at);
    return status === undefined ? [] : [[id, status]];
  });
  return Object.fromEntries(entries);
}

/** One line for each request for changes, in order. */
export function historyLines({ notes }: Workflow): readonly HistoryLine[] {
  return notes
    .filter((note) => note.list === "design-history")
    .map(({ at, text: answer }, index) => ({ at, answer, eventId: `CR-${index + 1}` }));
}
