import { fact, is, units, variable } from "../../../core/guards/guards.ts";
import type { Consequence, Test, Work, RuledNeed } from "../../../core/table/protocol.ts";
import {
  ARCHITECTURE,
  BRIEF,
  DRAFT,
  FINISHED,
  IDEAS,
  PLAN,
  SPEC,
  agree,
  contractsExist,
  sealed,
  testsPassed,
  notPaused,
} from "./rows.ts";
import { workRows } from "./work.ts";
import { sameHistory, sameWorktree } from "./worktree.ts";
import { remedy } from "../../../core/table/remedy.ts";

/** Which work goes to which agent, and what its report must prove. */

function soft(code: string, rule: string): RuledNeed {
  return { guard: "written", args: { code }, code, fix: "", rule, soft: true, when: [FINISHED] };
}

/** What a report must prove, and (soft) what the agent should have written itself. */
const accepts: readonly RuledNeed[] = [
  {
    guard: "claimed-position",
    code: "stage-mismatch",
    fix: "Report the stage and phase that were handed out.",
    rule: "PW-096",
    when: [FINISHED],
  },
  {
    guard: "phase-planned",
    code: "phase-unknown",
    fix: "Use a phase that plan.md defines.",
    rule: "PW-093",
    when: [FINISHED],
  },
  {
    guard: "files-at-predecessor",
    code: "state-mismatch",
    fix: remedy(
      "reconcile",
      { workflow: "{id}", restore: true },
      "Put .continue-here.md back to what it was when the work was handed out",
    ),
    rule: "PW-096",
    when: [FINISHED],
  },
  { ...sealed, when: [FINISHED] },
  soft("stateUpdated_false", "PW-104"),
  soft("state_update_error", "PW-105"),
  soft("handoff_missing", "PW-115"),
  soft("handoff_invalid", "PW-115"),
  soft("fields_missing", "PW-119"),
  soft("stage_mismatch", "PW-106"),
  soft("phase_mismatch", "PW-111"),
  soft("status_mismatch", "PW-113"),
  soft("date_not_current", "PW-107"),
  soft("checksums_missing", "PW-123"),
  soft("sections_missing", "PW-124"),
  soft("completed_missing", "PW-129"),
  soft("registry_entry_missing", "PW-115"),
  soft("plugins_md_not_updated", "PW-108"),
  soft("registry_drift", "PW-112"),
  soft("timeline_missing", "PW-112"),
];

const baseline: readonly string[] = [
  "digest:plugins/{id}/.continue-here.md",
  "digest:PLUGINS.md",
  "worktree:{id}",
  "branch:{id}",
];

/** What a person accepted for earlier work does not apply to this one. */
const UNDECIDED: Consequence = { set: { idle: { value: false }, rewritten: { value: false } } };

type Agent = "research-planning-agent" | "foundation-shell-agent" | "dsp-agent" | "gui-agent";

function stage(role: Agent, from: readonly string[], finish: string): Work {
  return {
    role,
    unit: "root",
    in: from,
    needs: [...agree, sealed, ...notPaused],
    accepts: [sameWorktree, sameHistory, ...workRows("code"), ...accepts],
    baseline,
    makes: ["plugins/{id}/**"],
    sent: [UNDECIDED],
    outcomes: outcomes({ move: finish }),
    rule: "PW-303",
  };
}

function phaseOf(role: Agent, number: number, from: string): Work {
  return {
    ...stage(role, ["todo"], ""),
    unit: "phase",
    rootIn: [from],
    when: [is("{unit.stage}", [String(number)])],
    needs: [
      ...agree,
      sealed,
      ...notPaused,
      {
        guard: "phase-order",
        code: "phase-order",
        fix: "Phases are done in the order of plan.md.",
        rule: "PW-300",
      },
    ],
    outcomes: outcomes({ move: "finish-phase", on: "unit" }),
  };
}

function outcomes(finish: Work["outcomes"][string][number]): Work["outcomes"] {
  const manual = { set: { express: { value: false } } } as const;
  return {
    success: [finish],
    "state-failure": [finish],
    failure: [manual, { ask: "stage-failed" }],
    "not-ready": [manual, { ask: "not-ready" }],
    unreadable: [manual, { ask: "report-unreadable" }],
  };
}

function tested(spec: Work): Work {
  return {
    ...spec,
    accepts: [...(spec.accepts ?? []), { ...testsPassed("tests-failed"), when: [FINISHED] }],
  };
}

