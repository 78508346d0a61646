import { rootOf } from "../../../core/state/evolve.ts";
import type { Workflow } from "../../../core/state/state.ts";
import { isFresh } from "../../../core/guards/fresh.ts";
import type { Json } from "../../../core/values/json.ts";
import type { Batch } from "../../../ports/family.ts";
import { logOf } from "../table/log.ts";
import { lastError, latestFinding } from "../table/guards/agents.ts";
import { requiredAgents } from "../table/states.ts";
import type { TaskState } from "../table/states.ts";

/** Resuming a task: what to do first in each state, what may be broken, when a person is asked. */

/** What a session is told when it enters a state; shorter if it has been there before. */
export function guidance(state: TaskState, again: boolean): string {
  const [first = "", ...rest] = GUIDANCE[state];
  return again ? first : [first, ...rest].join("\n");
}

const GUIDANCE: Readonly<Record<TaskState, readonly string[]>> = {
  INIT: [
    "INIT: change to the task worktree, then begin.",
    "Read what you need in few, batched calls.",
  ],
  CLASSIFIED: [
    "CLASSIFIED: write task.md, then select and gather.",
    "The files in scope decide the risk and the agents.",
  ],
  REQUIREMENTS: [
    "REQUIREMENTS: hand out all agents together.",
    "They analyse and write their report; they write no source.",
  ],
  SYNTHESIS: [
    "SYNTHESIS: complete the plan in task.md, then present-plan and wait.",
    "Six parts, concrete tests, no open decision; only a person releases it.",
  ],
  IMPLEMENTATION: [
    "IMPLEMENTATION: hand out all agents together; you write no source.",
    "Each validates in its own worktree; then all look at what was merged, until nothing is left.",
  ],
  VALIDATION: [
    "VALIDATION: run the build on the committed tree, nothing from a cache.",
    "At most five mechanical fixes are yours; the rest goes back.",
  ],
  REVIEW: [
    "REVIEW: every agent judges the task branch as it is now.",
    "One rejection sends the work back.",
  ],
  AWAITING_USER_APPROVAL: [
    "AWAITING_USER_APPROVAL: show the commit and wait.",
    "A wish for changes goes straight back to IMPLEMENTATION.",
  ],
  SCOPE_NEGOTIATION: [
    "SCOPE_NEGOTIATION: ask the rejecting agents what can wait.",
    "One RESOLVE_NOW leads back to SYNTHESIS.",
  ],
  COMPLETE: ["COMPLETE: nothing to do; cleaning up starts by itself.", "See what is missing."],
  CLEANUP: ["CLEANUP: the evidence is archived.", "Nothing else is left."],
};

const CALLS_PER_MESSAGE_MIN = 2;

/** Reading in few batched calls is only recommended: too few calls in a message give a warning. */
function batchWarning(callsPerMessage: readonly number[]): string | undefined {
  if (callsPerMessage.length === 0) return undefined;
  const sum = callsPerMessage.reduce((total, calls) => total + calls, 0);
  const average = sum / callsPerMessage.length;
  return average < CALLS_PER_MESSAGE_MIN
    ? `${average.toFixed(1)} tool calls a message on average; ${CALLS_PER_MESSAGE_MIN.toFixed(1)} is the aim`
    : undefined;
}

/**
 * A remark on how many tool calls per message the agent used while reading, from the start of the task until it
 * left INIT.
 */
export function initialPace(state: Workflow, batches: readonly Batch[]): string | undefined {
  const [left] = logOf(state).filter(({ from }) => from === "INIT");
  const begun = Date.parse(state.startedAt);
  const ended = left === undefined ? Infinity : Date.parse(left.timestamp);
  const during = batches.filter(({ at }) => Date.parse(at) >= begun && Date.parse(at) <= ended);
  const warning = batchWarning(during.map(({ calls }) => calls));
  return warning === undefined ? undefined : `${state.id}, reading in INIT: ${warning}`;
}

export interface Condition {
  readonly lock: "missing" | "unreadable" | "mine" | "another";
  readonly taskWorktree: boolean;
  readonly agentWorktrees: readonly string[];
  readonly requiredAgents: readonly string[];
  readonly logEntries: number;
}

