import type { Roots } from "../../ports/family.ts";
import { SESSIONS } from "./files/session-name.ts";

export const teamRoots: Roots = { marks: [SESSIONS], worktrees: () => null };
