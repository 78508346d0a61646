import type { RuledNeed, Move } from "../../../../core/table/protocol.ts";
import {
  AS_PLANNED,
  CLEAN,
  CONFIG_KEPT,
  LEASED,
  IN_PLACE,
  PRESENTABLE,
  PUSH,
  SHOWS_CHANGE,
  TASK_DIR,
  TELLS_FOREIGN,
  none,
  passedHere,
  riskKept,
  row,
} from "../rows.ts";
import type { RowText } from "../rows.ts";
import { remedy, step } from "../../../../core/table/remedy.ts";

/** The way from the first line of source to the end: T6 to T10. */

export const LATE_RISK: RuledNeed = riskKept(
  step(
    "regather",
    "Take out what makes it so, or classify it again, by regather, reclassify and select",
    "riskier than classified",
  ),
);

const SENT_BACK = step("rework", "A person sends it back, and it goes its way again", "...");

export const work: readonly Move[] = [
  {
    // T6
    id: "validate",
    from: ["IMPLEMENTATION"],
    to: "VALIDATION",
    needs: [
      each("implementation", "COMPLETE", "IMPLEMENTATION", {
        code: "agents-incomplete",
        fix: remedy("next", { workflow: "{id}" }, "Hand out what is missing"),
        rule: "TP-161",
      }),
      each("round", "APPROVED", "IMPLEMENTATION", {
        code: "round-unapproved",
        fix: remedy("next", { workflow: "{id}" }, "Let them look at what the others merged"),
        rule: "TP-158",
      }),
      row("merged", {
        code: "agent-work-unmerged",
        fix: "Let the agent rebase and report again.",
        rule: "TP-161",
      }),
      none("own-source:{id}", "no agent has brought this to the task branch", {
        code: "coordinator-implemented",
        fix: step("replan", "Go back and let agents do it", "..."),
        rule: "TP-162",
      }),
      ...AS_PLANNED,
      riskKept(
        step(
          "replan",
          "Take out what makes it so, or classify it again, by replan, clarify, reclassify and select",
          "riskier than classified",
        ),
      ),
      passedHere("build", {
        code: "build-missing",
        fix: "Make the build pass, then give the same command again: Holdpoint runs it.",
        rule: "TP-161",
      }),
      ...IN_PLACE,
      CLEAN,
      ...CONFIG_KEPT,
    ],
    set: { validated: { fact: "head:{id}" } },
    label: "leave IMPLEMENTATION: every agent is done",
    rule: "TP-161",
  },
  {
    // T7
    id: "review",
    from: ["VALIDATION"],
    to: "REVIEW",
    needs: [
      ...["build", "tests", "quality"].map(gatePassed),
      none("fixes:{id}", "more than {fixes_max} different fixes were made in VALIDATION", {
        code: "fixes-exceeded",
        fix: step("rework", "Take them back and let agents do it", "..."),
        rule: "TP-167",
      }),
      ...IN_PLACE,
      CLEAN,
      ...CONFIG_KEPT,
      ...AS_PLANNED,
      LATE_RISK,
    ],
    set: { reviewed: { fact: "head:{id}" } },
    label: "leave VALIDATION: every gate passed on this tree",
    rule: "TP-163",
  },
  {
    // T8
    id: "present",
    from: ["REVIEW"],
    to: "AWAITING_USER_APPROVAL",
    needs: [
      each("review", "APPROVED", "REVIEW", {
        code: "review-not-unanimous",
        fix: "Every agent approves this tree; a rejection leads back: rework, replan or negotiate.",
        rule: "TP-171",
      }),
      ...PRESENTABLE,
      LATE_RISK,
    ],
    ...SHOWS_CHANGE,
    label: "show the finished change to a person",
    rule: "TP-177",
  },
];

/** If no source changed, a recorded check of the documents replaces the build. */
function gatePassed(check: string): RuledNeed {
  const blank = { code: "", fix: "" };
  return {
    ...passedHere(check, {
      code: `${check}-missing`,
      fix: `Make ${check} pass on the committed tree, nothing from a cache, then give the same command again: Holdpoint runs it.`,
      rule: "TP-163",
    }),
    any: [
      passedHere(check, { ...blank, rule: "TP-163" }),
      row("docs-only", { ...blank, rule: "TP-166" }),
    ],
  };
}

const CHANGEABLE: readonly string[] = [
  "SYNTHESIS",
  "IMPLEMENTATION",
  "VALIDATION",
  "REVIEW",
  "SCOPE_NEGOTIATION",
  "AWAITING_USER_APPROVAL",
];

