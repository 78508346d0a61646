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

/** A crash or a slow editor may have left a text beside its place: put back, or kept and named. */
export async function keepLeftAside(parts: Parts): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const left of await parts.workspace.recover()) {
    if (left.kind === "restored") continue;
    const file = await parts.workspace.bytes(left.aside);
    if (file.kind === "absent") continue;
    if (file.kind === "unreadable") {
      warnings.push(
        `${left.aside} is no older ${left.path}: look at it, and remove it (${file.code})`,
      );
      continue;
    }
    const blob = await parts.blobs.put(file.bytes);
    await parts.workspace.forget(left.aside);
    warnings.push(`an edit of an older ${left.path} is kept as blob ${blob}`);
  }
  return warnings;
}
