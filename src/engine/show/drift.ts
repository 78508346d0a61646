import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import { isReading } from "../look/reading.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { driftOf, isShown } from "./show.ts";

/** How long the files of a workflow are let come to rest that another process is just writing. */
const LOOKS_MAX = 12;
const LOOK_MS = 25;

export interface Drift {
  /** The state that the files were compared with. */
  readonly state: Workflow;
  readonly drift: readonly string[];
}

/**
 * Where the files say something else than the journal. A difference counts only for the newest record, and once that one
 * was shown: what another process is just writing is nobody's edit, and nobody has to decide about it.
 */
export async function driftNow(parts: Parts, family: Family, state: Workflow): Promise<Drift> {
  let found: Drift = { state, drift: await driftOf(parts, family, state) };
  let wasShown = false;
  for (let look = 0; look < LOOKS_MAX && found.drift.length > 0; look += 1) {
    const now = (await parts.journal.load(streamOf(family, state.id))).state;
    if (wasShown && now.seq === found.state.seq) return found;
    if (look > 0)
      await new Promise((resolve) => {
        setTimeout(resolve, LOOK_MS);
      });
    // Asked before the files are read: what was shown after that would be read as it was before.
    wasShown = await isShown(parts, family, now);
    if (isReading(parts.workspace)) parts.workspace.refresh();
    found = { state: now, drift: await driftOf(parts, family, now) };
  }
  return found;
}
