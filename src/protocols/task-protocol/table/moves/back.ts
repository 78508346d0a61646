import type { RuledNeed, Move } from "../../../../core/table/protocol.ts";
import { tidy } from "./work.ts";
import { questions } from "../questions.ts";
import {
  LEASED,
  MAKE_AGENTS,
  PRESENTABLE,
  SHOWS_CHANGE,
  ROUND,
  none,
  riskKept,
  row,
} from "../rows.ts";
import { FINAL, STATES } from "../states.ts";
import { remedy, step } from "../../../../core/table/remedy.ts";

/** Moves back (B1 to B9), sideways (S1 to S3) and out. All of them need a reason. */

function rejected(): RuledNeed {
  return row("rejected", {
    code: "no-rejection",
    fix: remedy(
      "status",
      { workflow: "{id}" },
      "Only a rejection of the reviewed tree leads back; see where it stands",
    ),
    rule: "TP-171",
  });
}

/** A check that ran on this very tree and failed. */
function gateFailed(): RuledNeed {
  const text = {
    code: "build-not-failed",
    fix: "Let a check fail first, with the step review: Holdpoint runs it; small fixes stay in VALIDATION.",
    rule: "TP-167",
  };
  const any = ["build", "tests", "quality"].map((kind) =>
    row("finding", text, { kind, in: ["failed"], on: "root", since: "VALIDATION" }),
  );
  return { ...row("any", text), any };
}

function tooManyFixes(): RuledNeed {
  return row("some", { code: "", fix: "", rule: "TP-167" }, { fact: "fixes:{id}" });
}

const scopeConcern = {
  code: "scope-not-exceeded",
  fix: step("rework", "Rework it"),
};

/** The branch's current content is shown with the next plan, so whoever releases that plan knows about it. */
const ANOTHER_PLAN = {
  id: "replan",
  to: "SYNTHESIS",
  why: true,
  within: ROUND,
  set: { replanned: { fact: "head:{id}" } },
  voids: ["plan"],
} as const;

const back: readonly Move[] = [
  {
    // B1
    id: "reclassify",
    from: ["REQUIREMENTS"],
    to: "CLASSIFIED",
    why: true,
    within: ROUND,
    label: "go back and classify again",
    rule: "TP-101",
  },
  {
    // B2
    ...ANOTHER_PLAN,
    from: ["IMPLEMENTATION"],
    label: "change the plan",
    rule: "TP-162",
  },
  {
    // B3
    ...ANOTHER_PLAN,
    from: ["VALIDATION"],
    needs: [gateFailed()],
    label: "change the plan: the build shows that it is wrong",
    rule: "TP-168",
  },
  {
    // B4
    id: "rework",
    from: ["VALIDATION"],
    to: "IMPLEMENTATION",
    why: true,
    needs: [{ ...gateFailed(), any: [gateFailed(), tooManyFixes()] }],
    within: ROUND,
    label: "hand failing gates back to the agents",
    rule: "TP-167",
  },
  {
    // B5
    id: "rework",
    from: ["REVIEW"],
    to: "IMPLEMENTATION",
    why: true,
    needs: [
      { ...rejected(), any: [rejected(), gateFailed()] },
      row(
        "scope-concern",
        {
          code: "scope-exceeded",
          fix: step("negotiate", "Several agents see far more work than planned"),
          rule: "TP-174",
        },
        { not: true },
      ),
    ],
    within: ROUND,
    label: "rework what was rejected",
    rule: "TP-171",
  },
  {
    // B6
    ...ANOTHER_PLAN,
    from: ["REVIEW"],
    needs: [rejected()],
    label: "change the plan: the rejection needs it",
    rule: "TP-171",
  },
  {
    // B7
    id: "rework",
    from: ["AWAITING_USER_APPROVAL"],
    to: "IMPLEMENTATION",
    by: ["person"],
    why: true,
    whileHeld: true,
    voids: ["change"],
    effects: [MAKE_AGENTS],
    label: "change what was shown",
    rule: "TP-182",
  },
  {
    // B8
    id: "regather",
    from: ["VALIDATION", "REVIEW"],
    to: "REQUIREMENTS",
    why: true,
    within: ROUND,
    voids: ["plan"],
    label: "go back for missing expertise",
    rule: "TP-224",
  },
  {
    // B9
    id: "clarify",
    from: ["SYNTHESIS"],
    to: "REQUIREMENTS",
    why: true,
    whileHeld: true,
    within: ROUND,
    voids: ["plan"],
    label: "go back for clearer requirements",
    rule: "TP-137",
  },
];

