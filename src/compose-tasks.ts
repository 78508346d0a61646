import { createBranches } from "./effects/git-merge.ts";
import type { WorktreeOptions } from "./effects/git-worktree-list.ts";
import { createWorktrees } from "./effects/git-worktree.ts";
import type { Family } from "./ports/family.ts";
import { taskFamily } from "./protocols/task-protocol/family.ts";
import { placesFor } from "./protocols/task-protocol/git-places.ts";

/** The task protocol on real worktrees of this repository, as seen from where the caller stands. */
export function taskFamilyIn(options: WorktreeOptions, standsAt: string): Family {
  const ports = { worktrees: createWorktrees(options), branches: createBranches(options) };
  return taskFamily(placesFor(ports, standsAt));
}
