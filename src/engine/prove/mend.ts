import { ROOT } from "../../core/state/state.ts";
import type { Found } from "../engine.ts";
import type { FileChange } from "../intake/preview.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { driftOf } from "../show/show.ts";
import { renderView } from "../show/render.ts";

/**
 * What brings the state files of a workflow back to its journal, where that needs no judgement: files that are gone, and
 * lines that are missing. A line that would be replaced or go may be somebody's claim, and is for a person to decide.
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

/** Every line that was there is still there, in its order. */
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
