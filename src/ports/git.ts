import type { Aim } from "../core/state/state.ts";
import type { Problem } from "./problem.ts";

/**
 * Git, one method per thing the engine needs. All paths are relative to the worktree's top, with `/`.
 * No method takes a shell string; names are passed as arguments.
 */
export interface Git {
  /** Whether there is a git binary and a repository here, and where its parts are. */
  readonly locate: () => Promise<GitPlace>;
  /**
   * `git status` for these paths: what differs from HEAD, untracked files included. A moved file is
   * one deleted and one added. Without a repository: nothing, as for the other readers.
   */
  readonly changes: (paths: readonly string[]) => Promise<readonly GitChange[]>;
  /**
   * Build the tree of a savepoint without touching index, worktree or refs, and run the
   * repository's pre-commit and commit-msg hooks on it.
   */
  readonly prepare: (plan: SavepointPlan) => Promise<Prepared>;
  /**
   * Make the prepared savepoint real: index, commit, ref. Safe to repeat: a commit made before a
   * crash is found by its trailer.
   */
  readonly commit: (
    savepoint: Savepoint,
    recordHash: string,
    moved?: WhenMoved,
  ) => Promise<Committed>;
  /** The bytes of `path` at `revision`; undefined when it has no such file. */
  readonly show: (revision: string, path: string) => Promise<Uint8Array | undefined>;
  /** Commits that touched `path`, newest first, at most `limit`. */
  readonly log: (path: string, limit: number) => Promise<readonly GitCommit[]>;
  /** Names and addresses of those who wrote or committed these commits; undefined where git does not know one. */
  readonly authors: (commits: readonly string[]) => Promise<readonly string[] | undefined>;
  readonly resolve: (revision: string) => Promise<string | undefined>;
  /** Name of the branch that is checked out; undefined on a detached HEAD and without a repository. */
  readonly branch: () => Promise<string | undefined>;
  /**
   * Everything that differs from the commit `base`, committed since or not, untracked files included; a
   * moved file is one entry. An empty `base` is the time before the first commit. Undefined when git
   * does not know that commit.
   */
  readonly changesSince: (
    base: string,
    /** Another worktree, by its directory; without it, this one. */
    at?: string,
  ) => Promise<readonly GitDifference[] | undefined>;
  /** The commit from which another worktree's branch went its own way; undefined where there is none. */
  readonly forked: (at: string) => Promise<string | undefined>;
  /** Files below a directory that git tracks, by the index or by the commit. None without a repository. */
  readonly tracked: (directory: string) => Promise<readonly string[]>;
  /**
   * Commits that are in HEAD and not in `base`, and others that are known to have been made since a time; undefined when
   * git does not know `base`.
   */
  readonly commitsSince: (
    base: string,
    since: string,
  ) => Promise<readonly GitRecorded[] | undefined>;
  /**
   * Commits since a time (empty: since ever), on any branch or in a reflog, that say which record of which journal wanted
   * them.
   */
  readonly journaled: (since: string) => Promise<readonly GitJournaled[]>;
}

export interface GitJournaled {
  readonly oid: string;
  readonly journal: string;
  readonly record: string;
  /** This clone itself has made it; what was only fetched has its journal elsewhere. */
  readonly here: boolean;
}

export interface GitRecorded {
  readonly oid: string;
  readonly subject: string;
  /** The hash of the record that the commit says it was made for; empty for none. */
  readonly record: string;
  /** What it changed against any of its parents. */
  readonly paths: readonly string[];
}

export interface GitDifference {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted" | "renamed";
  /** The path before a rename. */
  readonly from?: string;
}

/** Put our part of a shared file into their version of it; undefined for a file that is not shared. */
export type MergeView = (path: string, theirs: string, ours: string) => string | undefined;

/** What a savepoint needs where the branch has moved since it was prepared. */
export interface WhenMoved {
  /** Joins files that both sides changed. */
  readonly merge?: MergeView;
  /** Hears what the commit has become, before the branch moves onto it; a problem keeps it from moving. */
  readonly aim?: (aim: Aim) => Promise<Problem | undefined>;
}

export type GitPlace =
  | { readonly kind: "repository"; readonly top: string; readonly commonDir: string }
  | {
      readonly kind: "none";
      /** "unusable": there is a repository, and git will not work with it. */
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
   * Whole paths (files or directories) taken as they are in the worktree. A tracked one that is gone
   * is saved as removed; one neither there nor tracked is left out with a warning.
   */
  readonly paths: readonly string[];
  /** Files that were read below the paths: a savepoint that does not have all of them is refused. */
  readonly standing?: readonly string[];
  /** Views as they will be shown: content by path; null means the file is removed. */
  readonly views: Readonly<Record<string, string | null>>;
  readonly message: string;
  readonly at: string;
  /** The commit the views were rendered on, empty for none. When absent, the head of the branch now. */
  readonly base?: string;
  /** Which record of which journal wants it; the commit says so, and can witness that the record was there. */
  readonly journal?: string;
}

/** Everything needed to make the same commit again, with the same id, after a crash. */
export interface Savepoint {
  readonly ref: string;
  /** The commit it was built on; empty on a branch without commits. */
  readonly base: string;
  readonly tree: string;
  /** Blob by path for every path the savepoint changes; null where it removes. */
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
       * SHA-256 of the bytes that each path other than a view had in the worktree when they were found to be those of
       * the savepoint; of a link what it points to; null where nothing is.
       */
      readonly taken: Readonly<Record<string, string | null>>;
    }
  /** The tree equals HEAD's: nothing to commit, which is not a failure. `oid` is HEAD, or empty. */
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
  /** Cannot be done now (ref moved under us, lock held, disk full). The savepoint stays wanted. */
  | {
      readonly kind: "blocked";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };
