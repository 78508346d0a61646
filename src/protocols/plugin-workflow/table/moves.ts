import { units, variable } from "../../../core/guards/guards.ts";
import type { RuledNeed, Machine, Move, NoteRow, Test } from "../../../core/table/protocol.ts";
import { lifecycle } from "./lifecycle.ts";
import { BEGUN } from "./position.ts";
import {
  CONTRACTS,
  DRAFT,
  DRAFTED,
  HAS_SPEC,
  MOCKUP,
  ONLY_DRAFT,
  SEALABLE,
  agree,
  commit,
  contractsExist,
  ordered,
  sealed,
  testsPassed,
} from "./rows.ts";

/** Every way in which a plugin and a phase can move. A move with `by: []` only follows from a report. */

/** What has been built so far, for the handoff. */
const ARTIFACTS: NonNullable<Move["set"]> = { artifacts: { fact: "artifacts:{id}" } };

const planMove: Pick<Move, "sows" | "set" | "unseals"> = {
  unseals: SEALABLE,
  sows: { kind: "phase", fact: "phases:{id}" },
  set: {
    complexity_score: { fact: "plan:{id}", at: "score" },
    phased_implementation: { fact: "plan:{id}", at: "phased" },
    handoff: { value: true },
  },
};

function steps(tag: string, timeline: string, completed: string): readonly NoteRow[] {
  return [
    { list: "timeline", tag, text: timeline },
    { list: "completed", tag, text: completed },
  ];
}

const moves: readonly Move[] = [
  {
    id: "draft",
    from: ["ideated"],
    to: "drafted",
    optional: true,
    needs: [contractsExist([DRAFT], `Write ${DRAFT} first.`)],
    label: "record the draft parameters",
    rule: "PW-170",
  },
  finishPlanning(HAS_SPEC, CONTRACTS),
  finishPlanning(ONLY_DRAFT, DRAFTED),
  // When stage 2 is sent out, the parameter spec becomes a contract, however late it was written.
  sealing("seal-spec", "s0", CONTRACTS),
  sealing("seal-mockup", "s3", [MOCKUP]),
  {
    id: "finish-2",
    set: ARTIFACTS,
    from: ["s0"],
    to: "s2",
    by: [],
    notes: steps(
      "Stage 2",
      "Foundation complete - Build system operational",
      "Foundation complete - Build system operational, {claim.parameters}",
    ),
    effects: [commit("feat: {id} Stage 2 - build system ready")],
    ask: "stage-2-complete",
    rule: "PW-079",
  },
  {
    id: "finish-3",
    set: ARTIFACTS,
    from: ["s2"],
    to: "s3",
    by: [],
    notes: steps(
      "Stage 3",
      "Audio engine complete - {claim.description}",
      "Audio engine complete - {claim.description}",
    ),
    effects: [commit("feat: {id} Stage 3 - audio engine working")],
    ask: "stage-3-complete",
    rule: "PW-083",
  },
  {
    id: "roll-up-3",
    from: ["s2"],
    to: "s3",
    auto: true,
    when: [units("phase", { some: true, where: { stage: 3 } })],
    needs: [phasesDone(3)],
    notes: steps(
      "Stage 3",
      "Audio engine complete - all phases done",
      "Audio engine complete - all phases done",
    ),
    ask: "stage-3-complete",
    rule: "PW-085",
  },
  {
    id: "finish-4",
    set: ARTIFACTS,
    unseals: [MOCKUP],
    from: ["s3"],
    to: "s4",
    by: [],
    when: [variable("gui_type", ["webview", null])],
    notes: steps(
      "Stage 4",
      "UI complete - {claim.description}",
      "UI complete - {claim.description}",
    ),
    effects: [commit("feat: {id} Stage 4 - UI integrated")],
    ask: "stage-4-complete",
    rule: "PW-087",
  },
  {
    id: "finish-4",
    set: ARTIFACTS,
    unseals: [MOCKUP],
    from: ["s3"],
    to: "s4",
    by: [],
    when: [variable("gui_type", ["headless"])],
    notes: steps(
      "Stage 4",
      "GUI complete - Minimal editor (headless, uses DAW controls)",
      "GUI complete - Minimal editor (headless, uses DAW controls)",
    ),
    effects: [commit("feat({id}): Stage 4 - Minimal Editor (Headless)")],
    ask: "stage-4-complete",
    rule: "PW-275",
  },
  {
    id: "roll-up-4",
    unseals: [MOCKUP],
    from: ["s3"],
    to: "s4",
    auto: true,
    when: [units("phase", { some: true, where: { stage: 4 } })],
    needs: [phasesDone(4)],
    notes: steps("Stage 4", "UI complete - all phases done", "UI complete - all phases done"),
    ask: "stage-4-complete",
    rule: "PW-088",
  },
  {
    id: "begin-validation",
    from: ["s4"],
    to: "s5",
    by: ["person"],
    needs: [...agree, sealed],
    label: "begin validation",
    rule: "PW-089",
  },
  {
    id: "validate",
    from: ["s5"],
    to: "working",
    needs: [...agree, sealed, ordered, testsPassed("validation-failed"), validated()],
    set: { version: { value: "1.0.0" }, ...ARTIFACTS },
    notes: steps(
      "Stage 5",
      "Validation complete - ready for installation",
      "Validation complete - CHANGELOG created, ready to install",
    ),
    effects: [commit("feat: {id} Stage 5 - validation complete")],
    ask: "stage-5-complete",
    label: "validate the plugin",
    rule: "PW-090",
  },
  ...lifecycle,
  // A person has accepted the contracts as they are now. They are sealed in stages 0 to 5.
  ...["s0", "s2", "s3", "s4", "s5", "working"].flatMap((state) => [
    accepting(state, HAS_SPEC, CONTRACTS),
    accepting(state, ONLY_DRAFT, DRAFTED),
  ]),
];

