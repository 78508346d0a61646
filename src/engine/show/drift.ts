import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import { isReading } from "../look/reading.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { driftOf, isShown } from "./show.ts";

/** How often, and how long, to wait for files that another process is just writing. */
const LOOKS_MAX = 12;
const LOOK_MS = 25;

export interface Drift {
  /** The state that the files were compared with. */
  readonly state: Workflow;
  readonly drift: readonly string[];
}

/**
 * Where the files disagree with the journal. This only counts for the newest record, and once that was shown:
 * files that another process is just writing are not anybody's edit.
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
    // Asked before the files are read. If asked afterwards, files shown in between would have been read in their
    // earlier form.
    wasShown = await isShown(parts, family, now);
    if (isReading(parts.workspace)) parts.workspace.refresh();
    found = { state: now, drift: await driftOf(parts, family, now) };
  }
  return found;
}
