/**
 * Reads from files what git would say about a repository with the usual layout, because starting git takes longer
 * than most questions. Anything unusual is left to git: another owner, extensions, a submodule, a bare
 * repository, a damaged file, environment variables that change where git looks. (by-hand.ts is for when git does
 * not answer at all, and is less careful.)
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { compareTexts } from "../../../core/values/json.ts";
import { errorCode } from "../../store/durable.ts";
import { exists, FORMATS, type Entry, type FoundPlace, type Repository } from "./place.ts";

/** The repository around a directory. */
export function readPlainPlace(start: string, env: NodeJS.ProcessEnv): FoundPlace | undefined {
  if (!hasGit(env)) return undefined;
  return orAskGit(() => {
    if (realpathSync.native(start) !== start) throw new NotPlain();
    const { dev } = lstatSync(start);
    for (let at = start; ; at = dirname(at)) {
      // Git does not search beyond the file system it starts in.
      if (lstatSync(at).dev !== dev) return noRepository(start);
      if (basename(at) === ".git") throw new NotPlain();
      if (exists(join(at, ".git"))) return plainPlace(at);
      // A bare repository can have any name.
      if (exists(join(at, "HEAD"))) throw new NotPlain();
      if (dirname(at) === at) return noRepository(start);
    }
  });
}

/** The list of worktrees in git's order: the main one, then the others by path. */
export function readPlainEntries({ commonDir }: Repository): readonly Entry[] | undefined {
  return orAskGit(() => {
    checkPlain(commonDir);
    const main = readEntry(commonDir, commonDir, dirname(commonDir));
    const shelf = join(commonDir, "worktrees");
    const names = exists(shelf) ? readdirSync(shelf) : [];
    const others = names.map((name) => {
      const gitDir = join(shelf, name);
      const [, place] = /^(\/.*)\/\.git\n$/.exec(readSmall(join(gitDir, "gitdir"))) ?? [];
      if (place === undefined || place.includes("\n")) throw new NotPlain();
      return readEntry(commonDir, gitDir, place);
    });
    return [main, ...others.toSorted((a, b) => compareTexts(a.place, b.place))];
  });
}

/** The branch HEAD is on, if any, from the worktree's own HEAD. */
export function readPlainHead({
  gitDir,
  commonDir,
}: Repository): { readonly ref?: string; readonly oid?: string } | undefined {
  return orAskGit(() => {
    checkPlain(commonDir);
    return readHead(gitDir);
  });
}