export interface Corruption {
  readonly code: string;
  readonly message: string;
  readonly repair: "recreate" | "person";
}

/** Everything that is broken, each with a code. What a person must decide is never repaired automatically. */
export function findCorruption(condition: Condition): readonly Corruption[] {
  const { lock, taskWorktree, agentWorktrees, requiredAgents, logEntries } = condition;
  const gone = requiredAgents.filter((agent) => !agentWorktrees.includes(agent));
  const rows: readonly (readonly [boolean, Corruption])[] = [
    [lock === "missing", person("lock-missing", "there is no task.json")],
    [lock === "unreadable", person("lock-unreadable", "task.json cannot be read")],
    [lock === "another", person("lock-foreign", "task.json belongs to another session")],
    [
      !taskWorktree,
      { code: "worktree-missing", message: "the task worktree is gone", repair: "recreate" },
    ],
    [
      gone.length > 0,
      {
        code: "agent-worktree-missing",
        message: `no worktree for ${gone.join(", ")}`,
        repair: "recreate",
      },
    ],
    [logEntries === 0, person("log-empty", "the transition log is empty")],
  ];
  return rows.filter(([broken]) => broken).map(([, corruption]) => corruption);
}

function person(code: string, message: string): Corruption {
  return { code, message, repair: "person" };
}

/** Evidence for a state that is gone: findings whose facts have changed. */
export function missingEvidence(
  state: Workflow,
  read: (fact: string) => Json | undefined,
): readonly string[] {
  const kinds = RESTS_ON[rootOf(state).at] ?? [];
  return requiredAgents(state).flatMap((agent) =>
    kinds
      .map((kind) => ({ kind, found: latestFinding(state, kind, agent) }))
      .filter(({ found }) => found === undefined || !isFresh(read, found.bound))
      .map(({ kind }) => `post_transition_evidence_missing: ${kind} by ${agent}`),
  );
}

const RESTS_ON: Readonly<Record<string, readonly string[]>> = {
  SYNTHESIS: ["requirements"],
  IMPLEMENTATION: ["requirements"],
  VALIDATION: ["requirements", "implementation"],
  REVIEW: ["requirements", "implementation"],
  AWAITING_USER_APPROVAL: ["requirements"],
};

export interface BuildFailure {
  readonly kind: "compilation" | "test" | "style" | "unknown";
  readonly route: "architect" | "test" | "style" | "person";
}

/** Who should look at a failed build, judging by its output. */
export function classifyBuildFailure(log: string): BuildFailure {
  if (
    /COMPILATION ERROR|cannot find symbol|error TS\d+|SyntaxError|does not compile|compilation failed/i.test(
      log,
    )
  )
    return { kind: "compilation", route: "architect" };
  if (
    /Tests? run:.*(?:Failures|Errors): [1-9]|\bFAIL(?:ED)?\b.*\btests?\b|\d+ (?:tests? )?failed|AssertionError/i.test(
      log,
    )
  )
    return { kind: "test", route: "test" };
  return /checkstyle|PMD|eslint|oxlint|prettier|style violation/i.test(log)
    ? { kind: "style", route: "style" }
    : { kind: "unknown", route: "person" };
}

export interface Escalation {
  readonly issue: string;
  readonly state: string;
  readonly attempts: number;
  readonly workAtRisk: readonly string[];
  readonly options: readonly string[];
}

/** What a person is shown if an agent cannot finish. */
export function escalationOf(state: Workflow, agent: string): Escalation {
  const done = Object.values(state.findings)
    .filter((one) => one.value === "COMPLETE" || one.value === "APPROVED")
    .map((one) => `${one.kind} by ${one.by}`);
  const question = Object.values(state.decisions).find(
    (one) => one.question === "retries-exhausted" && one.unit === agent && one.status === "open",
  );
  return {
    issue: `${agent}: ${lastError(state, agent)}`,
    state: rootOf(state).at,
    attempts: (state.spent[`retries/${agent}`] ?? 0) + 1,
    workAtRisk: done,
    options: question?.options.map((one) => one.id) ?? [],
  };
}
