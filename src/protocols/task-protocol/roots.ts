import type { Roots } from "../../ports/family.ts";
import { rootDir, TASK_SETTINGS } from "./world/settings.ts";

/** A task's worktree lies in the repository it was made for: files and journal are that one's. */
export const taskRoots: Roots = {
  marks: [],
  worktrees: (config) => rootDir({}, config),
  settings: { task: TASK_SETTINGS },
  files: [],
};
