import { claim, variable } from "../../../core/guards/guards.ts";
import type { Test, Consequence, RuledNeed } from "../../../core/table/protocol.ts";
import { remedy } from "../../../core/table/remedy.ts";

/** Paths, conditions and rows shared by moves, questions and dispatches. */

export const FOLDER: string = ".agents-work/{id}";
export const SPEC: string = `${FOLDER}/spec.md`;
export const ACCEPTANCE: string = `${FOLDER}/acceptance.json`;
export const ARCHITECTURE: string = `${FOLDER}/architecture.md`;
export const TASKS: string = `${FOLDER}/tasks.yaml`;
export const STATUS: string = `${FOLDER}/status.json`;
export const REPORT: string = `${FOLDER}/report.md`;

/** What an approval is bound to: it ends when one of these changes. */
export const DESIGN: readonly string[] = [
  `digest:${SPEC}`,
  `digest:${ACCEPTANCE}`,
  `digest:${ARCHITECTURE}`,
  "designs:{id}",
];

/** What was changed for a unit, by content; for the root, in the whole session. */
export const CHANGES: string = "changes:{unit}";

/** The finding by which a person accepts changes that no worker made. */
export const KEPT = "kept";

export const FULL: Test = variable("mode", ["full"]);
export const LEAN: Test = variable("mode", ["lean"]);
export const FINISHED: Test = claim("outcome", ["OK", "OK_WITH_NOTES"]);

export function content(paths: readonly string[], rule: string): RuledNeed {
  return {
    guard: "content",
    args: { paths },
    code: "artifact-invalid",
    fix: "Let the agent that makes it write what the contract asks for.",
    rule,
  };
}

export const planFresh: RuledNeed = {
  guard: "plan-fresh",
  code: "plan-begun",
  fix: "A new plan has every task not-started.",
  rule: "TC-122",
};

export const planRemarks: RuledNeed = {
  guard: "remarks",
  args: { path: TASKS },
  code: "check-unquoted",
  fix: "",
  rule: "TC-015",
  soft: true,
};

/** An agent has vouched for its part. A session that was reopened starts over. */
export function vouched(kind: string, agent: string, rule: string): RuledNeed {
  return {
    guard: "finding",
    args: { kind, in: ["OK"], on: "root", since: "DONE" },
    code: "agent-missing",
    fix: remedy("next", { workflow: "{id}" }, `Hand it to ${agent}`),
    rule,
  };
}

const notApproved: Omit<RuledNeed, "guard"> = {
  when: [FULL],
  code: "design-not-approved",
  fix: remedy("answer", { workflow: "{id}" }, "Let a person approve the design as it is now"),
  rule: "TC-042",
};

/** Before planning, the gate must have released the current design, or it asks again. */
export const approved: RuledNeed = {
  ...notApproved,
  guard: "released",
  args: { question: "approve-design", options: ["approved"], on: "root" },
  ask: "approve-design",
};

/** Later a person may have approved it again, in answer to a question. */
export const stillApproved: RuledNeed = {
  ...notApproved,
  guard: "design-stands",
  ask: "design-changed",
};

export function approvalOnDisk(asks?: string): RuledNeed {
  return {
    guard: "on-disk",
    args: { id: "UD-APPROVE-DESIGN" },
    when: [FULL],
    code: "decision-drift",
    fix: remedy("reconcile", { workflow: "{id}" }, "Put status.json back to what was decided"),
    rule: "TC-098",
    ...(asks === undefined ? {} : { ask: asks }),
  };
}

export const strategyKnown: RuledNeed = {
  guard: "strategy",
  when: [FULL],
  code: "strategy-missing",
  fix: remedy("answer", { workflow: "{id}" }, "Let a person choose per-batch or single-final"),
  rule: "TC-043",
  ask: "review-strategy",
};

export function contextGiven(agent: string): RuledNeed {
  return {
    guard: "context",
    args: { agent },
    code: "context-missing",
    fix: "Let the agent that makes the file run first, or mend it.",
    rule: "TC-035",
  };
}

/** What every report must prove: the work is done, its files exist, and the role kept to its paths. */
export const accepts: readonly RuledNeed[] = [
  {
    guard: "claim",
    args: { field: "done", in: [true] },
    when: [FINISHED],
    code: "not-done",
    fix: "Finish the work, or report BLOCKED with what stands in the way.",
    rule: "TC-021",
  },
  {
    guard: "role-paths",
    code: "role-boundary",
    fix: "Take back what this role may not touch, and report again. A commit stays known: cancel the order, and have it handed out again.",
    rule: "TC-169",
  },
  {
    guard: "claimed-files",
    when: [FINISHED],
    code: "files-missing",
    fix: "Write the files, or report only what is there.",
    rule: "TC-006",
  },
  {
    guard: "claimed-changed",
    args: { field: "files" },
    when: [FINISHED],
    code: "claimed-unchanged",
    fix: "",
    rule: "TC-006",
    soft: true,
  },
  {
    guard: "unclaimed",
    when: [FINISHED],
    code: "changed-unclaimed",
    fix: "",
    rule: "TC-006",
    soft: true,
  },
  { guard: "own-status", code: "status-not-yours", fix: "", rule: "TC-124", soft: true },
];

/** A builder or repairer has changed something, or a person agrees that there was nothing to do. */
export const busy: RuledNeed = {
  guard: "busy",
  when: [FINISHED],
  code: "nothing-done",
  fix: remedy("answer", { workflow: "{id}" }, "Let a person say whether there was nothing to do"),
  rule: "TC-006",
  ask: "nothing-done",
};

/** Whoever was to make an artifact has written to it: an unchanged existing one does not count. */
export function wrote(keys: readonly string[]): RuledNeed {
  return {
    guard: "artifact-changed",
    args: { keys },
    when: [FINISHED],
    code: "nothing-made",
    fix: "Write what the order asks for, or report BLOCKED with why it cannot be written.",
    rule: "TC-006",
  };
}

/** A lean session stays small. */
export const small: RuledNeed = {
  guard: "lean-size",
  when: [LEAN],
  code: "lean-outgrown",
  fix: remedy(
    "answer",
    { workflow: "{id}" },
    "Let a person say whether it goes on as a lean session",
  ),
  rule: "TC-141",
  ask: "lean-outgrown",
};

export const blocked: readonly Consequence[] = [
  { set: { failure: { claim: "summary", or: "" } } },
  { ask: "agent-blocked" },
];

export function stop(blocker: string): readonly Consequence[] {
  return [
    { set: { blocker: { value: blocker }, blocker_detail: { claim: "summary", or: "" } } },
    { move: "stop" },
  ];
}

/** How often work is sent out again after getting no reply. */
export const LAUNCH_RETRIES_MAX = 2;

/** How a dispatch without a result ends: at once for FAIL, after two more attempts for a missing reply. */
export const fails: Readonly<Record<"FAIL" | "UNREADABLE", readonly Consequence[]>> = {
  FAIL: stop("agent_failed"),
  UNREADABLE: [
    {
      within: {
        budget: "launch/{claim.agent}/{claim.task}",
        called: "no reply from {1} for {2}",
        times: LAUNCH_RETRIES_MAX,
        else: stop("subagent_failure"),
      },
    },
  ],
};

export const launched: Consequence = { reset: "launch/{claim.agent}/{claim.task}" };
