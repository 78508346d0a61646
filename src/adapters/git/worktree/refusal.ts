/** All refusals for worktrees and merges: code, message and remedy. */
import { remedyText } from "../../../core/table/remedy.ts";
import { ProblemError } from "../../../ports/problem.ts";
import type { NotDone } from "../../../ports/worktrees.ts";
import { lastLines, type Refusal } from "../refusal.ts";
import type { GitAnswer } from "../run/run.ts";

/** Carries a refusal out of nested calls; caught where the port is implemented. */
export class WorktreeRefused extends ProblemError {
  override readonly name = "WorktreeRefused";
  readonly refusal: NotDone;

  constructor(refusal: NotDone) {
    const { code, message, fix } = refusal;
    super({ code, message, fix: remedyText(fix) });
    this.refusal = refusal;
  }
}

export function refused(refusal: Refusal, paths: readonly string[] = []): NotDone {
  const { code, message, fix } = refusal;
  return { kind: "refused", code, message, fix, paths };
}

function say(code: string, message: string, fix: string, paths: readonly string[] = []): NotDone {
  return { kind: "refused", code, message, fix, paths };
}

export function noPlace(why: string, message: string): NotDone {
  const fixes: Readonly<Record<string, string>> = {
    bare: "Run it in a clone with files: `git clone <this repository> <directory>`.",
    unusable: "Correct what git names, until `git status` works here.",
  };
  const fix = fixes[why] ?? "Install git and run `git init` here, with a first commit.";
  const code = why === "bare" || why === "unusable" ? `git-${why}` : why;
  return say(code, `Cannot use worktrees: ${message}`, fix);
}

export function bareMain(path: string): NotDone {
  const message = `${path} is a bare repository, without files of its own.`;
  return noPlace("bare", message);
}

export function badPath(path: string, why: string): NotDone {
  const message = `Cannot use ${JSON.stringify(path)} for a worktree: ${why}.`;
  const fix = "Use a path inside the repository, without `..`, links or control characters.";
  return say("path-outside", message, fix);
}

export function badBranch(branch: string): NotDone {
  const message = `${JSON.stringify(branch)} cannot be the name of a branch.`;
  return say("branch-name", message, "Use letters, digits and single hyphens.");
}

export function noCommits(): NotDone {
  const message = "Cannot make a worktree: the repository has no commits yet.";
  return say("no-commits", message, "Make the first commit, then try again.");
}

export function baseMissing(base: string): NotDone {
  const message = `Cannot start from ${base}: there is no such branch or commit.`;
  return say("base-missing", message, "Name an existing branch, or create it.");
}

export function pathTaken(path: string): NotDone {
  const message = `Cannot make a worktree at ${path}: something else is there.`;
  return say("path-taken", message, `Look at ${path} and move it away.`);
}

export function worktreeForeign(path: string, branch: string | undefined): NotDone {
  const now = branch === undefined ? "without a branch (detached HEAD)" : `on ${branch}`;
  const message = `The worktree at ${path} is ${now}, which is not what was made for this task.`;
  return say("worktree-foreign", message, `Look at it with \`git -C ${path} status\`.`);
}

export function worktreeLost(
  path: string,
  branch: string | undefined,
  head: string | undefined,
): NotDone {
  const was = branch === undefined ? `at ${(head ?? "").slice(0, 12)}` : `on ${branch}`;
  const message = `The worktree at ${path} is gone, and was ${was} instead of on its own branch.`;
  const keep =
    branch === undefined
      ? `Keep that commit if you need it (\`git branch kept ${head ?? ""}\`). `
      : "";
  const fix = `${keep}Then \`git worktree remove -f -f ${path}\`, and try again.`;
  return say("worktree-lost", message, fix);
}

export function branchForeign(branch: string): NotDone {
  const message = `Cannot use the branch ${branch}: it exists, and was not made for this task.`;
  const fix = `Rename it (\`git branch -m ${branch} <new name>\`), or choose another name.`;
  return say("branch-taken", message, fix);
}

export function checkedOut(branch: string, paths: readonly string[]): NotDone {
  const message = `The branch ${branch} is checked out at ${paths.join(" and ")}.`;
  const fix = "Switch to another branch there, then try again.";
  return say("branch-checked-out", message, fix, paths);
}

