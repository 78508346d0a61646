import type { RuledNeed, Move } from "../../../../core/table/protocol.ts";
import { SESSIONS } from "../../files/session-name.ts";
import { FULL, KEPT, LEAN, REPORT, content, small } from "../rows.ts";
import { remedy, step } from "../../../../core/table/remedy.ts";

/** The last part of the main line: from the loop through INTEGRATE and RELEASE to DONE. */

const quiet: RuledNeed = {
  guard: "quiet",
  code: "decision-pending",
  fix: remedy("next", { workflow: "{id}" }, "Settle the open questions"),
  rule: "TC-177",
};

const tasksDone: RuledNeed = {
  guard: "units",
  args: { kind: "task", in: ["completed"], some: true },
  code: "tasks-open",
  fix: "Finish and check every task of tasks.yaml.",
  rule: "TC-177",
};

const REPAIR = step("red", "Repair what is red first: whoever judges it judges what is repaired");

const checksGreen: RuledNeed = {
  guard: "checks-green",
  when: [{ guard: "not-red" }],
  code: "checks-not-green",
  fix: remedy(
    "advance",
    { workflow: "{id}" },
    "Holdpoint runs them itself when the step is asked for; what they write, git should ignore",
  ),
  rule: "TC-149",
};

/** Failing checks are reported first: everything else is asked again after the repair. */
const green: readonly RuledNeed[] = [
  { ...checksGreen, when: [{ guard: "some-red" }], fix: REPAIR },
  checksGreen,
];

/** Changes that no worker made were not reviewed, so a person must accept them. */
const nobodyElse: RuledNeed = {
  guard: "ordered",
  args: { paths: ["**"], except: [`${SESSIONS}/**`], kept: KEPT },
  code: "nobody-at-work",
  fix: remedy(
    "answer",
    { workflow: "{id}" },
    "Take the changes back, or let a person say that they are meant",
  ),
  rule: "TC-167",
  ask: "stray-changes",
};

/** The engine runs every `cmd:` check on the current content, and again each time INTEGRATE is entered. */
const runs: NonNullable<Move["runs"]> = [
  { check: "checks", binds: ["changes:.", "entry:INTEGRATE"] },
];

/** However the tree got here, it must be the one that was checked, by the criteria that were approved. */
const asChecked: readonly RuledNeed[] = [
  nobodyElse,
  {
    guard: "tree-checked",
    code: "checked-something-else",
    fix: remedy("next", { workflow: "{id}" }, "Let whoever is named look at what changed since"),
    rule: "TC-125",
  },
  {
    guard: "criteria-approved",
    code: "criteria-changed",
    fix: remedy(
      "answer",
      { workflow: "{id}" },
      "Put acceptance.json back, or let a person approve it",
    ),
    rule: "TC-179",
    ask: "design-changed",
  },
];

const finished: readonly RuledNeed[] = [
  ...asChecked,
  quiet,
  tasksDone,
  {
    guard: "criteria-met",
    code: "criteria-open",
    fix: remedy(
      "approve",
      { workflow: "{id}" },
      "Make the commands pass; a person vouches for a manual check, or waives a criterion",
    ),
    rule: "TC-179",
  },
  {
    guard: "attested",
    code: "check-unattested",
    fix: remedy(
      "approve",
      { workflow: "{id}", what: "manual: ..." },
      "A person looks and vouches for it",
    ),
    rule: "TC-179",
  },
  content([REPORT], "TC-178"),
];

/** A row that can be asked for and also fires automatically. */
export function pair(row: Move): readonly Move[] {
  return [row, { ...row, auto: true }];
}

export { runs };

export const end: readonly Move[] = [
  ...pair({
    id: "to-integrate",
    from: ["IMPLEMENT_LOOP"],
    to: "INTEGRATE",
    needs: [
      tasksDone,
      {
        guard: "final-review",
        code: "final-review-missing",
        fix: remedy(
          "next",
          { workflow: "{id}" },
          "Let whoever is named look over the whole session",
        ),
        rule: "TC-147",
      },
      {
        guard: "agents-used",
        args: { agents: ["Coder", "Reviewer", "QA", "Security"] },
        when: [FULL],
        code: "agent-missing",
        fix: "Run a pass of the missing agent over the whole session.",
        rule: "TC-151",
      },
    ],
    set: { checked: { fact: "code:{id}" } },
    label: "integrate",
    rule: "TC-139",
  }),
  {
    id: "to-release",
    runs,
    from: ["INTEGRATE"],
    to: "RELEASE",
    when: [FULL],
    needs: [
      ...green,
      ...asChecked,
      {
        guard: "integrated",
        code: "agent-missing",
        fix: "Hand the integration to Integrator.",
        rule: "TC-149",
      },
    ],
    label: "release",
    rule: "TC-149",
  },
  {
    id: "finish",
    runs,
    from: ["INTEGRATE"],
    to: "DONE",
    when: [LEAN],
    needs: [...green, small, ...finished],
    label: "finish the session",
    rule: "TC-177",
  },
  {
    id: "finish",
    runs,
    from: ["RELEASE"],
    to: "DONE",
    when: [FULL],
    needs: [
      { guard: "not-red", code: "ci-red", fix: REPAIR, rule: "TC-150" },
      ...finished,
      {
        guard: "finding",
        args: { kind: "docs", in: ["OK"], on: "root", since: "INTEGRATE" },
        code: "agent-missing",
        fix: "Hand the documentation to Docs.",
        rule: "TC-150",
      },
      {
        guard: "finding",
        args: { kind: "release", in: ["OK"], on: "root", since: "INTEGRATE" },
        code: "agent-missing",
        fix: "Hand the release to Integrator.",
        rule: "TC-150",
      },
      {
        guard: "exists",
        args: { paths: ["README.md"] },
        code: "readme-missing",
        fix: "Let Docs write README.md.",
        rule: "TC-150",
      },
      {
        guard: "agents-used",
        args: {
          agents: [
            "SpecAgent",
            "Architect",
            "Planner",
            "Coder",
            "Reviewer",
            "QA",
            "Security",
            "Integrator",
            "Docs",
          ],
        },
        code: "agent-missing",
        fix: "Every core agent works at least once on a full session.",
        rule: "TC-151",
      },
    ],
    label: "finish the session",
    rule: "TC-177",
  },
];
