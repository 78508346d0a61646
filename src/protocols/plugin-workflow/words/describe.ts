import { showJson } from "../../../core/values/json.ts";
import type { Workflow } from "../../../core/state/state.ts";
import type { Description } from "../../../ports/family.ts";
import { phasesOf, positionOf, targetOf } from "../table/position.ts";

/** The table's state names in the words of `PLUGINS.md`. */
export const CALLED: Readonly<Record<string, string>> = {
  ideated: "Ideated",
  drafted: "Ideated (draft parameters)",
  s0: "Stage 0",
  s2: "Stage 2",
  s3: "Stage 3",
  s4: "Stage 4",
  s5: "Stage 5",
  working: "Working",
  installed: "Installed",
  improving: "Improving",
  removed: "Removed",
  shelve: "files put aside",
};

/** Describes a plugin in everyday words. */
export function describe(state: Workflow): Description {
  const { registry, milestone, handoff } = positionOf(state);
  const fallbacks = fallbacksByAgent(state);
  const details = [
    { name: "next action", value: handoff?.nextAction ?? "" },
    { name: "next phase", value: handoff?.nextPhase ?? "" },
    { name: "phases", value: phaseProgress(state) },
    { name: "complexity", value: valueOf(state, "complexity_score") },
    { name: "interface", value: valueOf(state, "gui_type") },
    { name: "version", value: valueOf(state, "version") },
    { name: "state files", value: fallbacks === "" ? "" : `written by Holdpoint for ${fallbacks}` },
  ].filter(({ value }) => value !== "");
  return {
    headline: milestone,
    state: registry,
    details,
    finished: ["installed", "removed"].includes(state.units["."]?.at ?? ""),
  };
}

function valueOf(state: Workflow, name: string): string {
  const value = state.vars[name] ?? null;
  return value === null ? "" : showJson(value);
}

function phaseProgress(state: Workflow): string {
  return [3, 4]
    .map((stage) => phasesOf(state, stage))
    .filter((phases) => phases.length > 0)
    .map((phases) =>
      phases.map((unit) => `${unit.id}${unit.at === "done" ? " done" : ""}`).join(", "),
    )
    .join("; ");
}

/** How often each agent left the state unwritten: an agent that always does so should be corrected. */
function fallbacksByAgent(state: Workflow): string {
  const counts = new Map<string, number>();
  for (const dispatch of Object.values(state.dispatches)) {
    if (dispatch.notes.length > 0) counts.set(dispatch.role, (counts.get(dispatch.role) ?? 0) + 1);
  }
  return [...counts].map(([agent, count]) => `${agent} (${count}x)`).join(", ");
}

/** The step of a dispatch in words: "stage 2", "phase 3.1". */
export function stepOf(dispatch: Parameters<typeof targetOf>[0]): string {
  const { stage, phase } = targetOf(dispatch);
  return phase === null ? `stage ${stage}` : `phase ${phase}`;
}
