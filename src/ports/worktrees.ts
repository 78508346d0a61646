/**
 * Git's worktrees and branches, as a family with many agents needs them. Paths are relative to the top of
 * the main worktree, with `/`; `.` is the main worktree itself. Every method may be called a second time
 * after a crash and then comes to the same end.
 *
 * Promised: what is not committed, or not merged, is saved under `refs/holdpoint/salvage/` before it goes;
 * only branches the caller calls recorded are deleted; no other entry is pruned, and nothing is collected.
 */
import type { Remedy } from "../core/decide/answer.ts";
export interface Worktrees {
  readonly list: () => Promise<readonly Worktree[]>;
  /** How the worktree at a path stands; undefined when there is none. */
  readonly status: (of: WorktreePath) => Promise<WorktreeStatus | undefined>;
  readonly add: (plan: AddWorktree) => Promise<Done<WorktreeAdded>>;
  readonly remove: (plan: RemoveWorktree) => Promise<Done<WorktreeRemoved>>;
  /** Keep `git worktree prune` and others away from it, saying why. */
  readonly lock: (plan: WorktreePath & { readonly reason: string }) => Promise<Done>;
  readonly unlock: (plan: WorktreePath) => Promise<Done>;
  /** Copy the files of a directory, byte for byte, without the worktrees in it. Nothing is replaced. */
  readonly archive: (plan: ArchiveFiles) => Promise<Done<FilesArchived>>;
}

/** What branches hold, and the few ways in which they may move. */
export interface Branches {
  readonly head: (branch: string) => Promise<BranchHead | undefined>;
  /** Commits of `branch` that `base` does not have, oldest first, and the files they change together. */
  readonly ahead: (branch: string, base: string) => Promise<BranchAhead>;
  /** Files in which two branches or commits differ. */
  readonly changed: (from: string, to: string) => Promise<readonly string[]>;
  readonly contains: (branch: string, commit: string) => Promise<boolean>;
  readonly file: (branch: string, path: string) => Promise<string | undefined>;
  /** Files below a folder of the branch that hold one of these texts. */
  readonly mentions: (
    branch: string,
    texts: readonly string[],
    under: readonly string[],
  ) => Promise<readonly string[]>;
  /** The remote a branch would be pushed to, if there is one. */
  readonly remote: () => Promise<string | undefined>;
  /** Put the commits of `branch` on top of `onto`. A conflict changes nothing. */
  readonly rebase: (plan: RebaseBranch) => Promise<Done<BranchRebased>>;
  /** Rebase `branch` onto `into`, then bring `into` up to it. */
  readonly integrate: (plan: IntegrateBranch) => Promise<Done<BranchRebased>>;
  /** Make the branch exactly one commit on top of `base` as it stands now. A conflict changes nothing. */
  readonly squash: (plan: SquashBranch) => Promise<Done<BranchMoved>>;
  /** Move `into` from exactly `expected` to exactly `from`, in its worktree too if it has one. */
  readonly fastForward: (plan: FastForward) => Promise<Done<BranchMoved>>;
  /** Undo a fast-forward, only while `into` still stands at `from`. */
  readonly takeBack: (plan: FastForward) => Promise<Done<BranchMoved>>;
  readonly push: (plan: PushBranch) => Promise<Done<BranchPushed>>;
}

/** Done, or refused; what a refused try has changed, a second try finds and goes on from. */
export type Done<T = unknown> = ({ readonly kind: "done" } & T) | NotDone;

export interface NotDone {
  readonly kind: "refused";
  readonly code: string;
  readonly message: string;
  readonly fix: Remedy;
  /** The files it is about: conflicts, uncommitted changes. */
  readonly paths: readonly string[];
}

export interface WorktreePath {
  readonly path: string;
}

export interface Worktree {
  /** Relative to the main worktree's top; absolute when it lies elsewhere. */
  readonly path: string;
  /** Without `refs/heads/`; undefined when detached. */
  readonly branch: string | undefined;
  /** Undefined where no commit has been made yet. */
  readonly head: string | undefined;
  /** The reason given, perhaps empty; undefined when not locked. */
  readonly locked: string | undefined;
  /** Its directory is gone, so `git worktree prune` would take the entry. */
  readonly prunable: boolean;
}

export interface WorktreeStatus extends Worktree {
  readonly clean: boolean;
  /** Changed, staged and untracked files; ignored ones are not looked at. */
  readonly dirty: readonly string[];
  /** What git is in the middle of, such as "a merge". */
  readonly unfinished: string | undefined;
}

