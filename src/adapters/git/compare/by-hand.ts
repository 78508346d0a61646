/**
 * Finds a repository's git directory when git cannot be asked: it is not installed, or refuses (the repository
 * belongs to another user). The journal must still be found there; a second one beside it would not know the
 * first.
 */
import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export interface FoundByHand {
  readonly top: string;
  readonly commonDir: string;
}

export function findGitByHand(start: string): FoundByHand | undefined {
  for (let at = start; ; at = dirname(at)) {
    const commonDir = commonDirOf(join(at, ".git"));
    if (commonDir !== undefined) return { top: at, commonDir };
    if (dirname(at) === at) return undefined;
  }
}

/** In the main worktree it is a directory, in others a file that names one. */
function commonDirOf(dotGit: string): string | undefined {
  const stats = statSync(dotGit, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return isGitDir(dotGit) ? dotGit : undefined;
  if (stats?.isFile() !== true || stats.size > POINTER_BYTES_MAX) return undefined;
  const [, named] = /^gitdir: (.+)\n?$/.exec(readFileSync(dotGit, "utf8")) ?? [];
  if (named === undefined) return undefined;
  const gitDir = resolve(dirname(dotGit), named);
  const common = join(gitDir, "commondir");
  if (statSync(common, { throwIfNoEntry: false })?.isFile() !== true)
    return isGitDir(gitDir) ? gitDir : undefined;
  return resolve(gitDir, readFileSync(common, "utf8").trim());
}

function isGitDir(place: string): boolean {
  return statSync(join(place, "HEAD"), { throwIfNoEntry: false })?.isFile() === true;
}

const POINTER_BYTES_MAX = 64 * 1024;