const WITH_AGENTS: readonly string[] = [
  "CLASSIFIED",
  "REQUIREMENTS",
  "SYNTHESIS",
  "IMPLEMENTATION",
  "VALIDATION",
  "REVIEW",
  "SCOPE_NEGOTIATION",
];

/** Restores worktrees that somebody removed, from their branches. Existing ones stay as they are. */
const restore: readonly Move[] = WITH_AGENTS.map((state) => ({
  id: "restore-agents",
  from: [state],
  to: state,
  inside: true,
  optional: true,
  whileHeld: true,
  whileOut: true,
  needs: [LEASED],
  effects: [MAKE_AGENTS],
  notes: [{ list: "steps", tag: "restore-agents", text: "{input.reason}" }],
  label: "make missing places of agents again, from their branches",
  rule: "TP-215",
}));

const scope: readonly Move[] = [
  {
    // S1
    id: "negotiate",
    from: ["REVIEW"],
    to: "SCOPE_NEGOTIATION",
    why: true,
    needs: [rejected(), row("scope-concern", { ...scopeConcern, rule: "TP-174" })],
    within: ROUND,
    label: "negotiate the scope",
    rule: "TP-174",
  },
  {
    // S2
    id: "reduce",
    from: ["SCOPE_NEGOTIATION"],
    to: "SYNTHESIS",
    why: true,
    needs: [
      row(
        "scope-decided",
        {
          code: "nothing-to-resolve",
          fix: step("defer", "Nobody wants it resolved now"),
          rule: "TP-175",
        },
        { some: "RESOLVE_NOW" },
      ),
    ],
    within: ROUND,
    voids: ["plan"],
    label: "plan again with a smaller scope",
    rule: "TP-175",
  },
  {
    // S3
    id: "defer",
    from: ["SCOPE_NEGOTIATION"],
    to: "AWAITING_USER_APPROVAL",
    why: true,
    needs: [
      row(
        "scope-decided",
        {
          code: "not-all-deferred",
          fix: step("reduce", "Every rejecting agent must say DEFER; otherwise reduce the scope"),
          rule: "TP-175",
        },
        { every: "DEFER" },
      ),
      none("deferred:{id}", "deferred, but not in the task list", {
        code: "deferral-unlisted",
        fix: "Add an entry to {todo} for each, in the task's commit: - [ ] **READY:** `name` - what is left.",
        rule: "TP-175",
      }),
      ...PRESENTABLE,
      riskKept(step("reduce", "Plan it again, with a smaller scope", "riskier than classified")),
    ],
    ...SHOWS_CHANGE,
    label: "defer what was rejected",
    rule: "TP-175",
  },
];

function everyState(): readonly string[] {
  return STATES.filter((state) => state !== FINAL);
}

/** Ways out that are not transitions of the protocol. All end in CLEANUP and leave main unchanged. */
const out: readonly Move[] = [
  {
    id: "abandon",
    from: everyState(),
    to: FINAL,
    by: ["person"],
    why: true,
    whileHeld: true,
    voids: Object.keys(questions),
    set: { ended: { value: "abandoned" } },
    effects: tidy(),
    label: "abandon the task; its evidence is kept",
    rule: "TP-216",
  },
  {
    id: "leave",
    from: ["INIT"],
    to: FINAL,
    by: [],
    set: { ended: { value: "not-started" } },
    rule: "TP-016",
  },
  {
    id: "roll-back",
    from: ["INIT"],
    to: FINAL,
    by: [],
    set: { ended: { value: "rolled-back" } },
    effects: tidy(),
    rule: "TP-029",
  },
];

export const backward: readonly Move[] = [...back, ...restore, ...scope, ...out];