/** The commit of `HEAD`, or of a full branch name, local or remote. Without an oid if there is no commit. */
export function readPlainCommit(
  { gitDir, commonDir }: Pick<Repository, "gitDir" | "commonDir">,
  name: string,
): { readonly oid: string | undefined } | undefined {
  if (name !== "HEAD" && !isPlainBranch(name.replace(/^refs\/remotes\//, "refs/heads/")))
    return undefined;
  return orAskGit(() => {
    checkPlain(commonDir);
    const { ref, oid }: ReturnType<typeof readHead> =
      name === "HEAD" ? readHead(gitDir) : { ref: name };
    return { oid: ref === undefined ? knownOid(oid) : readRef(commonDir, ref) };
  });
}

/** Whether objects and the index may be written here instead of by git: sha1, and no special permissions. */
export function isOrdinary({ commonDir, zeroOid }: Repository): boolean {
  const ordinary = orAskGit(() => {
    checkPlain(commonDir);
    return !/sharedrepository/i.test(readSmall(join(commonDir, "config")));
  });
  return ordinary === true && zeroOid === FORMATS.sha1.zeroOid;
}

/** A full branch name that git allows and does not interpret as anything else. */
export function isPlainBranch(name: string): boolean {
  const isSimple = /^refs\/heads(\/[A-Za-z0-9_+-][A-Za-z0-9_+.-]*)+$/.test(name);
  return isSimple && !/\.\.|\.lock(\/|$)|\.$/.test(name);
}

function noRepository(start: string): FoundPlace {
  const message = `${start} is not inside a git repository.`;
  return { kind: "none", why: "no-repository", message };
}

function plainPlace(top: string): FoundPlace {
  const dotGit = join(top, ".git");
  const gitDir = lstatSync(dotGit).isDirectory() ? dotGit : readPointer(dotGit);
  const commonDir =
    gitDir === dotGit ? gitDir : resolve(gitDir, readSmall(join(gitDir, "commondir")).trim());
  if ([top, dotGit, gitDir, commonDir].some((place) => !isOwn(place))) throw new NotPlain();
  checkPlain(commonDir);
  readHead(gitDir);
  return { kind: "repository", top, commonDir, gitDir, ...FORMATS.sha1 };
}

/** In a linked worktree, a file names its git directory. In a submodule, that directory has no `commondir`. */
function readPointer(dotGit: string): string {
  const [, named] = /^gitdir: (\/[^\n]+)\n$/.exec(readSmall(dotGit)) ?? [];
  if (named === undefined || basename(dirname(named)) !== "worktrees") throw new NotPlain();
  return named;
}

/** Throws if the configuration says that files, ids or references are stored in another way. */
function checkPlain(commonDir: string): void {
  const config = readSmall(join(commonDir, "config"));
  // Called for every question, and the text is nearly always the one checked last.
  if (config !== lastPlain && !isPlainConfig(config.toLowerCase())) throw new NotPlain();
  lastPlain = config;
  const parts = ["objects", "refs"].map((name) => lstatSync(join(commonDir, name)));
  if (basename(commonDir) !== ".git") throw new NotPlain();
  if (parts.some((part) => !part.isDirectory())) throw new NotPlain();
}

let lastPlain: string | undefined;

function isPlainConfig(config: string): boolean {
  const odd = config.replaceAll(/\bbare\s*=\s*false\b|\brepositoryformatversion\s*=\s*[01]\b/g, "");
  return (
    config.split("\n").every((line) => PLAIN_LINE.test(line)) &&
    !/\bbare\b|repositoryformatversion|extensions|worktree|\\\n/.test(odd)
  );
}

function readEntry(commonDir: string, gitDir: string, place: string): Entry {
  const { ref, oid } = readHead(gitDir);
  const lock = join(gitDir, "locked");
  return {
    place,
    ref,
    head: ref === undefined ? knownOid(oid) : readRef(commonDir, ref),
    locked: gitDir !== commonDir && exists(lock) ? readSmall(lock).trim() : undefined,
    bare: false,
  };
}

/** While git creates a worktree, its HEAD is all zeros. */
function knownOid(oid: string | undefined): string | undefined {
  return oid === FORMATS.sha1.zeroOid ? undefined : oid;
}

function readHead(gitDir: string): { readonly ref?: string; readonly oid?: string } {
  const text = readSmall(join(gitDir, "HEAD"));
  const [, ref, oid] = /^(?:ref: (refs\/heads\/[^\s]+)|([0-9a-f]{40}))\n$/.exec(text) ?? [];
  if (ref !== undefined) return { ref };
  if (oid !== undefined) return { oid };
  throw new NotPlain();
}

/** Loose before packed: packing writes the packed one before it removes the loose one. */
function readRef(commonDir: string, ref: string): string | undefined {
  const loose = join(commonDir, ref);
  if (exists(loose)) {
    const [, oid] = /^([0-9a-f]{40})\n$/.exec(readSmall(loose)) ?? [];
    if (oid === undefined) throw new NotPlain();
    return oid;
  }
  const packed = join(commonDir, "packed-refs");
  if (!exists(packed)) return undefined;
  const line = readSmall(packed)
    .split("\n")
    .find((one) => one.endsWith(` ${ref}`));
  return line?.slice(0, 40);
}

/** Git does not trust a repository that belongs to another user. */
function isOwn(place: string): boolean {
  const stats = lstatSync(place);
  return !stats.isSymbolicLink() && stats.uid === process.geteuid?.();
}

function hasGit(env: NodeJS.ProcessEnv): boolean {
  return (env["PATH"] ?? "").split(delimiter).some((directory) => {
    const git = `${directory}/git`;
    try {
      // Checked first, because most directories do not have it, and an exception would cost ten times as much.
      if (directory === "" || !existsSync(git)) return false;
      accessSync(git, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function readSmall(file: string): string {
  const stats = lstatSync(file);
  if (!stats.isFile() || stats.size > BYTES_MAX) throw new NotPlain();
  return readFileSync(file, "utf8");
}

class NotPlain extends Error {}

/** A missing or unreadable file also counts as unusual. */
function orAskGit<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotPlain || errorCode(error) !== undefined) return undefined;
    throw error;
  }
}

/** A section, a setting, a comment or an empty line. Invalid lines are left to git, which names them. */
const PLAIN_LINE = /^\s*(\[[a-z0-9.-]+(\s+"[^"\\]*")?\]\s*|[a-z][a-z0-9-]*\s*(=.*)?|[;#].*)?$/;
const BYTES_MAX = 1024 * 1024;
