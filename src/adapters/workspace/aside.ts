/**
 * Files taken aside while a view is replaced:
 *
 *   .holdpoint/aside/<id>.<sha256 of what was expected>/<path of the view>
 *   .holdpoint/aside/<id>.<sha256>.done/<path>      after the install
 *
 * The name alone says what a crash left: an open one whose view is missing goes back to its place.
 * A text that is not the expected one is somebody's edit, and is only removed by `forgetAside`.
 */
import { createHash } from "node:crypto";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { LeftAside } from "../../ports/workspace.ts";
import { errorCode, makeDirectory, syncDirectory } from "../store/durable.ts";
import { FileRefused, outside } from "./file-problem.ts";
import { randomIds } from "../process/ids.ts";
import { listPrivate, PRIVATE, privateDirectory } from "./private.ts";
import { isAbsence, KEPT_BYTES_MAX, locatePath, lstatIfThere } from "./path.ts";

export interface Aside {
  readonly directory: string;
  readonly file: string;
  readonly path: string;
  readonly digest: string;
  readonly done: boolean;
}

/** A place for one file that is taken aside. Its directories are created before the view is touched. */
export function openAside(root: string, path: string, digest: string): Aside {
  const shelf = privateDirectory(root, "aside");
  const directory = join(shelf, `${randomIds.next()}.${digest}`);
  const file = join(directory, path);
  // Not synced: after a power loss, the view is either still in its place or rebuilt from the journal.
  mkdirSync(dirname(file), { recursive: true });
  return { directory, file, path, digest, done: false };
}

