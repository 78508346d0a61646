/**
 * What guards protected branches: the hook that git runs before a reference moves, and readers that do not rely
 * on git's word: where a branch stands, what a commit contains, how the branch got there.
 */
import type { JsonObject } from "../core/values/json.ts";
import type { Problem } from "./problem.ts";

export interface Fencing {
  /** Compares the hook that git would run here with the one that was installed. */
  readonly look: (put: FenceHook | undefined) => Promise<readonly Problem[]>;
  /** The hook that would be put up, or what is in its way. Nothing is written. */
  readonly plan: (refs: readonly string[]) => Promise<FenceHook | Problem>;
  /** Installs the hook where git looks for it. An existing hook is kept and called. */
  readonly put: (refs: readonly string[]) => Promise<FenceHook | Problem>;
  /** Removes it, and restores what was there before. */
  readonly take: (put: FenceHook) => Promise<Problem | undefined>;
  readonly stands: (ref: string) => Promise<Stands>;
  /** Facts about commits. Unreadable ones are left out. */
  readonly commits: (oids: readonly string[]) => Promise<ReadonlyMap<string, CommitFacts>>;
  /** The full id of a commit; undefined if git knows none of that name. */
  readonly resolve: (name: string) => Promise<string | undefined>;
  /** Moves in a branch's reflog, oldest first, limited to the latest. */
  readonly logged: (ref: string) => readonly Logged[];
  /** Releases that came with a commit: those in references, and those that a push is bringing. */
  readonly carried: (oid: string, brought: readonly BroughtRef[]) => Promise<readonly string[]>;
  /** Stores a release under a reference that a push can take along. False if that failed. */
  readonly carry: (oid: string, name: string, text: string) => Promise<boolean>;
  /** A file at a commit; empty if the commit has none. */
  readonly committed: (commit: string, path: string) => Promise<string>;
  /** The commits of a range such as `main..work`, oldest first; undefined where git does not understand it. */
  readonly range: (range: string) => Promise<readonly string[] | undefined>;
  /**
   * Commits of a branch from its tip along first parents, without those that merges brought in; at most
   * `countMax`.
   */
  readonly line: (tip: string, countMax: number) => Promise<readonly string[]>;
  /** The history is cut off because only part of it was fetched. */
  readonly isShallow: () => boolean;
  /** A value that changes whenever hooks or branches may have changed, and is very cheap to read. */
  readonly stamp: (put: FenceHook, refs: readonly string[]) => string;
  /** A cache: the stamp at which everything was last found in order. */
  readonly recall: () => string;
  readonly keep: (stamp: string) => void;
}

/** The installed hook, as recorded in the journal. */
export interface FenceHook extends JsonObject {
  /** Relative to the git directory, so that a repository can be moved. */
  readonly directory: string;
  /** Digest of each of our files there, by name. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * The earlier value of core.hooksPath, in this repository's own configuration and overall; null if it was not
   * set.
   */
  readonly path: { readonly own: string | null; readonly whole: string } | null;
}

export interface Stands {
  /** Empty if there is no such branch. */
  readonly oid: string;
  /** The reference it points to, if it is a symbolic one. */
  readonly symbolic: string;
  /** Its value without its own file, from the packed references. */
  readonly packed: string;
  /** The packed references are being written right now. */
  readonly locked: boolean;
}

/** A reference that is about to be written, and its new value. */
export interface BroughtRef {
  readonly ref: string;
  readonly to: string;
}

export interface CommitFacts {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** The commit time it states, in seconds since 1970. */
  readonly at: number;
  /** Names and addresses of author and committer. */
  readonly people: readonly string[];
  /** The trailers of its last paragraph, by name: `Holdpoint-Record` and others. */
  readonly trailers: Readonly<Record<string, string>>;
}

export interface Logged {
  readonly from: string;
  readonly to: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Without git there is nothing to guard. */
export const NO_FENCE: Fencing = {
  look: async () => [],
  plan: async () => NO_REPOSITORY,
  put: async () => NO_REPOSITORY,
  take: async () => NO_REPOSITORY,
  stands: async () => ({ oid: "", symbolic: "", packed: "", locked: false }),
  commits: async () => new Map(),
  resolve: async () => undefined,
  logged: () => [],
  carried: async () => [],
  carry: async () => false,
  committed: async () => "",
  range: async () => undefined,
  line: async () => [],
  isShallow: () => false,
  stamp: () => "",
  recall: () => "",
  keep: () => undefined,
};

const NO_REPOSITORY: Problem = {
  code: "no-repository",
  message: "A fence stands around branches of a git repository, and there is none here",
  fix: "Go to the repository, or make one with `git init`.",
};
