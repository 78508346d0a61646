/**
 * Git's worktrees and branches, as needed by families with many agents. Paths are relative to the top of the main
 * worktree, with `/`; `.` is the main worktree itself. Every method may be called again after a crash and then
 * has the same result.
 * Promised: uncommitted or unmerged work is saved under `refs/holdpoint/salvage/` before it is removed. Only
 * branches that the caller calls recorded are deleted. Other worktree entries are not pruned, and `git gc` is not
 * run.
 */
import type { Remedy } from "../core/decide/answer.ts";
export interface Worktrees {
  readonly list: () => Promise<readonly Worktree[]>;
  /** The state of the worktree at a path; undefined if there is none. */
  readonly status: (of: WorktreePath) => Promise<WorktreeStatus | undefined>;
  readonly add: (plan: AddWorktree) => Promise<Done<WorktreeAdded>>;
  readonly remove: (plan: RemoveWorktree) => Promise<Done<WorktreeRemoved>>;
  /** Keeps `git worktree prune` and others away from it, with a reason. */
  readonly lock: (plan: WorktreePath & { readonly reason: string }) => Promise<Done>;
  readonly unlock: (plan: WorktreePath) => Promise<Done>;
  /**
   * Copies the files of a directory byte for byte, without the worktrees in it. Existing files are not replaced.
   */
  readonly archive: (plan: ArchiveFiles) => Promise<Done<FilesArchived>>;
}

/** What branches contain, and the few ways in which they may move. */
export interface Branches {
  readonly head: (branch: string) => Promise<BranchHead | undefined>;
  /** Commits of `branch` that `base` lacks, oldest first, and the files they change together. */
  readonly ahead: (branch: string, base: string) => Promise<BranchAhead>;
  /** Files in which two branches or commits differ. */
  readonly changed: (from: string, to: string) => Promise<readonly string[]>;
  /** Files in which `to` differs from `from` moved onto `onto`; undefined if one of them does not exist. */
  readonly departed: (span: {
    readonly from: string;
    readonly onto: string;
    readonly to: string;
  }) => Promise<readonly string[] | undefined>;
  readonly contains: (branch: string, commit: string) => Promise<boolean>;
  readonly file: (branch: string, path: string) => Promise<string | undefined>;
  /** Files below a folder of the branch that contain one of these texts. */
  readonly mentions: (
    branch: string,
    texts: readonly string[],
    under: readonly string[],
  ) => Promise<readonly string[]>;
  /** The remote that a branch would be pushed to, if there is one. */
  readonly remote: () => Promise<string | undefined>;
  /** Puts the commits of `branch` on top of `onto`. A conflict changes nothing. */
  readonly rebase: (plan: RebaseBranch) => Promise<Done<BranchRebased>>;
  /** Rebases `branch` onto `into`, then moves `into` forward to it. */
  readonly integrate: (plan: IntegrateBranch) => Promise<Done<BranchRebased>>;
  /** Makes the branch exactly one commit on top of the current `base`. A conflict changes nothing. */
  readonly squash: (plan: SquashBranch) => Promise<Done<BranchMoved>>;
  /** Moves `into` from exactly `expected` to exactly `from`, and its worktree too if it has one. */
  readonly fastForward: (plan: FastForward) => Promise<Done<BranchMoved>>;
  /** Undoes a fast-forward, but only while `into` is still at `from`. */
  readonly takeBack: (plan: FastForward) => Promise<Done<BranchMoved>>;
  readonly push: (plan: PushBranch) => Promise<Done<BranchPushed>>;
}

/**
 * Done, or refused. If a refused attempt has changed something, the next attempt finds it and continues from
 * there.
 */
export type Done<T = unknown> = ({ readonly kind: "done" } & T) | NotDone;

export interface NotDone {
  readonly kind: "refused";
  readonly code: string;
  readonly message: string;
  readonly fix: Remedy;
  /** The files concerned: conflicts, uncommitted changes. */
  readonly paths: readonly string[];
}

export interface WorktreePath {
  readonly path: string;
}

export interface Worktree {
  /** Relative to the top of the main worktree; absolute if it is elsewhere. */
  readonly path: string;
  /** Without `refs/heads/`; undefined on a detached HEAD. */
  readonly branch: string | undefined;
  /** Undefined if there is no commit yet. */
  readonly head: string | undefined;
  /** The reason given, perhaps empty; undefined when not locked. */
  readonly locked: string | undefined;
  /** Its directory is gone, so `git worktree prune` would remove the entry. */
  readonly prunable: boolean;
}

