import { ROOT } from "../../core/state/state.ts";
import type { Found } from "../engine.ts";
import type { FileChange } from "../intake/preview.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { driftOf } from "../show/show.ts";
import { renderView } from "../show/render.ts";

/**
 * Repairs of a workflow's state files that need no judgement: missing files and missing lines. A line that would
 * be replaced or removed may be somebody's edit, and a person has to decide about it.
 */
export async function mendable(
  parts: Parts,
  { family, state }: Found,
): Promise<readonly FileChange[]> {
  if (!(ROOT in state.units)) return [];
  if ((await driftOf(parts, family, state)).length === 0) return [];
  const shown = await parts.shown.read(streamOf(family, state.id));
  const changes: FileChange[] = [];
  for (const view of family.views(state)) {
    const file = await parts.workspace.read(view.path);
    if (file.kind === "unreadable") return [];
    const before = file.kind === "text" ? file.text : null;
    const rendered = await renderView(parts, view, before, shown?.views[view.path]);
    const after = rendered.kind === "text" ? rendered.text : null;
    if (after === before) continue;
    if (!isAdded(before, after)) return [];
    changes.push({ file: view.path, before, after });
  }
  return changes;
}

/** Whether every earlier line is still there, in order. */
function isAdded(before: string | null, after: string | null): boolean {
  if (after === null) return before === null;
  const now = after.split("\n");
  let at = 0;
  return (before ?? "").split("\n").every((line) => {
    if (before === null) return true;
    const found = now.indexOf(line, at);
    at = found + 1;
    return found >= 0;
  });
}