export interface AddWorktree extends WorktreePath {
  readonly branch: string;
  /** Where a new branch starts: a branch or a commit. */
  readonly base: string;
  /** The journal, or a person, says that a branch of this name belongs here wherever it stands. */
  readonly recorded: boolean;
  readonly reason: string;
}

export interface WorktreeAdded {
  readonly commit: string;
  /** False when all of it was there already. */
  readonly created: boolean;
}

export interface RemoveWorktree extends WorktreePath {
  readonly branch: string;
  /** The branch that should have the work by now; what it lacks is saved. */
  readonly into: string;
  /** The journal says that path and branch were made for this task, so the branch goes too. */
  readonly recorded: boolean;
  /** Names of the salvage ref: `refs/holdpoint/salvage/<task>/<name>/<n>`. */
  readonly task: string;
  readonly name: string;
}

export interface WorktreeRemoved {
  /** False when it was gone already. */
  readonly removed: boolean;
  /** Salvage refs that hold what this worktree and branch had. */
  readonly saved: readonly string[];
  readonly branch: "deleted" | "kept" | "absent";
}

export interface ArchiveFiles {
  readonly from: string;
  readonly to: string;
}

export interface FilesArchived {
  readonly to: string;
  /** Relative to `to`, sorted. */
  readonly files: readonly string[];
}

export interface BranchHead {
  readonly commit: string;
  readonly tree: string;
  /** The same for the same change of the last commit on another base. */
  readonly patch: string;
}

export interface BranchCommit {
  readonly sha: string;
  readonly subject: string;
  readonly at: string;
  readonly created: readonly string[];
  readonly modified: readonly string[];
}

export interface BranchAhead {
  readonly commits: readonly BranchCommit[];
  readonly files: readonly string[];
  /** The commit that both come from; undefined where there is none. */
  readonly since: string | undefined;
  /** Each file as it is there and on the branch: mode and blob, before and after. */
  readonly entries: Readonly<Record<string, string>>;
}

export interface RebaseBranch {
  readonly branch: string;
  readonly onto: string;
  /** Commits whose work `onto` has in another form, such as one commit made of them: they are not picked again. */
  readonly had?: readonly string[];
}

export interface IntegrateBranch {
  readonly branch: string;
  readonly into: string;
  readonly had?: readonly string[];
}

export interface BranchRebased {
  readonly commit: string;
  /** The commits `onto` lacked, as they are now. */
  readonly commits: readonly BranchCommit[];
}

export interface SquashBranch {
  readonly branch: string;
  readonly base: string;
  readonly message: string;
  /** A branch that is one commit already keeps the message it has. */
  readonly keepsMessage?: boolean;
  /** Files that get another text in that commit, and are no conflict. */
  readonly settles?: Readonly<Record<string, SettleText>>;
  /** The commit's date, so that a second try makes the same commit. */
  readonly at: string;
  readonly task: string;
}

/** One file as it reads on both sides; undefined where it is not there. */
export interface Versions {
  /** Both changes together; undefined where they clash. */
  readonly merged: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
  /** The text in the commit that both sides come from. */
  readonly since: string | undefined;
}

/** The text the file gets in the commit; undefined leaves it as git made it. */
export type SettleText = (versions: Versions) => string | undefined;

export interface FastForward {
  readonly into: string;
  /** The exact commit; a name is refused. */
  readonly from: string;
  readonly expected: string;
  /** The worktree `into` belongs in: a detached HEAD there is refused. */
  readonly path?: string;
  /** Files whose uncommitted changes are carried along. A difference in marks alone is no conflict. */
  readonly carry?: Readonly<Record<string, DressText>>;
}

/**
 * Give `text` the marks of `like`, with `since` only those in which `like` differs from it. A mark is a word that
 * Holdpoint sets in a text of others, such as READY in the task list.
 */
export type DressText = (text: string, like: string, since?: string) => string;

export interface BranchMoved {
  readonly commit: string;
  /** False when it stood there already. */
  readonly moved: boolean;
}

export interface PushBranch {
  readonly branch: string;
  readonly commit: string;
  /** Commits this task has pushed under that name before; only these may be replaced. */
  readonly recorded: readonly string[];
}

export interface BranchPushed {
  readonly remote: string;
  readonly commit: string;
  readonly pushed: boolean;
}
