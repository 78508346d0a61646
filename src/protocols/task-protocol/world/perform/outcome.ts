import type { JsonObject } from "../../../../core/values/json.ts";
import type { Effect, Workflow } from "../../../../core/state/state.ts";
import type { Memory, World } from "../../../../ports/family.ts";
import type { Branches, NotDone, Worktrees } from "../../../../ports/worktrees.ts";
import type { Outcome } from "../places.ts";

/** Effects on worktrees and branches. Every attempt may be a repetition. */
export interface GitPorts {
  readonly worktrees: Worktrees;
  readonly branches: Branches;
}

export interface Wanted {
  readonly world: World;
  readonly state: Workflow;
  readonly effect: Effect;
  /** Undefined if nothing was tried before. */
  readonly memory?: Memory | undefined;
}

type Ended = Extract<Outcome, { kind: "done" }>;

/** Temporary failures are tried again; all others are for the protocol to undo. */
const PASSING: readonly string[] = ["git-locked", "ref-busy", "worktree-busy"];

export function notDone({ code, message, fix }: NotDone): Exclude<Outcome, Ended> {
  return { kind: PASSING.includes(code) ? "blocked" : "failed", code, message, fix };
}

export function ended(detail: JsonObject, warnings: readonly string[] = []): Ended {
  return { kind: "done", detail, warnings };
}
