/**
 * How operations on one repository are serialised: by git's own locks and nothing else. A lock file of git
 * lives as long as one git command; whoever meets it waits and asks again, a bounded number of times. Refs
 * are moved only from a named old value, so whoever lost looks again instead of overwriting. There is no
 * mutex of ours that a dead process could leave behind.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { GitAnswer, RunGit } from "../run/run.ts";

/** Ask again while another git holds a lock, or is half-way through making a worktree. */
export function retrying(run: RunGit): RunGit {
  return async (args, options) => {
    const start = performance.now();
    for (let tried = 1; ; tried += 1) {
      const answer = await run([...PATIENCE, ...args], options);
      const late = tried >= LOCK_TRIES_MAX || performance.now() - start > LOCK_MS_MAX;
      if (late || !(isLocked(answer) || isHalfMade(answer))) return { ...answer, args };
      await pause((0.5 + Math.random()) * PAUSE_MS);
    }
  };
}

/** A lock file in the way. A ref that is not where it was expected is another matter. */
export function isLocked(answer: GitAnswer): boolean {
  if (answer.end !== "exit" || answer.code === 0) return false;
  return /\.lock'?: File exists|could not lock config file/.test(answer.stderr);
}

/** Another `git worktree add` has made its directory but not yet every file in it. */
function isHalfMade(answer: GitAnswer): boolean {
  if (answer.end !== "exit" || answer.code === 0) return false;
  return /worktrees\/[^\n]*(?:commondir|gitdir|HEAD)|failed to read [^\n]*worktrees/.test(
    answer.stderr,
  );
}

// Git itself waits this long for refs; the index and the configuration it gives up at once.
const PATIENCE = ["-c", "core.filesRefLockTimeout=1000", "-c", "core.packedRefsTimeout=3000"];
const LOCK_TRIES_MAX = 40;
const LOCK_MS_MAX = 5_000;
const PAUSE_MS = 80;
