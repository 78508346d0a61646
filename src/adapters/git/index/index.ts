/** Step I of a savepoint: updates the user's own index, without touching what is staged there. */
import {
  linkSync,
  lstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { randomIds } from "../../process/ids.ts";
import { errorCode } from "../../store/durable.ts";
import {
  compareIndex,
  sameEntry,
  stampOf,
  writeEntries,
  type EntryChanges,
  type TreeEntry,
} from "./entries.ts";
import { encodeIndex, putEntries, readIndex, withoutTreesOf } from "./index-file.ts";
import type { Repository } from "../place/place.ts";
import { indexLocked, type Refusal } from "../refusal.ts";
import { GitFailure } from "../run/run.ts";

export interface IndexUpdate {
  readonly refusal?: Refusal;
  readonly warnings: readonly string[];
}

export interface Staging {
  readonly tip: string;
  readonly changes: EntryChanges;
  /**
   * Blobs that an earlier attempt at the same savepoint may have left in the index. They do not count as staged
   * by the user.
   */
  readonly staged: Set<string | null>;
  /** No hook needs to be told, so git need not be started. */
  readonly isUnheard: boolean;
}

export async function updateIndex(repo: Repository, staging: Staging): Promise<IndexUpdate> {
  repo.onStep("git.index");
  for (let waitedMs = 0; ; waitedMs += LOCK_PAUSE_MS) {
    try {
      return await updateOnce(repo, staging);
    } catch (error) {
      if (!isLocked(error)) throw error;
      const refusal = indexLocked(join(repo.gitDir, "index.lock"));
      if (waitedMs >= LOCK_MS_MAX) return { refusal, warnings: [] };
      await pause(LOCK_PAUSE_MS * (0.5 + Math.random()));
    }
  }
}

/** Read again on every attempt: whoever held the lock may have staged one of our files. */
async function updateOnce(
  repo: Repository,
  { tip, changes, staged, isUnheard }: Staging,
): Promise<IndexUpdate> {
  const differing = await compareIndex(repo, tip);
  const warnings: string[] = [];
  const wanted = [...changes].filter(([path, { before, after }]) => {
    const entry = differing.get(path);
    if (entry === undefined || sameEntry(entry.after, before)) return true;
    // An entry that is already right needs no second update, above all no hook that delayed the first one.
    if (sameEntry(entry.after, after)) return false;
    if (entry.after !== undefined && staged.has(entry.after.oid)) return true;
    warnings.push(`${path} has changes you staged yourself; they stay staged as they are.`);
    return false;
  });
  const entries = wanted.map(([path, { after }]) => [path, after] as const);
  for (const [, after] of entries) if (after !== undefined) staged.add(after.oid);
  if (entries.length === 0 || (isUnheard && writeHere(repo, entries))) return { warnings };
  await writeEntries(repo, entries, {});
  return { warnings };
}

/**
 * Replaces the index as git does, under its lock. Everything is prepared first, because a process that dies while
 * holding the lock blocks everybody. False if the index is unusual and git must do it.
 */
function writeHere(
  { gitDir, tmpDir }: Repository,
  entries: readonly (readonly [string, TreeEntry | undefined])[],
): boolean {
  const file = join(gitDir, "index");
  const stamp = stampOf(file);
  const before = readIndex(file);
  // If it is a link, git writes through it, so this is left to git.
  if (before === undefined || lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true)
    return false;
  const paths = entries.map(([path]) => path);
  const trees = withoutTreesOf(before.trees, paths);
  const after = putEntries(before.entries, new Map(entries));
  const ready = join(tmpDir, `${READY}${process.pid}-${randomIds.next()}`);
  writeFileSync(ready, encodeIndex({ ...before, trees, entries: after }));
  try {
    return installIndex({ file, lock: `${file}.lock`, ready }, () => stampOf(file) === stamp);
  } finally {
    rmSync(ready, { force: true });
  }
}

function installIndex(
  { file, lock, ready }: { readonly file: string; readonly lock: string; readonly ready: string },
  isStill: () => boolean,
): boolean {
  try {
    linkSync(ready, lock);
  } catch (error) {
    // EXDEV and the like: let git try. EEXIST: another process holds the lock, which the caller handles.
    if (errorCode(error) !== "EEXIST") return false;
    removeOrphan(lock, dirname(ready));
    throw error;
  }
  try {
    // Somebody has written the index since, and may have staged something.
    const is = isStill();
    if (is) renameSync(lock, file);
    else rmSync(lock);
    return is;
  } catch (error) {
    rmSync(lock, { force: true });
    throw error;
  }
}

/** Removes a lock left by one of our processes that died. Such a lock is a link to a file that we prepared. */
function removeOrphan(lock: string, tmpDir: string): void {
  const ino = statSync(lock, { throwIfNoEntry: false })?.ino;
  for (const name of readdirSync(tmpDir).filter((one) => one.startsWith(READY))) {
    const place = join(tmpDir, name);
    const isDead = !isAlive(Number(name.slice(READY.length).split("-")[0]));
    if (isDead && statSync(place, { throwIfNoEntry: false })?.ino === ino) rmSync(lock);
    if (isDead) rmSync(place, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}

function isLocked(error: unknown): boolean {
  if (errorCode(error) === "EEXIST") return true;
  return error instanceof GitFailure && /index\.lock.*File exists/.test(error.answer.stderr);
}

const READY = "lock-";
const LOCK_MS_MAX = 2_000;
const LOCK_PAUSE_MS = 50;
