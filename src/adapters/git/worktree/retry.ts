/**
 * Operations on one repository are serialised by git's own locks and nothing else. A git lock file exists only
 * during one command; whoever meets one waits and retries, a limited number of times. References are only moved
 * from a given old value, so a loser starts over instead of overwriting. There is no lock of ours that a dead
 * process could leave behind.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { GitAnswer, RunGit } from "../run/run.ts";

/** Retries while another git process holds a lock, or is creating a worktree. */
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

/** True if a lock file was in the way, but not if a reference had another value than expected. */
export function isLocked(answer: GitAnswer): boolean {
  if (answer.end !== "exit" || answer.code === 0) return false;
  return /\.lock'?: File exists|could not lock config file/.test(answer.stderr);
}

/** Another `git worktree add` has created its directory but not all of its files yet. */
function isHalfMade(answer: GitAnswer): boolean {
  if (answer.end !== "exit" || answer.code === 0) return false;
  return /worktrees\/[^\n]*(?:commondir|gitdir|HEAD)|failed to read [^\n]*worktrees/.test(
    answer.stderr,
  );
}

// How long git itself waits for references. For the index and the configuration, it gives up at once.
const PATIENCE = ["-c", "core.filesRefLockTimeout=1000", "-c", "core.packedRefsTimeout=3000"];
const LOCK_TRIES_MAX = 40;
const LOCK_MS_MAX = 5_000;
const PAUSE_MS = 80;
