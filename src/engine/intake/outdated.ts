import { cite } from "../../core/table/cite.ts";
import type { Remark, Workflow } from "../../core/state/state.ts";
import type { Settling } from "../show/holder.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import { submit } from "../submit.ts";
import { fileActor } from "../caller.ts";
import { overwrittenIn } from "./edits.ts";

/**
 * Another clone has moved the workflow on while somebody here edited a file of the older state. The edit cannot
 * refer to the current state, so its text is kept and the journal records that it does not count. True if there
 * was such an edit.
 */
export async function refuseOutdated(
  parts: Parts,
  { family, workflow, session }: Settling,
  { state, warnings }: { readonly state: Workflow; readonly warnings: string[] },
): Promise<boolean> {
  if (parts.processes.place === undefined) return false;
  const shown = await parts.shown.read(streamOf(family, workflow));
  if (shown === undefined || shown.seq >= state.seq) return false;
  const before = warnings.length;
  for (const view of family.views(state)) {
    const file = await parts.workspace.read(view.path);
    const last = shown.views[view.path];
    const told = await overwrittenIn(parts, view, { file, last });
    if (file.kind !== "text" || told.length === 0) continue;
    const blob = await parts.blobs.put(file.text);
    const reasons = [outdated(view.path, shown.seq, state), ...told];
    const outcome = await submit(parts, {
      family,
      workflow,
      session,
      actor: fileActor(view.path),
      command: {
        type: "edit.refuse",
        view: view.path,
        blob,
        reasons: reasons.map((one) => cite(family.protocol, one)),
      },
    });
    if ("warnings" in outcome) warnings.push(...(outcome.warnings ?? []));
  }
  return warnings.length > before;
}

function outdated(path: string, from: number, { id, seq }: Workflow): Remark {
  return {
    code: "edit-outdated",
    message: `${path} was edited as it read at record ${from}, and ${id} has gone on to ${seq} elsewhere`,
    rule: "core",
  };
}
