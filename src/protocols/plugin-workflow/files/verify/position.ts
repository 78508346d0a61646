import type { Handoff } from "../handoff/format.ts";
import type { PluginStatus } from "../plugin-status.ts";

/**
 * Do handoff and registry say the same place? The registry shows the last step that is finished
 * (or the one that runs), so a handoff that is `in_progress` may be one step ahead of it:
 *
 *   handoff                     registry
 *   ideation, mockup            💡
 *   0 in progress               💡 or 🚧 Stage 0
 *   N complete                  🚧 Stage N
 *   3 "3.2" complete            🚧 Stage 3.2
 *   3 "3.2" in progress         🚧 Stage 3.2 or 🚧 Stage 3.1
 *   3 in progress               🚧 Stage 3, 🚧 Stage 3.M or 🚧 Stage 2
 *   5 complete                  🚧 Stage 5 or ✅ Working
 *   workflow_complete           ✅ Working
 */
export function samePosition(handoff: Handoff, registry: PluginStatus): boolean {
  const { stage, phase } = placeOf(handoff);
  const { status } = handoff;
  if (stage === undefined) return isIdea(registry);
  const finished = stage >= 5 && (status === "complete" || status === "workflow_complete");
  if (registry.id === "working" || registry.id === "working-headless") return finished;
  if (status === "workflow_complete") return false;
  if (isIdea(registry)) return stage === 0 && status !== "complete";
  if (registry.id !== "stage") return false;
  if (registry.stage === stage && registry.phase === phase) return true;
  return status !== "complete" && isStepBefore(registry, stage, phase);
}

/** For messages: `stage 4, phase 4.2, complete`. */
export function describePosition({ stage, phase, status }: Handoff): string {
  const words = [`stage ${stage ?? "?"}`];
  if (typeof phase === "string") words.push(`phase ${phase}`);
  if (status !== undefined) words.push(status);
  return words.join(", ").slice(0, 120);
}

/** Reads `stage: 4.1` as phase 4.1 of stage 4. The codec reports the wrong form separately. */
function placeOf({ stage, phase }: Handoff): {
  stage: number | undefined;
  phase: string | undefined;
} {
  if (typeof stage === "number") return { stage, phase: phase ?? undefined };
  const split = /^(\d)\.[1-9]\d*$/.exec(stage ?? "");
  if (split === null) return { stage: undefined, phase: undefined };
  return { stage: Number(split[1]), phase: phase ?? split[0] };
}

function isIdea({ id }: PluginStatus): boolean {
  return id === "ideated" || id === "ideated-draft";
}

/** Stage 1 was merged into Stage 0, but older files still show it. */
function isStepBefore(registry: PluginStatus, stage: number, phase: string | undefined): boolean {
  if (registry.stage === stage) {
    const done = partOf(registry.phase);
    return phase === undefined ? done > 0 : partOf(phase) === done + 1;
  }
  if (phase !== undefined && partOf(phase) !== 1) return false;
  const before = stage === 2 ? [0, 1] : [stage - 1];
  return before.includes(registry.stage ?? -1);
}

function partOf(phase: string | undefined): number {
  return phase === undefined ? 0 : Number(phase.split(".")[1]);
}
