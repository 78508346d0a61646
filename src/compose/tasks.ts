import { createBranches } from "../adapters/git/merge/branches.ts";
import type { WorktreeOptions } from "../adapters/git/worktree/list.ts";
import { createWorktrees } from "../adapters/git/worktree/worktrees.ts";
import type { Family } from "../ports/family.ts";
import { taskFamily } from "../protocols/task-protocol/index.ts";
import { placesFor } from "../protocols/task-protocol/world/git-places.ts";

/** The task protocol on this repository's real worktrees, as seen from the caller's directory. */
export function taskFamilyIn(options: WorktreeOptions, standsAt: string | undefined): Family {
  const ports = { worktrees: createWorktrees(options), branches: createBranches(options) };
  return taskFamily(placesFor(ports, standsAt));
}
