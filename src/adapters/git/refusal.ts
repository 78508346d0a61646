/** All refusals of the git adapter: code, message and remedy. */
import type { Problem } from "../../ports/problem.ts";
import { lastLines } from "./run/failure.ts";
import { GitFailure, type GitAnswer } from "./run/run.ts";

export { lastLines } from "./run/failure.ts";

export type Refusal = Problem;

export function noRepository(message: string): Refusal {
  return {
    code: "no-repository",
    message: `Cannot make a savepoint: ${message}`,
    fix: "Install git and run `git init` here, or go on without commits.",
  };
}

export function pathOutside(path: string): Refusal {
  return {
    code: "path-outside",
    message: `Cannot put ${JSON.stringify(path)} into a savepoint: it is not a path inside the worktree.`,
    fix: "Use a path relative to the top of the worktree, without `..` and outside `.git`.",
  };
}

export function unfinished(what: string, how: string): Refusal {
  return {
    code: "git-unfinished",
    message: `Cannot make a savepoint: ${what} is in progress in this worktree.`,
    fix: `Finish it or give it up (\`${how}\`), then try again.`,
  };
}

export function detached(): Refusal {
  return {
    code: "git-detached",
    message: "Cannot make a savepoint: HEAD is detached, so no branch would keep the commit.",
    fix: "Create a branch here with `git switch -c <name>`, then try again.",
  };
}

export function otherBranch(ref: string, head: string | undefined): Refusal {
  const branch = ref.replace("refs/heads/", "");
  const now = head === undefined ? "detached" : `on ${head.replace("refs/heads/", "")}`;
  return {
    code: "branch-changed",
    message: `Cannot make the savepoint on ${branch}: HEAD is ${now} in this worktree.`,
    fix: `Go back with \`git switch ${branch}\`, then try again.`,
  };
}

export function branchGone(ref: string, base: string): Refusal {
  const branch = ref.replace("refs/heads/", "");
  return {
    code: "branch-gone",
    message: `Cannot make the savepoint on ${branch}: the branch no longer exists.`,
    fix: `Bring it back with \`git branch ${branch} ${base}\`, or withdraw the savepoint.`,
  };
}

export function hookRejected(hook: string, answer: GitAnswer, msMax: number): Refusal {
  const said = lastLines(answer.stderr);
  const isLate = answer.end === "timeout";
  const how = isLate
    ? `did not end in time (${Math.ceil(msMax / 1000)} seconds) and was stopped`
    : `failed with exit ${answer.code}`;
  return {
    code: "commit-rejected",
    message: `The ${hook} hook ${how}, so nothing was committed.${said === "" ? "" : `\n${said}`}`,
    fix: isLate
      ? 'Have the hook end sooner, or give it longer ("hookSeconds" in the committed holdpoint.config.json), then try again.'
      : "Correct what the hook names, then try again.",
  };
}

export function commitDiffers(paths: readonly string[]): Refusal {
  return {
    code: "commit-differs",
    message: `The commit would not hold what was judged: a hook or a filter makes something else of ${shownPaths(paths)}.`,
    fix: "Have the hook change the files themselves, or take the filter away, then try again.",
  };
}

export function savepointLacks(named: readonly string[]): Refusal {
  return {
    code: "savepoint-lacks",
    message: `The savepoint would not have what stands below its paths: ${shownPaths(named)}.`,
    fix: "Move it away, put files in place of links and repositories (or add a repository as a submodule whose commits are pushed), or name what is not wanted in a .gitignore file, then try again.",
  };
}

export function savepointConflict(paths: readonly string[]): Refusal {
  return {
    code: "savepoint-conflict",
    message: `Cannot make the savepoint: the branch has moved and changes the same paths: ${shownPaths(paths)}.`,
    fix: "Look at the newer commits, bring the files together, and prepare the savepoint again.",
  };
}

export function indexLocked(lock: string): Refusal {
  return {
    code: "index-locked",
    message: `Cannot update the index: ${lock} is held by another git.`,
    fix: `Wait until that git has ended. If none is running, remove ${lock}.`,
  };
}

export function refBusy(ref: string, tries: number): Refusal {
  return {
    code: "ref-busy",
    message: `Cannot move ${ref}: it was locked or moved by others ${tries} times in a row.`,
    fix: `Try again. If no git is running, look for a leftover ${ref}.lock in the git directory.`,
  };
}

export function isRefusedByHook({ stderr }: GitAnswer): boolean {
  return /reference-transaction hook|aborted by hook/.test(stderr);
}

export function refRefused(ref: string, answer: GitAnswer): Refusal {
  return {
    code: "ref-refused",
    message: `The reference-transaction hook refused to move ${ref}.\n${lastLines(answer.stderr)}`,
    fix: "Correct what the hook names, then try again.",
  };
}

export function signingFailed(answer: GitAnswer): Refusal {
  return {
    code: "signing-failed",
    message: `Cannot sign the savepoint (commit.gpgSign is on).\n${lastLines(answer.stderr)}`,
    fix: "Make signing work (`git commit --allow-empty -S -m test`) or turn commit.gpgSign off.",
  };
}

/** Any other failure of git. Errors that do not come from git are thrown on. */
export function gitFailed(error: unknown): Refusal {
  if (!(error instanceof GitFailure)) throw error;
  return error.problem;
}

function shownPaths(paths: readonly string[]): string {
  const more = paths.length > PATHS_SHOWN_MAX ? ` and ${paths.length - PATHS_SHOWN_MAX} more` : "";
  return `${paths.slice(0, PATHS_SHOWN_MAX).join(", ")}${more}`;
}

const PATHS_SHOWN_MAX = 10;