export function symbolic(branch: string, target: string): NotDone {
  const name = target.replace(/^refs\/heads\//, "");
  const message = `The branch ${branch} is only another name for ${name}: what is committed there lands on ${name}.`;
  const fix = `Find out who did it, then give it its own commit again: git update-ref --no-deref refs/heads/${branch} <commit>.`;
  return say("branch-symbolic", message, fix);
}

export function notAWorktree(path: string): NotDone {
  const message = `Cannot remove ${path}: it is not a worktree of this repository.`;
  return say("not-a-worktree", message, `Look at ${path} and move it away yourself.`);
}

export function isMain(): NotDone {
  const message = "Cannot remove the main worktree.";
  return say("main-worktree", message, "Name the worktree of a task or of an agent.");
}

export function lockedByOthers(path: string, reason: string): NotDone {
  const why = reason === "" ? "no reason is given" : `reason: ${reason}`;
  const fix = `Ask whoever did it, or \`git worktree unlock ${path}\`.`;
  return say("worktree-locked", `The worktree at ${path} is locked (${why}).`, fix);
}

export function nestedWork(path: string, nested: readonly string[]): NotDone {
  const message = `Cannot remove ${path}: repositories inside it hold work that is nowhere else: ${nested.join(", ")}.`;
  const fix = "Commit and push in each of them, or move them away.";
  return say("nested-repository", message, fix, nested);
}

export function oddNames(path: string): NotDone {
  const message = `Cannot save the changes in ${path}: a changed file's name is not UTF-8.`;
  return say("path-not-utf8", message, "Rename the file, then try again.");
}

export function busy(path: string, why: string): NotDone {
  const message = `Cannot take ${path} away: ${why}.`;
  const fix = "End whatever uses it, check its permissions, then try again.";
  return say("worktree-busy", message, fix, [path]);
}

export function locked(answer: GitAnswer): NotDone {
  const message = `Another git holds a lock in this repository.\n${lastLines(answer.stderr)}`;
  return say("git-locked", message, "Try again. If no git is running, remove the lock it names.");
}

export function movedTooOften(ref: string, tries: number): NotDone {
  const message = `${ref} was moved by others ${tries} times while we worked on it.`;
  return say("ref-busy", message, "Try again.");
}

export function inTheMiddle(path: string, what: string): NotDone {
  const message = `Cannot move the branch at ${path}: ${what} is in progress there.`;
  return say("git-unfinished", message, "Finish it or give it up there, then try again.");
}

export function headDetached(path: string, branch: string): NotDone {
  const message = `Cannot move ${branch}: HEAD is detached at ${path}.`;
  return say("git-detached", message, `Run \`git switch ${branch}\` there, then try again.`);
}

export function dirtyTree(path: string, paths: readonly string[]): NotDone {
  const message = `The worktree at ${path} has uncommitted changes: ${listed(paths)}.`;
  return say("tree-dirty", message, "Commit or stash them there, then try again.", paths);
}

export function checkoutDiffers(path: string, paths: readonly string[]): NotDone {
  const message = `In the worktree at ${path} a filter would make something else of ${listed(paths)} than the commit has.`;
  const fix = "Take the filter away (.git/info/attributes, core.attributesFile), then try again.";
  return say("checkout-differs", message, fix, paths);
}

export function wouldOverwrite(path: string, paths: readonly string[]): NotDone {
  const message = `Files at ${path} that git does not track would be overwritten: ${listed(paths)}.`;
  return say("would-overwrite", message, "Move them away, then try again.", paths);
}

export function noBranch(branch: string): NotDone {
  const message = `There is no branch ${branch}.`;
  return say("branch-gone", message, `Create it, or bring it back with \`git branch ${branch}\`.`);
}

export function notACommit(given: string): NotDone {
  const message = `${JSON.stringify(given)} is not the full id of a commit in this repository.`;
  return say("commit-unknown", message, "Name the exact commit that was approved.");
}

export function branchMoved(branch: string, expected: string, now: string): NotDone {
  const message = `${branch} is at ${now.slice(0, 12)}, not at ${expected.slice(0, 12)} any more.`;
  const fix = `Rebase on ${branch}, build and have it approved again.`;
  return say("branch-moved", message, fix);
}

export function notForward(branch: string, from: string): NotDone {
  const message = `${branch} cannot be fast-forwarded to ${from.slice(0, 12)}: it has commits of its own.`;
  return say("not-fast-forward", message, `Rebase on ${branch}, then try again.`);
}

export function conflict(branch: string, onto: string, paths: readonly string[]): NotDone {
  const message = `${branch} and ${onto} change the same lines: ${listed(paths)}. Nothing was changed.`;
  const fix = `Run \`git rebase ${onto}\` in the worktree of ${branch}, resolve it, and report again.`;
  return say("merge-conflict", message, fix, paths);
}

export function oldGit(): NotDone {
  const message = "Cannot rebase without touching files: git is older than 2.38.";
  return say("git-old", message, "Install git 2.38 or newer.");
}

export function nothingToSquash(branch: string, base: string): NotDone {
  const message = `${branch} has no change of its own on top of ${base}.`;
  return say("nothing-to-squash", message, "Commit the work first.");
}

export function noRemote(): NotDone {
  const message = "Cannot push: the repository has no remote.";
  return say("no-remote", message, "Add one with `git remote add origin <address>`.");
}

export function remoteMoved(remote: string, branch: string): NotDone {
  const message = `${branch} on ${remote} holds commits that were not pushed by this task.`;
  return say("remote-moved", message, `Look at ${remote}/${branch}, and bring it together first.`);
}

export function pushFailed(remote: string, answer: GitAnswer): NotDone {
  const message = `Cannot push to ${remote}.\n${lastLines(answer.stderr)}`;
  return say("push-failed", message, "Correct what git names, then try again.");
}

function listed(paths: readonly string[]): string {
  const more = paths.length > PATHS_SHOWN_MAX ? ` and ${paths.length - PATHS_SHOWN_MAX} more` : "";
  return `${paths.slice(0, PATHS_SHOWN_MAX).join(", ")}${more}`;
}

const PATHS_SHOWN_MAX = 10;
