import type { Roots } from "../../ports/family.ts";
import { REGISTRY } from "./table/paths.ts";

export const PREFERENCES = ".claude/preferences.json";

export const MENU_FILES: readonly string[] = [
  ".claude/skills/plugin-workflow/assets/decision-menus.json",
  "assets/decision-menus.json",
];

export const pluginRoots: Roots = {
  marks: [REGISTRY],
  worktrees: () => null,
  settings: {},
  files: MENU_FILES,
};