/** The view has its new text. From now on, the file that was set aside is never put back. */
export function closeAside(aside: Aside): void {
  if (lstatIfThere(aside.file) === undefined) return removeAside(aside);
  try {
    renameSync(aside.directory, `${aside.directory}${DONE}`);
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

/** Puts the file back under its name, unless an editor has written a newer one there. */
export function putBack(aside: Aside, place: string): "back" | "taken" | "gone" {
  try {
    makeDirectory(dirname(place));
    linkOrMove(aside.file, place);
  } catch (error) {
    if (errorCode(error) === "EEXIST") {
      closeAside(aside);
      return "taken";
    }
    // Another process has already restored it.
    if (errorCode(error) === "ENOENT") return "gone";
    throw error;
  }
  syncDirectory(dirname(place));
  removeAside(aside);
  return "back";
}

/**
 * Digest of a file; undefined if it is gone. A pipe or link in its place has none and is not read, because
 * reading a pipe would block forever.
 */
export function digestTaken(file: string): string | undefined {
  try {
    const stats = lstatSync(file);
    // None of our files is that large, and reading gigabytes would delay every command.
    if (!stats.isFile() || stats.size > KEPT_BYTES_MAX) return "";
    return createHash("sha256").update(readFileSync(file)).digest("hex");
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Restores what a crash left aside, names what was edited, and removes what nobody can still be writing to. */
export function recoverAsides(root: string): readonly LeftAside[] {
  const left: LeftAside[] = [];
  const patience = { bytes: READ_BYTES_MAX };
  for (const aside of listAsides(root, isSettled)) {
    try {
      const found = recoverAside(root, aside, patience);
      if (found !== undefined) left.push(found);
    } catch (error) {
      // A planted entry, such as one for `.git/hooks/x`, must neither be restored nor stop every command.
      if (!(error instanceof FileRefused)) throw error;
    }
  }
  sweep(root);
  return left;
}

/**
 * Whether a missing view may only be between its two texts. "quiet": nobody has taken anything for a while.
 * "taken": a file of that path is held aside now. "free": this one is not.
 */
export function lookAside(root: string, path: string): "quiet" | "taken" | "free" {
  const shelf = join(root, PRIVATE, "aside");
  // The directory's time changes with every take, restore and install.
  const busy = lstatIfThere(shelf) !== undefined && !isOlder(shelf, BUSY_MS_MAX);
  if (!busy) return "quiet";
  for (const name of listPrivate(root, "aside")) {
    const [, digest, done] = ASIDE_NAME.exec(name) ?? [];
    if (digest === undefined || done === DONE) continue;
    if (lstatIfThere(join(shelf, name, path)) !== undefined) return "taken";
  }
  return "free";
}

export function forgetAside(root: string, aside: string): void {
  const [holder, shelf, name = "", ...path] = aside.split("/");
  if (holder !== PRIVATE || shelf !== "aside" || !ASIDE_NAME.test(name) || path.length === 0)
    throw new FileRefused(outside(aside));
  const known = listAsides(root).find((one) => nameOf(root, one) === aside);
  // If two processes keep the same edit, the second finds it gone, which is fine.
  if (known !== undefined) removeAside(known);
}

/** Anything one command cannot finish waits for the next. Only restoring must not wait. */
function recoverAside(
  root: string,
  aside: Aside,
  patience: { bytes: number },
): LeftAside | undefined {
  const { path } = aside;
  if (!aside.done) {
    const place = locatePath(root, path);
    // If an install is still at work, its own link will fail, and it will look again.
    const missing = lstatIfThere(place) === undefined;
    if (missing && putBack(aside, place) === "back") return { kind: "restored", path };
  }
  if (patience.bytes <= 0) return undefined;
  const size = lstatIfThere(aside.file)?.size ?? 0;
  if (size <= KEPT_BYTES_MAX) patience.bytes -= size;
  const digest = digestTaken(aside.file);
  // An editor that opened the file before it was taken gets time to finish writing.
  if (digest === undefined || !isOlder(aside.file, SETTLE_MS_MIN)) return undefined;
  if (digest !== aside.digest) return { kind: "edited", path, aside: nameOf(root, aside) };
  removeAside(aside);
  return undefined;
}

/** Removes what a kill left before anything was taken: new texts without a name, and empty directories. */
function sweep(root: string): void {
  for (const name of listPrivate(root, "tmp")) {
    const file = join(root, PRIVATE, "tmp", name);
    if (isOlder(file, LEFTOVER_MS_MIN)) removeIfPossible(file);
  }
  for (const name of listPrivate(root, "aside")) {
    const directory = join(root, PRIVATE, "aside", name);
    if (!ASIDE_NAME.test(name) || !isOlder(directory, LEFTOVER_MS_MIN)) continue;
    if (onlyFile(directory) === undefined) removeIfPossible(directory);
  }
}

/** A leftover that cannot be removed must not stop everything. */
function removeIfPossible(place: string): void {
  try {
    rmSync(place, { recursive: true, force: true });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** Neither renamed nor written for a while; ctime shows both. */
function isOlder(place: string, ms: number): boolean {
  const stats = lstatIfThere(place);
  return stats !== undefined && Math.abs(Date.now() - stats.ctimeMs) >= ms;
}

/**
 * Skips an install that has just ended: an editor may still be writing, and a busy process would otherwise check
 * all entries of the last second with every step.
 */
function isSettled(directory: string): boolean {
  return !directory.endsWith(DONE) || isOlder(directory, SETTLE_MS_MIN);
}

function listAsides(root: string, which = (_directory: string): boolean => true): readonly Aside[] {
  const asides: Aside[] = [];
  for (const name of listPrivate(root, "aside")) {
    const [, digest, done] = ASIDE_NAME.exec(name) ?? [];
    if (digest === undefined) continue;
    const directory = join(root, PRIVATE, "aside", name);
    const path = which(directory) ? onlyFile(directory) : undefined;
    if (path !== undefined) {
      asides.push({ directory, file: join(directory, path), path, digest, done: done === DONE });
    }
  }
  return asides;
}

/** The path of the only file below a directory; undefined if none was taken. */
function onlyFile(directory: string): string | undefined {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    const [entry] = entries;
    if (entry === undefined || !entry.isDirectory()) return entry?.name;
    const below = onlyFile(join(directory, entry.name));
    return below === undefined ? undefined : `${entry.name}/${below}`;
  } catch (error) {
    // Endlessly nested folders are not anybody's text.
    if (isAbsence(error) || errorCode(error) === "ENAMETOOLONG") return undefined;
    throw error;
  }
}

/** FAT and some network file systems have no hard links; there, the move has a small window. */
function linkOrMove(file: string, place: string): void {
  try {
    linkSync(file, place);
    unlinkSync(file);
  } catch (error) {
    const noLinks = ["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "");
    if (!noLinks || lstatIfThere(place) !== undefined) throw error;
    renameSync(file, place);
  }
}

function removeAside(aside: Aside): void {
  rmSync(aside.directory, { recursive: true, force: true });
}

function nameOf(root: string, aside: Aside): string {
  return join(PRIVATE, aside.file.slice(join(root, PRIVATE).length + 1));
}

const READ_BYTES_MAX = 64 * 1024 * 1024;
const ASIDE_NAME = /^[0-9a-z]+\.([0-9a-f]{64})(\.done)?$/;
const DONE = ".done";
const SETTLE_MS_MIN = 1_000;
const BUSY_MS_MAX = 2_000;
const LEFTOVER_MS_MIN = 24 * 60 * 60 * 1_000;
