import type { Roots } from "../../ports/family.ts";
import { REGISTRY } from "./table/paths.ts";

export const pluginRoots: Roots = { marks: [REGISTRY], worktrees: () => null };
