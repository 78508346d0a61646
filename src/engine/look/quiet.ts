import type { Workflow } from "../../core/state/state.ts";
import type { Family } from "../../ports/family.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { isShown } from "../show/show.ts";

/**
 * Looks at a workflow's files while they show its last record. Between an append and its showing the files are
 * behind, and after another append they are ahead of what was loaded; both would look like an edit. Undefined
 * while other processes are at work; they, or the next command, will look again.
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
