/**
 * What stands around protected branches: the hook that git runs before a reference moves, and what can be read without
 * believing anybody: where a branch stands, what a commit is made of, how the branch came there.
 */
import type { JsonObject } from "../core/values/json.ts";
import type { Problem } from "./problem.ts";

export interface Fencing {
  /** The hook that git would run here, compared with the one that was put up. */
  readonly look: (put: FenceHook | undefined) => Promise<readonly Problem[]>;
  /** Put the hook where git looks for it; whatever hook is there is kept, and called. */
  readonly put: (refs: readonly string[]) => Promise<FenceHook | Problem>;
  /** Take it down, and put back what was there before. */
  readonly take: (put: FenceHook) => Promise<Problem | undefined>;
  readonly stands: (ref: string) => Promise<Stands>;
  /** What commits are made of; those that cannot be read are left out. */
  readonly commits: (oids: readonly string[]) => Promise<ReadonlyMap<string, CommitFacts>>;
  /** The full id of a commit; undefined where git knows none of that name. */
  readonly resolve: (name: string) => Promise<string | undefined>;
  /** Moves that the reflog of a branch shows, oldest first, the last ones at most. */
  readonly logged: (ref: string) => readonly Logged[];
  /** Releases that came along with a commit: those in references, and those that a push is just bringing. */
  readonly carried: (oid: string, brought: readonly BroughtRef[]) => Promise<readonly string[]>;
  /** Keep one under a name where a push can take it along; whether that went well. */
  readonly carry: (oid: string, name: string, text: string) => Promise<boolean>;
  /** A file as a commit has it; empty where it has none. */
  readonly show: (commit: string, path: string) => Promise<string>;
  /** The commits of a range such as `main..work`, oldest first; undefined where git does not understand it. */
  readonly range: (range: string) => Promise<readonly string[] | undefined>;
  /** So many commits of a branch at most, from its tip by first parents; what merges brought in is left out. */
  readonly line: (tip: string, countMax: number) => Promise<readonly string[]>;
  /** The history ends at some commits because nobody fetched more of it. */
  readonly isShallow: () => boolean;
  /** What changes whenever something about hooks or branches may have changed, and costs next to nothing to read. */
  readonly stamp: (put: FenceHook, refs: readonly string[]) => string;
  /** A cache: the stamp under which all was well. */
  readonly recall: () => string;
  readonly keep: (stamp: string) => void;
}

/** The hook that was put up, as the journal keeps it. */
export interface FenceHook extends JsonObject {
  /** From the git directory: a repository that is moved keeps its fence. */
  readonly directory: string;
  /** Of every file of ours there, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What core.hooksPath was before, in this repository's own configuration and as a whole; null where it was not set. */
  readonly path: { readonly own: string | null; readonly whole: string } | null;
}

export interface Stands {
  /** Empty where there is no such branch. */
  readonly oid: string;
  /** The other reference it stands for, if it is no branch of its own. */
  readonly symbolic: string;
  /** What it would be without its own file. */
  readonly packed: string;
  /** Somebody is just writing the packed ones. */
  readonly locked: boolean;
}

/** A reference that is about to be written, and what it is to name. */
export interface BroughtRef {
  readonly ref: string;
  readonly to: string;
}

export interface CommitFacts {
  readonly oid: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** When it was committed, in seconds since 1970, as it says. */
  readonly at: number;
  /** Names and addresses of who wrote and committed it. */
  readonly people: readonly string[];
  /** What its last paragraph says about records, by name: `Holdpoint-Record` and others. */
  readonly trailers: Readonly<Record<string, string>>;
}

export interface Logged {
  readonly from: string;
  readonly to: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Where there is no git, there is nothing to stand around. */
export const NO_FENCE: Fencing = {
  look: async () => [],
  put: async () => NO_REPOSITORY,
  take: async () => NO_REPOSITORY,
  stands: async () => ({ oid: "", symbolic: "", packed: "", locked: false }),
  commits: async () => new Map(),
  resolve: async () => undefined,
  logged: () => [],
  carried: async () => [],
  carry: async () => false,
  show: async () => "",
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