export interface WorktreeStatus extends Worktree {
  readonly clean: boolean;
  /** Changed, staged and untracked files; ignored ones are left out. */
  readonly dirty: readonly string[];
  /** An unfinished git operation, such as "a merge". */
  readonly unfinished: string | undefined;
}

export interface AddWorktree extends WorktreePath {
  readonly branch: string;
  /** Where a new branch starts: a branch or a commit. */
  readonly base: string;
  /** The journal, or a person, says that a branch of this name belongs here, whatever commit it is at. */
  readonly recorded: boolean;
  readonly reason: string;
}

export interface WorktreeAdded {
  readonly commit: string;
  /** False if it already existed. */
  readonly created: boolean;
}

export interface RemoveWorktree extends WorktreePath {
  readonly branch: string;
  /** The branch that should contain the work by now. Whatever it lacks is saved. */
  readonly into: string;
  /** The journal says that path and branch were made for this task, so the branch is deleted too. */
  readonly recorded: boolean;
  /** Parts of the salvage ref's name: `refs/holdpoint/salvage/<task>/<name>/<n>`. */
  readonly task: string;
  readonly name: string;
}

export interface WorktreeRemoved {
  /** False if it was already gone. */
  readonly removed: boolean;
  /** Salvage refs that contain what this worktree and branch had. */
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
  /** Identifies the change of the last commit: the same change on another base has the same value. */
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
  /** Their common ancestor; undefined if there is none. */
  readonly since: string | undefined;
  /** Each file in that commit and on the branch: mode and blob, before and after. */
  readonly entries: Readonly<Record<string, string>>;
}

export interface RebaseBranch {
  readonly branch: string;
  readonly onto: string;
  /** Commits whose work `onto` already has in another form, such as squashed into one. They are skipped. */
  readonly had?: readonly string[];
}

export interface IntegrateBranch {
  readonly branch: string;
  readonly into: string;
  readonly had?: readonly string[];
}

export interface BranchRebased {
  readonly commit: string;
  /** The commits that `onto` lacked, in their new form. */
  readonly commits: readonly BranchCommit[];
}

export interface SquashBranch {
  readonly branch: string;
  readonly base: string;
  readonly message: string;
  /** Keep the message if the branch is one commit already. */
  readonly keepsMessage?: boolean;
  /** Files that get another text in that commit and are not treated as conflicts. */
  readonly settles?: Readonly<Record<string, SettleText>>;
  /** The commit's date, so that a second attempt makes the same commit. */
  readonly at: string;
  readonly task: string;
}

/** One file on both sides; undefined where it does not exist. */
export interface Versions {
  /** Both changes merged; undefined if they conflict. */
  readonly merged: string | undefined;
  readonly ours: string | undefined;
  readonly theirs: string | undefined;
  /** The text in the common ancestor. */
  readonly since: string | undefined;
}

/** The file's text for the commit; undefined leaves it as git merged it. */
export type SettleText = (versions: Versions) => string | undefined;

export interface FastForward {
  readonly into: string;
  /** The exact commit id; a branch name is refused. */
  readonly from: string;
  readonly expected: string;
  /** The worktree that `into` belongs in. A detached HEAD there is refused. */
  readonly path?: string;
  /** Files whose uncommitted changes are kept. If they differ only in marks, that is not a conflict. */
  readonly carry?: Readonly<Record<string, DressText>>;
}

/**
 * Gives `text` the marks of `like`; with `since`, only those in which `like` differs from it. A mark is a word
 * that Holdpoint sets in a text written by others, such as READY in the task list.
 */
export type DressText = (text: string, like: string, since?: string) => string;

export interface BranchMoved {
  readonly commit: string;
  /** False if it was already there. */
  readonly moved: boolean;
}

export interface PushBranch {
  readonly branch: string;
  readonly commit: string;
  /** Commits that this task has pushed under that name before. Only these may be replaced. */
  readonly recorded: readonly string[];
}

export interface BranchPushed {
  readonly remote: string;
  readonly commit: string;
  readonly pushed: boolean;
}
