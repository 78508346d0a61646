import type { Workflow } from "../../../core/state/state.ts";
import type { Advice } from "../../../ports/family.ts";

/** If several clones share one journal, another one may have the worktree: says which, and how to get it here. */
export function elsewhere(
  { id, effects }: Workflow,
  dir: string,
): Pick<Advice, "why" | "run"> | undefined {
  const made = Object.values(effects).findLast(
    ({ kind, status }) => kind === "worktree" && status === "done",
  );
  const place = made?.by?.place;
  if (place === undefined) return undefined;
  return {
    why: `its worktree is in ${place}; to go on here, push its branch there (git push origin ${id}), and bring what lies in ${dir} beside code/ and agents/`,
    run: [`git fetch origin ${id}:${id}`, `holdpoint advance ${id} worktree-lost`],
  };
}