const mockup: RuledNeed = {
  guard: "fact",
  args: { fact: "mockup:{id}", in: [true], says: "there is no finished mock-up" },
  when: [variable("gui_type", ["webview"])],
  code: "mockup-missing",
  fix: `Finish one as ${IDEAS}/mockups/v<N>-ui.html, or choose headless.`,
  rule: "PW-277",
};

/** A person chooses the interface, and is asked if that was postponed. */
const guiChosen: RuledNeed = {
  guard: "var",
  args: { name: "gui_type", in: ["webview"] },
  code: "interface-undecided",
  fix: remedy("answer", { workflow: "{id}" }, "Choose between a custom UI and headless"),
  rule: "PW-255",
  ask: "stage-3-complete",
};

const CUSTOM: Test = variable("gui_type", ["webview", null]);

const foundation: Work = {
  ...stage("foundation-shell-agent", ["s0"], "finish-2"),
  sent: [UNDECIDED, { move: "seal-spec" }],
  needs: [
    ...agree,
    sealed,
    ...notPaused,
    contractsExist(
      [BRIEF, SPEC],
      "Write it, then do this again. The UI mock-up step finishes parameter-spec.md; planning leaves architecture.md and plan.md.",
    ),
    {
      guard: "released",
      args: { question: "design-sync", options: ["in-sync", "accept", "override"], on: "root" },
      when: [fact("mockup:{id}", [true])],
      code: "design-unchecked",
      fix: remedy("answer", { workflow: "{id}" }, "Compare the mock-ups with the brief"),
      rule: "PW-304",
      ask: "design-sync",
    },
  ],
};

const research: Work = {
  ...stage("research-planning-agent", ["ideated", "drafted", "s0"], "finish-0"),
  needs: [
    ...agree,
    // Planning again does not continue the workflow, so a pause after stage 0 does not prevent it.
    ...notPaused.map((row) => ({
      ...row,
      when: [...(row.when ?? []), variable("handoff", [false])],
    })),
    contractsExist([BRIEF], "Write the creative brief first."),
    {
      guard: "exists",
      any: [contractsExist([SPEC], ""), contractsExist([DRAFT], "")],
      code: "contract-missing",
      fix: `A draft is enough to plan: write ${DRAFT}.`,
      rule: "PW-056",
    },
  ],
  // Planning writes the contracts, so it is the only stage that may change them.
  accepts: [
    sameWorktree,
    sameHistory,
    ...workRows("ideas"),
    ...accepts.filter((row) => row.guard !== "sealed"),
    {
      ...contractsExist([ARCHITECTURE, PLAN], "Stage 0 ends with architecture.md and plan.md."),
      when: [FINISHED],
    },
    {
      guard: "fact",
      args: { fact: "planned:{id}", in: [true], says: "plan.md cannot be used" },
      code: "plan-invalid",
      fix: "plan.md needs a line **Complexity Score:** X.X and, when phased, headings Phase N.M.",
      rule: "PW-299",
      when: [FINISHED],
    },
  ],
};

/** The interface is built from a finished mock-up, which is sealed when the work is sent out. */
function fromMockup(spec: Work): Work {
  return {
    ...spec,
    needs: [...(spec.needs ?? []), guiChosen, mockup],
    sent: [UNDECIDED, { set: { mockup: { fact: "mockup-path:{id}" } } }, { move: "seal-mockup" }],
  };
}

export const work: Readonly<Record<string, Work>> = {
  research,
  foundation,
  "dsp-phase": tested(phaseOf("dsp-agent", 3, "s2")),
  dsp: tested({
    ...stage("dsp-agent", ["s2"], "finish-3"),
    when: [units("phase", { in: [], where: { stage: 3 } })],
  }),
  "gui-phase": tested(
    fromMockup({ ...phaseOf("gui-agent", 4, "s3"), when: [is("{unit.stage}", ["4"]), CUSTOM] }),
  ),
  gui: tested(
    fromMockup({
      ...stage("gui-agent", ["s3"], "finish-4"),
      when: [units("phase", { in: [], where: { stage: 4 } }), CUSTOM],
    }),
  ),
  editor: tested({
    ...stage("gui-agent", ["s3"], "finish-4"),
    when: [variable("gui_type", ["headless"])],
  }),
};