function finishPlanning(when: Test, seals: readonly string[]): Move {
  return {
    id: "finish-0",
    from: ["ideated", "drafted", "s0"],
    to: "s0",
    by: [],
    when: [when],
    ...planMove,
    seals,
    notes: steps(
      "Stage 0",
      "Research & Planning complete - Complexity {complexity_score}",
      "Research complete - DSP architecture documented",
    ),
    effects: [commit("feat: {id} Stage 0 - research & planning complete")],
    ask: "stage-0-complete",
    rule: "PW-075",
  };
}

/** Seals files when the work that depends on them is sent out. */
function sealing(id: string, at: string, seals: readonly string[]): Move {
  return { id, from: [at], to: at, inside: true, by: [], seals, rule: "PW-054" };
}

/** Once there is a parameter spec, the draft no longer counts. */
function accepting(at: string, when: Test, seals: readonly string[]): Move {
  return {
    id: "accept-contracts",
    from: [at],
    to: at,
    inside: true,
    by: [],
    when: [when],
    unseals: SEALABLE,
    seals,
    rule: "PW-060",
  };
}

function phasesDone(stage: number): RuledNeed {
  return {
    guard: "units",
    args: { kind: "phase", where: { stage }, in: ["done"], some: true },
    code: "phases-open",
    fix: "Finish every phase of the plan.",
    rule: "PW-085",
  };
}

function validated(): RuledNeed {
  return {
    guard: "exists",
    args: { paths: ["plugins/{id}/CHANGELOG.md", "plugins/{id}/Presets"] },
    code: "validation-incomplete",
    fix: "Validation leaves a CHANGELOG.md and at least one preset in Presets/.",
    rule: "PW-091",
  };
}

export const plugin: Machine = {
  states: [
    "ideated",
    "drafted",
    "s0",
    "s2",
    "s3",
    "s4",
    "s5",
    "working",
    "installed",
    "improving",
    "removed",
  ],
  start: "ideated",
  starts: [
    {
      id: "start",
      notes: [{ list: "timeline", tag: "", text: BEGUN }],
      rule: "PW-034",
    },
  ],
  ends: ["removed"],
  moves,
};

export const phase: Machine = {
  states: ["todo", "done"],
  start: "todo",
  ends: ["done"],
  moves: [
    {
      id: "finish-phase",
      set: ARTIFACTS,
      from: ["todo"],
      to: "done",
      by: [],
      needs: [
        {
          guard: "phase-order",
          code: "phase-order",
          fix: "Phases are done in the order of plan.md.",
          rule: "PW-300",
        },
      ],
      notes: steps(
        "Stage {unit}",
        "Phase {unit} complete - {claim.description}",
        "Phase {unit} complete - {claim.description}",
      ),
      effects: [commit("feat: {id} Stage {unit} - {claim.description}")],
      ask: "phase-complete",
      rule: "PW-084",
    },
  ],
};
