import type { FieldValue } from "../../../../files/front-matter.ts";

/**
 * The handoff `plugins/<Plugin>/.continue-here.md`: front matter, then Markdown.
 *
 *   ---
 *   plugin: TapeDelay                the directory name
 *   stage: 3                         0 to 6
 *   phase: "3.2"                     or null
 *   status: complete                 in_progress | complete | workflow_complete
 *   last_updated: 2025-11-13
 *   complexity_score: 4.2            1.0 to 5.0; null before Stage 0 is complete
 *   phased_implementation: true      score >= 3; null as above
 *   orchestration_mode: true
 *   gui_type: webview                optional: headless | webview
 *   next_action: continue_dsp_phase_3.3
 *   next_phase: "3.3"                or null
 *   contract_checksums:              sha256:<64 hex>, or null
 *     creative_brief, parameter_spec, architecture, plan
 *   ---
 *   # Title
 *   ## Current State: one line
 *   ## Completed So Far              - **Stage 0:** ...
 *   ## Next Steps
 *   ## Build Artifacts
 *   ## Testing Checklist
 *   ## Context to Preserve
 *
 * Rules: PW-001 to PW-023 for writing, PW-256 to PW-272 for what older files look like.
 */

/**
 * `current` has `contract_checksums`; `old` has front matter without it; `pre-workflow` has a word
 * as stage (`ideation`); `prose` has no front matter; `broken` has front matter nobody can read.
 */
export type HandoffKind = "current" | "old" | "pre-workflow" | "prose" | "broken";

export type ContractKey = "creative_brief" | "parameter_spec" | "architecture" | "plan";
export const CONTRACT_KEYS: readonly ContractKey[] = [
  "creative_brief",
  "parameter_spec",
  "architecture",
  "plan",
];

export type Checksums = { readonly [K in ContractKey]?: string | null };
export type GuiType = "headless" | "webview";

/** The six second-level headings, in order. */
export const SECTIONS: readonly string[] = [
  "Current State",
  "Completed So Far",
  "Next Steps",
  "Build Artifacts",
  "Testing Checklist",
  "Context to Preserve",
];

/** A field is `undefined` if the file does not have it, or has one of the wrong type. */
export interface Handoff {
  readonly plugin: string | undefined;
  /** An integer, or the text found instead (`ideation`). */
  readonly stage: number | string | undefined;
  readonly phase: string | null | undefined;
  readonly status: string | undefined;
  /** `YYYY-MM-DD`, even if the file has a time after it. */
  readonly lastUpdated: string | undefined;
  readonly complexityScore: number | null | undefined;
  readonly phasedImplementation: boolean | null | undefined;
  readonly orchestrationMode: boolean | undefined;
  /** `webview` if the file does not say. */
  readonly guiType: GuiType;
  readonly nextAction: string | null | undefined;
  readonly nextPhase: string | null | undefined;
  /** Undefined without the map; keys missing in the map are missing here. */
  readonly checksums: Checksums | undefined;
  /** Every top-level key of the front matter, in file order. */
  readonly keys: readonly string[];
  readonly title: string | undefined;
  /** The text after `## Current State:`. */
  readonly currentState: string | undefined;
  /** Second-level headings, in file order, `Current State` without its text. */
  readonly sections: readonly string[];
  /** Tags under Completed So Far: `Stage 0`, `Stage 3.1`. */
  readonly completed: readonly string[];
  /** The items under Next Steps, without their numbers. */
  readonly nextSteps: readonly string[];
}

/** Whether Stage 0 is over: from then on score, flag and checksums are required. */
export function pastStageZero(handoff: Pick<Handoff, "stage" | "status">): boolean {
  const { stage, status } = handoff;
  if (typeof stage !== "number") return false;
  return stage > 0 || status === "complete" || status === "workflow_complete";
}

/** Null for YAML's null, undefined for anything that is not text. */
export function textOf(value: FieldValue | undefined): string | null | undefined {
  if (value?.kind !== "text") return undefined;
  return !value.quoted && /^(?:~|null|Null|NULL)?$/.test(value.text) ? null : value.text;
}
