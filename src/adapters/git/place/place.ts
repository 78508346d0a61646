/** Finds the repository around a directory, and opens it for the other files of this adapter. */
import { lstatSync, realpathSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { GitPlace } from "../../../ports/git.ts";
import { errorCode } from "../../store/durable.ts";
import { READ_ONLY, type GitAnswer, type RunGit } from "../run/run.ts";

/** One worktree of one repository, and how to run git in it. */
export interface Repository {
  readonly run: RunGit;
  readonly top: string;
  /** This worktree's own git directory: HEAD, index, MERGE_HEAD. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** The empty tree, and the oid that means "none", in the repository's hash algorithm. */
  readonly emptyTree: string;
  readonly zeroOid: string;
  readonly tmpDir: string;
  readonly hookMsMax: number;
  readonly onStep: (step: string) => void;
}

/** A worktree as git lists it: an absolute path and a full reference. */
export interface Entry {
  readonly place: string;
  readonly ref: string | undefined;
  readonly head: string | undefined;
  readonly locked: string | undefined;
  readonly bare: boolean;
}

export type FoundPlace =
  | (Extract<GitPlace, { kind: "repository" }> &
      Pick<Repository, "gitDir" | "emptyTree" | "zeroOid">)
  | Extract<GitPlace, { kind: "none" }>;

export async function findPlace(run: RunGit, cwd: string): Promise<FoundPlace> {
  if (!(await isDirectory(cwd))) return none("no-repository", `There is no directory ${cwd}.`);
  const answer = await run(["rev-parse", "--path-format=absolute", ...QUESTIONS], {
    cwd,
    env: READ_ONLY,
    msMax: FIND_MS_MAX,
  });
  if (answer.end === "missing") return none("no-git", "git is not installed, or not in PATH.");
  // In a bare repository only the last question fails, so the earlier answers are there.
  const lines = answer.stdout.toString("utf8").split("\n").slice(0, -1);
  const [bare, , format, gitDir, commonDir, top] = lines;
  if (bare === "true") return none("bare", `${gitDir ?? cwd} is a bare repository, without files.`);
  if (answer.code !== 0) {
    // A repository that git refuses is not treated as missing: otherwise breaking its configuration would be a
    // way around it.
    return none(hasDotGit(cwd) ? "unusable" : "no-repository", noRepository(cwd, answer));
  }
  const known = format === "sha1" || format === "sha256" ? FORMATS[format] : undefined;
  if (lines.length !== QUESTIONS.length || !known || !gitDir || !commonDir || !top) {
    const why = `Cannot use the repository at ${cwd}: its path or its object format is unknown to us.`;
    return none("unusable", why);
  }
  if (!isAt(cwd, top) || !exists(join(top, ".git"))) {
    const why = `git says that the files of the repository at ${cwd} are in ${top} (core.worktree).`;
    return none("unusable", why);
  }
  return { kind: "repository", top, commonDir, gitDir, ...known };
}

/** Whether anything is there, including a dangling link. */
export function exists(place: string): boolean {
  try {
    return lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A parent of the path is a file.
    if (errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}

/** Whether there is a git directory, even a broken one: without its HEAD, git would see no repository. */
function hasDotGit(start: string): boolean {
  for (let at = realpathSync(start); ; at = dirname(at)) {
    const parts = REMAINS.map((part) => join(at, ".git", part));
    if (lstatSync(join(at, ".git"), { throwIfNoEntry: false })?.isFile() === true) return true;
    if (parts.some(exists)) return true;
    if (dirname(at) === at) return false;
  }
}

function isAt(place: string, top: string): boolean {
  return `${realpathSync(place)}/`.startsWith(`${top === "/" ? "" : top}/`);
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function noRepository(cwd: string, answer: GitAnswer): string {
  const said = answer.stderr.trim().split("\n").slice(0, 3).join(" ");
  if (answer.end !== "exit") return `git did not answer in ${cwd} (${answer.end}).`;
  return said === "" || said.includes("not a git repository")
    ? `${cwd} is not inside a git repository.`
    : `git does not accept ${cwd}: ${said}`;
}

function none(why: Extract<GitPlace, { kind: "none" }>["why"], message: string): FoundPlace {
  return { kind: "none", why, message };
}

const REMAINS = ["HEAD", "config", "objects", "refs", "holdpoint"] as const;

/** Git would block forever on a pipe in place of one of its files. */
const FIND_MS_MAX = 20_000;

const QUESTIONS = [
  "--is-bare-repository",
  "--is-inside-work-tree",
  "--show-object-format",
  "--git-dir",
  "--git-common-dir",
  "--show-toplevel",
] as const;

export const FORMATS: Readonly<
  Record<"sha1" | "sha256", Pick<Repository, "emptyTree" | "zeroOid">>
> = {
  sha1: {
    emptyTree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    zeroOid: "0".repeat(40),
  },
  sha256: {
    emptyTree: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
    zeroOid: "0".repeat(64),
  },
};
