import type { Remedy } from "../../../core/decide/answer.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import type { Memory, World } from "../../../ports/family.ts";

/**
 * What the task protocol needs from git besides ordinary commits: worktrees, branches and merges. Paths are
 * relative to the top of the main worktree. Promised: nothing uncommitted or unmerged is removed without being
 * saved to a named ref first, only branches named by the caller are deleted, and every method may be repeated.
 */
export interface TaskPlaces {
  /** The list as seen by this look. */
  readonly worktrees: (world: World) => Promise<readonly Worktree[]>;
  /** Uncommitted and untracked files of a worktree; null if there is no such worktree. */
  readonly dirty: (path: string) => Promise<readonly string[] | null>;
  readonly head: (branch: string) => Promise<Head | undefined>;
  /** Commits of `branch` that `base` lacks, oldest first, and the files they change together. */
  readonly ahead: (branch: string, base: string) => Promise<Ahead>;
  /** Files in which two commits or branches differ. */
  readonly changed: (from: string, to: string) => Promise<readonly string[]>;
  /** Files in which `to` differs from `from` moved onto `onto`; undefined if one of them does not exist. */
  readonly departed: (span: {
    readonly from: string;
    readonly onto: string;
    readonly to: string;
  }) => Promise<readonly string[] | undefined>;
  readonly contains: (branch: string, commit: string) => Promise<boolean>;
  readonly remote: () => Promise<boolean>;
  /** The acting session's directory, if known. */
  readonly cwd: () => Promise<string | undefined>;
  readonly file: (branch: string, path: string) => Promise<string | undefined>;
  readonly mentions: (
    branch: string,
    texts: readonly string[],
    under: readonly string[],
  ) => Promise<readonly string[]>;
  readonly perform: (
    world: World,
    state: Workflow,
    effect: Effect,
    memory?: Memory,
  ) => Promise<Outcome>;
}

export interface Worktree {
  readonly path: string;
  readonly branch: string;
}

export interface Head {
  readonly commit: string;
  readonly tree: string;
  /** Identifies the change: the same change on another base has the same value. */
  readonly patch: string;
}

export interface Ahead {
  readonly commits: readonly {
    readonly sha: string;
    readonly subject: string;
    readonly created?: readonly string[];
    readonly modified?: readonly string[];
  }[];
  readonly files: readonly string[];
  /** Their common ancestor; undefined if there is none. */
  readonly since: string | undefined;
  /** Each file in that commit and on the branch: mode and blob, before and after. */
  readonly entries: Readonly<Record<string, string>>;
}

export type Outcome =
  | { readonly kind: "done"; readonly detail: JsonObject; readonly warnings: readonly string[] }
  /** Not now; the next command tries again. */
  | {
      readonly kind: "blocked";
      readonly code: string;
      readonly message: string;
      readonly fix: Remedy;
    }
  /** Not possible; the protocol undoes the step. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly fix: Remedy;
    };
