import { childrenOf } from "../../../core/decide/draft.ts";
import { rootOf } from "../../../core/state/evolve.ts";
import type { Dispatch, Note, Unit, Workflow } from "../../../core/state/state.ts";

/**
 * Where a plugin stands, in the words of its files. Derived from the workflow and never stored. The root says
 * which stage is finished, the phase units say how far the next stage is, and a dispatch that is out or came back
 * without success shows that a stage is in progress.
 */
export interface Position {
  readonly registry: string;
  /** The handoff's fields; null if there should be no handoff. */
  readonly handoff: HandoffPosition | null;
  /** Shown to people instead of stage numbers. */
  readonly milestone: string;
}

export interface HandoffPosition {
  readonly stage: number;
  readonly phase: string | null;
  readonly status: "in_progress" | "complete" | "workflow_complete";
  readonly nextAction: string | null;
  readonly nextPhase: string | null;
}

export function positionOf(state: Workflow): Position {
  const finished = finishedPosition(state);
  const target = unfinishedTarget(state);
  if (target === undefined) return finished;
  const { nextAction = null, nextPhase = null } = finished.handoff ?? {};
  const handoff: HandoffPosition = { ...target, status: "in_progress", nextAction, nextPhase };
  return { ...finished, handoff };
}

const COMPLETE: HandoffPosition = {
  stage: 5,
  phase: null,
  status: "workflow_complete",
  nextAction: null,
  nextPhase: null,
};

/** The last finished step, ignoring work in progress. */
export function finishedPosition(state: Workflow): Position {
  const root = rootOf(state);
  switch (root.at) {
    case "ideated":
      return { registry: "💡 Ideated", handoff: planning(state), milestone: "Concept Ready" };
    case "drafted":
      return {
        registry: "💡 Ideated (Draft Params)",
        handoff: planning(state),
        milestone: "Concept Ready",
      };
    case "s0":
      return finishedStage(0, "invoke_foundation_shell_agent", null);
    case "s2":
      return lastPhase(state, 3) ?? finishedStage(2, "invoke_dsp_agent", firstPhase(state, 3));
    case "s3":
      return lastPhase(state, 4) ?? finishedStage(3, guiAction(state), guiPhase(state));
    case "s4":
      return finishedStage(4, isHeadless(state) ? "run_validation" : "begin_stage_5", null);
    case "s5":
      return finishedStage(5, "begin_stage_5", null, "in_progress");
    case "working":
      return {
        registry: "✅ Working",
        // A plugin adopted without a handoff is finished all the same; nobody knows what one would say.
        handoff: state.vars["handoff"] === false ? null : COMPLETE,
        milestone: "Plugin Complete",
      };
    case "installed":
      return { registry: "📦 Installed", handoff: null, milestone: "Deployed" };
    case "improving":
      return { registry: "🚧 Improving", handoff: null, milestone: "Improving" };
    default:
      return { registry: "", handoff: null, milestone: "Removed" };
  }
}

function finishedStage(
  stage: number,
  nextAction: string,
  nextPhase: string | null,
  status: HandoffPosition["status"] = "complete",
): Position {
  return {
    registry: `🚧 Stage ${stage}`,
    handoff: { stage, phase: null, status, nextAction, nextPhase },
    milestone: MILESTONES[stage] ?? `Stage ${stage}`,
  };
}

export const MILESTONES: Readonly<Record<number, string>> = {
  0: "Research & Planning Complete",
  2: "Build System Ready",
  3: "Audio Engine Working",
  4: "UI Integrated",
  5: "Validating",
};

/** Stage 0 has a handoff as soon as it is sent out, so that it can be resumed. */
function planning(state: Workflow): HandoffPosition | null {
  const begun = rootOf(state).entered["ideated"] ?? 0;
  const sent = Object.values(state.dispatches).some(
    (one) => one.spec === "research" && one.sentSeq >= begun,
  );
  if (!sent && state.vars["handoff"] !== true) return null;
  return { stage: 0, phase: null, status: "in_progress", nextAction: null, nextPhase: null };
}

