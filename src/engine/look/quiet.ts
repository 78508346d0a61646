import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { isShown } from "../show/show.ts";

/**
 * Look at the files of a workflow while they show its last record. Between an append and its showing the files are
 * behind, and after the next append they are ahead of what was loaded: both would be taken for somebody's edit.
 * Undefined while others are at work; they, or the next command, look again.
 */
export async function lookQuietly<T>(
  parts: Parts,
  { family, id }: { readonly family: Family; readonly id: string },
  look: (state: Workflow) => Promise<T>,
): Promise<{ readonly state: Workflow; readonly seen: T } | undefined> {
  const stream = streamOf(family, id);
  const { state } = await parts.journal.load(stream);
  if (!(await isShown(parts, family, state))) return undefined;
  const seen = await look(state);
  const { head } = await parts.journal.load(stream);
  return head.seq === state.seq ? { state, seen } : undefined;
}
