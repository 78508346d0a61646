import { objects, text } from "../../../core/values/json-read.ts";
import type { Workflow } from "../../../core/state/state.ts";

/** A worktree and its branch. */
export interface MadePlace {
  readonly path: string;
  readonly branch: string;
}

/** The worktrees that the journal says were made for this task. A similar name is not enough. */
export function recordedPlaces({ effects }: Workflow): readonly MadePlace[] {
  return Object.values(effects)
    .filter(({ kind, status }) => kind === "worktree" && status === "done")
    .flatMap(({ detail }) => objects(detail["made"]))
    .map((made) => ({ path: text(made["path"]), branch: text(made["branch"]) }));
}