/** If some but not all phases of a stage are done, the registry shows the last of these. */
function lastPhase(state: Workflow, stage: number): Position | undefined {
  const phases = phasesOf(state, stage);
  const done = phases.filter((unit) => unit.at === "done");
  const last = done.at(-1);
  if (last === undefined) return undefined;
  const following = phases[done.length]?.id ?? null;
  const verb = stage === 3 ? "continue_dsp_phase_" : "continue_gui_phase_";
  return {
    registry: `🚧 Stage ${last.id}`,
    handoff: {
      stage,
      phase: last.id,
      status: "complete",
      nextAction: following === null ? null : `${verb}${following}`,
      nextPhase: following,
    },
    milestone: `${stage === 3 ? "Audio engine" : "UI"}: ${done.length} of ${phases.length} phases done`,
  };
}

export function phasesOf(state: Workflow, stage: number): readonly Unit[] {
  return childrenOf(state, "phase")
    .filter((unit) => unit.data["stage"] === stage)
    .sort((a, b) => phaseNumber(a) - phaseNumber(b));
}

function phaseNumber(unit: Unit): number {
  return Number(unit.id.split(".")[1]);
}

function firstPhase(state: Workflow, stage: number): string | null {
  return phasesOf(state, stage)[0]?.id ?? null;
}

function isHeadless(state: Workflow): boolean {
  return state.vars["gui_type"] === "headless";
}

function guiPhase(state: Workflow): string | null {
  return isHeadless(state) || isGuiPaused(state) ? null : firstPhase(state, 4);
}

function guiAction(state: Workflow): string {
  return isGuiPaused(state) ? "gui_decision_gate" : "invoke_gui_agent";
}

/** Paused before anybody chose between a custom interface and none. */
function isGuiPaused(state: Workflow): boolean {
  return state.vars["paused"] === "gui";
}

/** The stage or phase whose work is out, or came back without success and is not finished yet. */
function unfinishedTarget(state: Workflow): { stage: number; phase: string | null } | undefined {
  const last = Object.values(state.dispatches).at(-1);
  if (last === undefined || last.outcome === "cancelled") return undefined;
  const root = rootOf(state);
  // A later move (a reset, a removal) has made that work obsolete.
  if (last.sentSeq < (root.entered[root.at] ?? 0)) return undefined;
  if (last.status === "ended" && FINISHING.includes(last.outcome ?? "")) return undefined;
  return targetOf(last);
}

const FINISHING: readonly string[] = ["success", "state-failure"];

/** The stage and phase of a dispatch. */
export function targetOf(dispatch: Pick<Dispatch, "spec" | "unit">): {
  stage: number;
  phase: string | null;
} {
  const stage = STAGE_OF_SPEC[dispatch.spec] ?? 0;
  return { stage, phase: dispatch.spec.endsWith("-phase") ? dispatch.unit : null };
}

const STAGE_OF_SPEC: Readonly<Record<string, number>> = {
  research: 0,
  foundation: 2,
  dsp: 3,
  "dsp-phase": 3,
  gui: 4,
  "gui-phase": 4,
  editor: 4,
};

/** The steps completed since the plugin was last only an idea. */
export function completedNotes({ notes }: Workflow): readonly Note[] {
  const reset = notes.findLastIndex(
    ({ list, tag, text }) => list === "timeline" && tag === "" && text.startsWith(RESET),
  );
  return notes.slice(reset + 1).filter((note) => note.list === "completed");
}

export const RESET = "Reset to ideation";
export const BEGUN = "Creative brief created";

/** The day of the last progress. Looking at a workflow does not change it. */
export function progressDate(state: Workflow): string {
  const steps = state.notes.filter((note) => note.list === "timeline").map((note) => note.at);
  const ended = Object.values(state.dispatches).flatMap((one) =>
    one.endedAt === null ? [] : [one.endedAt],
  );
  const adopted = state.vars["last_updated"];
  const known = typeof adopted === "string" ? [adopted] : [];
  return (
    [...known, ...steps, ...ended].toSorted().at(-1)?.slice(0, 10) ?? state.startedAt.slice(0, 10)
  );
}
