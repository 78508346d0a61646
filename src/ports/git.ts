import type { Aim } from "../core/state/state.ts";
import type { Problem } from "./problem.ts";

/**
 * Git, one method per thing the engine needs. All paths are relative to the worktree's top, with `/`.
 * No method takes a shell string; names are passed as arguments.
 */
export interface Git {
  /** Whether there is a git binary and a repository here, and where its directories are. */
  readonly locate: () => Promise<GitPlace>;
  /**
   * `git status` for these paths: what differs from HEAD, untracked files included. A moved file is
   * one deleted and one added. Without a repository the result is empty, as for the other readers.
   */
  readonly changes: (paths: readonly string[]) => Promise<readonly GitChange[]>;
  /**
   * Builds the tree of a savepoint without touching index, worktree or refs, and runs the repository's pre-commit
   * and commit-msg hooks on it.
   */
  readonly prepare: (plan: SavepointPlan) => Promise<Prepared>;
  /**
   * Makes the prepared savepoint real: index, commit, ref. Safe to repeat: a commit made before a crash is found
   * by its trailer.
   */
  readonly commit: (
    savepoint: Savepoint,
    recordHash: string,
    moved?: WhenMoved,
  ) => Promise<Committed>;
  /** The bytes of `path` at `revision`; undefined when it has no such file. */
  readonly show: (revision: string, path: string) => Promise<Uint8Array | undefined>;
  /** Like `show`, for files that releases depend on: throws if no object with the right content is there. */
  readonly committed: (commit: string, path: string) => Promise<Uint8Array | undefined>;
  /** Commits that touched `path`, newest first, at most `limit`. */
  readonly log: (path: string, limit: number) => Promise<readonly GitCommit[]>;
  /**
   * Names and addresses of the authors and committers of these commits; undefined if git does not know one of
   * them.
   */
  readonly authors: (commits: readonly string[]) => Promise<readonly string[] | undefined>;
  readonly resolve: (revision: string) => Promise<string | undefined>;
  /** The branch that is checked out; undefined on a detached HEAD and without a repository. */
  readonly branch: () => Promise<string | undefined>;
  /**
   * Everything that differs from the commit `base`, committed since or not, untracked files included. A moved
   * file is one entry. An empty `base` means before the first commit. Undefined if git does not know that commit.
   */
  readonly changesSince: (
    base: string,
    /** The directory of another worktree. Without it, this one. */
    at?: string,
  ) => Promise<readonly GitDifference[] | undefined>;
  /** The commit at which another worktree's branch forked off; undefined if there is none. */
  readonly forked: (at: string) => Promise<string | undefined>;
  /** Files below a directory that git tracks, according to the index or the commit. */
  readonly tracked: (directory: string) => Promise<readonly string[]>;
  /**
   * Commits in HEAD that `base` lacks, and others known to have been made since a time. Undefined if git does not
   * know `base`.
   */
  readonly commitsSince: (
    base: string,
    since: string,
  ) => Promise<readonly GitRecorded[] | undefined>;
  /**
   * Commits since a time (empty: all), on any branch or in a reflog, that name the journal record they were made
   * for.
   */
  readonly journaled: (since: string) => Promise<readonly GitJournaled[]>;
}

export interface GitJournaled {
  readonly oid: string;
  readonly journal: string;
  readonly record: string;
  /** Made by this clone. A fetched commit has its journal elsewhere. */
  readonly here: boolean;
}

export interface GitRecorded {
  readonly oid: string;
  readonly subject: string;
  /** Hash of the record that the commit names; empty if it names none. */
  readonly record: string;
  /** Paths that differ from any of its parents. */
  readonly paths: readonly string[];
}

export interface GitDifference {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "renamed";
  /** The path before a rename. */
  readonly from?: string;
}

/** Puts our part of a shared file into another version of it; undefined if the file is not shared. */
export type MergeView = (path: string, theirs: string, ours: string) => string | undefined;

/** What a savepoint needs if the branch has moved since it was prepared. */
export interface WhenMoved {
  /** Merges files that both sides changed. */
  readonly merge?: MergeView;
  /** Called with the final commit before the branch moves to it. If it returns a problem, the branch stays. */
  readonly aim?: (aim: Aim) => Promise<Problem | undefined>;
}

export type GitPlace =
  | { readonly kind: "repository"; readonly top: string; readonly commonDir: string }
  | {
      readonly kind: "none";
      /** "unusable": there is a repository, but git refuses to work with it. */
      readonly why: "no-git" | "no-repository" | "bare" | "unusable";
      readonly message: string;
    };

export interface GitChange {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "renamed" | "untracked" | "unmerged";
}

export interface GitCommit {
  readonly oid: string;
  readonly at: string;
  readonly subject: string;
}

export interface SavepointPlan {
  /**
   * Whole paths (files or directories), taken as they are in the worktree. A tracked path that is gone is saved
   * as removed. A path that neither exists nor is tracked is left out with a warning.
   */
  readonly paths: readonly string[];
  /** Files that were read below the paths. A savepoint that lacks any of them is refused. */
  readonly standing?: readonly string[];
  /** Views as they will be shown: content by path; null removes the file. */
  readonly views: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly at: string;
  /** The commit that the views were rendered on; empty for none. Without it, the current head of the branch. */
  readonly base?: string;
  /** The journal and record it is for. The commit names it, and so can prove later that the record existed. */
  readonly journal?: string;
}

/** Everything needed to make the same commit, with the same id, again after a crash. */
export interface Savepoint {
  readonly ref: string;
  /** The commit it was built on; empty on a branch without commits. */
  readonly base: string;
  readonly tree: string;
  /** The blob at each path that the savepoint changes; null where it removes the file. */
  readonly blobs: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string };
  readonly at: string;
  /** Whether commits were to be signed when it was prepared. */
  readonly sign: boolean;
  readonly journal?: string;
}

export type Prepared =
  | {
      readonly kind: "ready";
      readonly savepoint: Savepoint;
      readonly warnings: readonly string[];
      /**
       * SHA-256 of each path's bytes in the worktree (except views), taken when they were found equal to the
       * savepoint's. For a link it is the target; null if there is nothing.
       */
      readonly taken: Readonly<Record<string, string | null>>;
    }
  /** The tree equals HEAD's, so there is nothing to commit. That is not a failure. `oid` is HEAD, or empty. */
  | { readonly kind: "empty"; readonly oid: string }
  | {
      readonly kind: "rejected";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };

export type Committed =
  | {
      readonly kind: "committed";
      readonly oid: string;
      readonly short: string;
      readonly warnings: readonly string[];
    }
  /**
   * Cannot be done now (the ref moved meanwhile, a lock is held, the disk is full). The savepoint stays wanted.
   */
  | {
      readonly kind: "blocked";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };
