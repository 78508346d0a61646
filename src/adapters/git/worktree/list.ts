/** Finds the main worktree and lists all of them. */
import { readdir, readFile } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import type { NotDone, Worktree } from "../../../ports/worktrees.ts";
import { FileRefused } from "../../workspace/file-problem.ts";
import { exists, findPlace, type Entry, type FoundPlace, type Repository } from "../place/place.ts";
import { readPlainEntries } from "../place/plain.ts";
import { gitFailed } from "../refusal.ts";
import { createRunGit, GitFailure, HOOK_MS_MAX, READ_ONLY, succeed } from "../run/run.ts";
import { isLocked, retrying } from "./retry.ts";
import { badPath, bareMain, locked, noPlace, refused } from "./refusal.ts";
import { WorktreeRefused } from "./refusal.ts";
import { locatePath } from "../../workspace/path.ts";

export interface WorktreeOptions {
  /** Any directory inside any worktree of the repository. */
  readonly cwd: string;
  readonly tmpDir: string;
  /** Any worktree of the repository, if it was already found. */
  readonly found?: FoundPlace | undefined;
  readonly gitBinary?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly hookMsMax?: number;
  /** Called before every step whose order matters. Tests throw or die in it. */
  readonly onStep?: (step: string) => void;
}

/** `fresh` is the list read while finding the main worktree. Later steps must read it again. */
export type Use = <T>(
  work: (home: Repository, fresh?: readonly Entry[]) => Promise<T>,
) => Promise<T | NotDone>;

/** Runs `work` on the main worktree. Whatever git or the file system refuses becomes an answer. */
export function createUse(options: WorktreeOptions): Use {
  const run = retrying(
    createRunGit(options.gitBinary ?? "git", options.env ?? process.env, options.hookMsMax),
  );
  let home: Repository | undefined;
  return async (work) => {
    try {
      // A repository that was found stays. A missing one may be created by the next command.
      if (home !== undefined) return await work(home);
      const opened = await openHome(options, run);
      home = opened.home;
      return await work(home, opened.entries);
    } catch (error) {
      if (error instanceof WorktreeRefused) return error.refusal;
      if (error instanceof FileRefused) return refused(error.problem);
      if (error instanceof GitFailure && isLocked(error.answer)) return locked(error.answer);
      return refused(gitFailed(error));
    }
  };
}

/**
 * Undefined if there is no repository. Any other failure must not look like that: a repository whose git is
 * missing would seem clean and without commits.
 */
export function orNone<T>(found: T | NotDone): T | undefined {
  if (!isRefusal(found)) return found;
  if (NO_PLACE.includes(found.code)) return undefined;
  throw new WorktreeRefused(found);
}

/** For display only: without git there is nothing to show, and nothing is decided by it. */
export function orNothing<T>(found: T | NotDone): T | undefined {
  return isRefusal(found) && found.code === "no-git" ? undefined : orNone(found);
}

function isRefusal(value: unknown): value is NotDone {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "refused";
}

/** The main worktree, which unlike the current one cannot be removed while we run. */
async function openHome(
  options: WorktreeOptions,
  run: Repository["run"],
): Promise<{ readonly home: Repository; readonly entries: readonly Entry[] }> {
  const found = options.found ?? (await findPlace(run, options.cwd));
  if (found.kind === "none") throw new WorktreeRefused(noPlace(found.why, found.message));
  const { tmpDir, hookMsMax = HOOK_MS_MAX, onStep = () => undefined } = options;
  const here = { ...found, run, tmpDir, hookMsMax, onStep };
  const entries = await listEntries(here);
  const [main] = entries;
  if (main === undefined || main.bare) {
    throw new WorktreeRefused(bareMain(main?.place ?? found.commonDir));
  }
  return { home: { ...here, top: main.place, gitDir: found.commonDir }, entries };
}

/** The main worktree first. */
export async function listEntries(repo: Repository): Promise<readonly Entry[]> {
  return readPlainEntries(repo) ?? (await askEntries(repo));
}

/** With `-z`, because a path may contain any character. */
export async function askEntries(repo: Repository): Promise<readonly Entry[]> {
  const args = ["worktree", "list", "--porcelain", "-z"];
  const out = await succeed(repo.run(args, { cwd: repo.top, env: READ_ONLY }));
  const entries = out
    .split("\0\0")
    .filter((block) => block !== "")
    .map((block) => entryOf(block.split("\0").filter((line) => line !== "")));
  const [main, ...others] = entries;
  if (main === undefined || main.bare || main.place !== repo.commonDir) return entries;
  return [{ ...main, place: await topOfModule(repo) }, ...others];
}

/** In a submodule git lists its git directory; only the configuration knows where the files are. */
async function topOfModule(repo: Repository): Promise<string> {
  const args = ["config", "--get", "core.worktree"];
  const answer = await repo.run(args, { cwd: repo.top, env: READ_ONLY });
  const named = answer.stdout.toString("utf8").replace(/\n$/, "");
  return named === "" ? repo.commonDir : resolve(repo.commonDir, named);
}

function entryOf(lines: readonly string[]): Entry {
  const field = (name: string): string | undefined => {
    const line = lines.find((one) => one === name || one.startsWith(`${name} `));
    return line?.slice(name.length + 1);
  };
  const head = field("HEAD");
  return {
    place: field("worktree") ?? "",
    ref: field("branch"),
    head: head === undefined || /^0+$/.test(head) ? undefined : head,
    locked: field("locked"),
    bare: field("bare") !== undefined,
  };
}

export async function shownEntry(home: Repository, entry: Entry): Promise<Worktree> {
  return {
    path: shownPath(home, entry.place),
    branch: entry.ref?.replace(/^refs\/heads\//, ""),
    head: entry.head,
    locked: entry.locked,
    prunable: !exists(join(entry.place, ".git")),
  };
}

export function shownPath(home: Repository, place: string): string {
  const path = relative(home.top, place).split(sep).join("/");
  if (path === "") return ".";
  return path === ".." || path.startsWith("../") || isAbsolute(path) ? place : path;
}

/** The absolute place of a path. Links that lead out of the repository are refused. */
export async function placeOf(home: Repository, path: string): Promise<string> {
  if (path === ".") return home.top;
  // Git writes paths line by line into files of its own.
  if (/\p{Cc}/u.test(path)) {
    throw new WorktreeRefused(badPath(path, "it has control characters"));
  }
  return locatePath(home.top, path);
}

/** The git directory of a linked worktree, even if its files are gone. */
export async function gitDirOf(home: Repository, place: string): Promise<string | undefined> {
  const all = join(home.commonDir, "worktrees");
  for (const name of await namesIn(all)) {
    const dir = join(all, name);
    const text = await readFile(join(dir, "gitdir"), "utf8").catch(() => "");
    if (text !== "" && resolve(dir, text.replace(/\n+$/, "")) === join(place, ".git")) return dir;
  }
  return undefined;
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return (await readdir(directory)).sort();
  } catch {
    return [];
  }
}

/**
 * Opens a worktree by naming its git directory and files, so that it works with its directory moved aside: after
 * a day, git would record a moved directory as the new place. Without files, only commits and the index can be
 * read, and the common directory stands in.
 */
export function openWorktree(
  home: Repository,
  gitDir: string,
  top: string = home.commonDir,
): Repository {
  const parts = { GIT_DIR: gitDir, GIT_WORK_TREE: top };
  return {
    ...home,
    top,
    gitDir,
    run: (args, options = {}) => home.run(args, { ...options, env: { ...parts, ...options.env } }),
  };
}

/** Opens the worktree of an entry, main or linked. */
export async function openEntry(home: Repository, { place }: Entry): Promise<Repository> {
  if (place === home.top) return home;
  const gitDir = await gitDirOf(home, place);
  return gitDir === undefined ? { ...home, top: place } : openWorktree(home, gitDir, place);
}

const NO_PLACE: readonly string[] = ["no-repository", "git-bare"];
