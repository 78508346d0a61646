import type { Remedy } from "../../../core/decide/answer.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import type { Effect, Workflow } from "../../../core/state/state.ts";
import type { Memory, World } from "../../../ports/family.ts";

/**
 * What the task protocol needs of git beside the commits every family makes: worktrees, branches and
 * merges. Paths are relative to the top of the main worktree. An adapter promises: nothing uncommitted or
 * unmerged is removed without being saved to a named ref first, only branches it is told of are deleted,
 * and every attempt may be the second one.
 */
export interface TaskPlaces {
  /** As this look at the world sees them. */
  readonly worktrees: (world: World) => Promise<readonly Worktree[]>;
  /** Uncommitted and untracked files of one worktree; null where there is none. */
  readonly dirty: (path: string) => Promise<readonly string[] | null>;
  readonly head: (branch: string) => Promise<Head | undefined>;
  /** Commits of `branch` that `base` does not have, oldest first, and the files they change together. */
  readonly ahead: (branch: string, base: string) => Promise<Ahead>;
  /** Files in which two commits or branches differ. */
  readonly changed: (from: string, to: string) => Promise<readonly string[]>;
  /** Those in which `to` is not what `from` is on top of `onto`; undefined where one of them is not there. */
  readonly departed: (span: {
    readonly from: string;
    readonly onto: string;
    readonly to: string;
  }) => Promise<readonly string[] | undefined>;
  readonly contains: (branch: string, commit: string) => Promise<boolean>;
  readonly remote: () => Promise<boolean>;
  /** Where the acting session stands, if anybody knows. */
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
  /** The same for the same change on another base. */
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
  /** The commit that both come from; undefined where there is none. */
  readonly since: string | undefined;
  /** Each file as it is there and on the branch: mode and blob, before and after. */
  readonly entries: Readonly<Record<string, string>>;
}

export type Outcome =
  | { readonly kind: "done"; readonly detail: JsonObject; readonly warnings: readonly string[] }
  /** Not now: tried again by the next command. */
  | {
      readonly kind: "blocked";
      readonly code: string;
      readonly message: string;
      readonly fix: Remedy;
    }
  /** Not at all: for the protocol to undo. */
  | {
      readonly kind: "failed";
      readonly code: string;
      readonly message: string;
      readonly fix: Remedy;
    };
