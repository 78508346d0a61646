import type { Roots } from "../../ports/family.ts";
import { rootDir, TASK_SETTINGS } from "./world/settings.ts";

/** A task's worktree belongs to the repository it was made for, and uses its files and journal. */
export const taskRoots: Roots = {
  marks: [],
  worktrees: (config) => rootDir({}, config),
  settings: { task: TASK_SETTINGS },
  files: [],
};