/**
 * Makes one commit on top of main, with the task closed in the lists. Possible in every state in which the branch
 * may still change. Verdicts and releases are bound to the tree and the commit, and are asked for again.
 */
const close: readonly Move[] = CHANGEABLE.map((state) => ({
  id: "close",
  from: [state],
  to: state,
  inside: true,
  optional: true,
  whileHeld: true,
  needs: [LEASED, ...IN_PLACE, CLEAN],
  effects: [
    {
      kind: "squash",
      args: { from: "{id}", to: "{main}", scope: "task", message: "{input.message}" },
      failed: "effect-failed",
    },
    // The remote must have the commit before a person is shown it again.
    ...(state === "AWAITING_USER_APPROVAL" ? [PUSH] : []),
  ],
  ...(state === "AWAITING_USER_APPROVAL"
    ? { voids: ["change"], ask: "change", set: TELLS_FOREIGN }
    : {}),
  notes: [{ list: "steps", tag: "close", text: "{input.reason}" }],
  label: "make it one commit on main, closed in the task list",
  rule: "TP-176",
}));

export const finish: readonly Move[] = [
  ...close,
  {
    // T9
    id: "complete",
    from: ["AWAITING_USER_APPROVAL"],
    to: "COMPLETE",
    needs: [
      row(
        "checkpoint",
        {
          code: "checkpoint-violation",
          fix: remedy("answer", { workflow: "{id}" }, "Wait until a person answers"),
          rule: "TP-179",
        },
        { question: "change" },
      ),
      {
        ...row("change-fresh", {
          code: "change-differs",
          fix: "The commit changed after it was released, so it is shown again.",
          rule: "TP-181",
        }),
        ask: "change",
      },
      ...PRESENTABLE,
      row("vouched", {
        code: "verdict-stale",
        fix: SENT_BACK,
        rule: "TP-169",
      }),
      riskKept(SENT_BACK),
      row("main-free", {
        code: "lease-held",
        fix: remedy(
          "lock",
          { workflow: "main", break: true, reason: "..." },
          "Wait until it is given back, or let a person see to it",
        ),
        rule: "TP-041",
      }),
      row(
        "fact",
        {
          code: "main-diverged",
          fix: step("close", "Bring it on top of {main}, then try again"),
          rule: "TP-191",
        },
        { fact: "ff:{id}", in: [true], says: "{main} cannot be fast-forwarded to the task branch" },
      ),
    ],
    effects: [
      {
        kind: "merge-ff",
        args: { from: "{id}", to: "{main}", scope: "main", check: "build" },
        failed: "effect-failed",
      },
    ],
    set: { ...TELLS_FOREIGN, ended: { value: "merged" } },
    label: "merge the released commit",
    rule: "TP-191",
  },
  ...cleanUp(),
];

/** T10 happens automatically as soon as it can. Asked for by name, it says what is still missing. */
function cleanUp(): readonly Move[] {
  const needs: readonly RuledNeed[] = [
    row(
      "fact",
      {
        code: "not-on-main",
        fix: remedy("reconcile", { workflow: "{id}" }, "Finish the merge"),
        rule: "TP-195",
      },
      { fact: "on-main:{id}", in: [true], says: "{main} does not contain the task's commit" },
    ),
    none("dependants:{id}", "still blocked although all they wait for is done", {
      code: "dependants-blocked",
      fix: remedy("reconcile", { workflow: "{id}" }, "Bring {todo} up to date"),
      rule: "TP-190",
    }),
    row("audit", {
      code: "audit-incomplete",
      fix: remedy("audit", { workflow: "{id}" }, "See the gaps"),
      rule: "TP-210",
    }),
    row("cwd-outside", {
      code: "wrong-directory",
      fix: "Leave the task's worktrees; they are about to go.",
      rule: "TP-195",
    }),
  ];
  const move: Move = {
    id: "clean-up",
    from: ["COMPLETE"],
    to: "CLEANUP",
    needs,
    effects: tidy(),
    label: "archive the evidence, remove worktrees and branches",
    rule: "TP-196",
  };
  const { label: _, ...auto } = move;
  return [move, { ...auto, auto: true }];
}

export function tidy(): NonNullable<Move["effects"]> {
  return [
    { kind: "archive", args: { from: TASK_DIR, to: "{archive}" } },
    { kind: "worktree-remove", args: { scope: "all", path: TASK_DIR, branch: "{id}" } },
  ];
}

function each(kind: string, value: string, since: string, text: RowText): RuledNeed {
  return row("each-agent", text, { kind, value, since });
}
