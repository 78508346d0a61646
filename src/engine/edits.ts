import type { Workflow } from "../core/state.ts";
import type { Family } from "../ports/family.ts";
import type { Parts } from "./parts.ts";

/** A state file that says something the journal does not, before a command writes it anew. */
interface Edited {
  readonly path: string;
  readonly text: string;
  readonly drift: readonly string[];
}

/** Where only the engine writes its part of the files, whatever else stands there is somebody's edit. */
export async function lookAtEdits(
  parts: Parts,
  family: Family,
  state: Workflow,
): Promise<readonly Edited[]> {
  if (!family.edits.told || state.seq === 0) return [];
  const found = await Promise.all(
    family.views(state).map(async (view): Promise<readonly Edited[]> => {
      const file = await parts.workspace.read(view.path);
      if (file.kind !== "text") return [];
      const drift = view.drift(file.text);
      return drift.length === 0 ? [] : [{ path: view.path, text: file.text, drift }];
    }),
  );
  return found.flat();
}

/** What the command did not make true, and put back: said, and the text kept. */
export async function tellEdits(
  parts: Parts,
  family: Family,
  state: Workflow,
  edits: readonly Edited[],
): Promise<readonly string[]> {
  const views = family.views(state);
  const told = await Promise.all(
    edits.map(async ({ path, text, drift }): Promise<readonly string[]> => {
      const view = views.find((one) => one.path === path);
      const still = new Set(view?.drift(text));
      const wrong = drift.filter((one) => still.has(one));
      if (wrong.length === 0) return [];
      const blob = await parts.blobs.put(text);
      return wrong.map((one) => `${one}; it does not count (the edited text is blob ${blob})`);
    }),
  );
  return told.flat();
}
