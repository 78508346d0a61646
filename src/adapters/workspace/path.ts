/**
 * Paths inside a worktree: the only way from a name to a place on the disk. These small questions are put
 * to the kernel directly: by way of the thread pool each costs ten times as much, and a step asks hundreds.
 */
import { lstatSync, realpathSync } from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { errorCode } from "../store/durable.ts";
import { FileRefused, isLink, leadsOutside, notAFile, outside, tooLong } from "./file-problem.ts";

/** The absolute place of a path; parents may be missing. Throws `FileRefused`. */
export function locatePath(root: string, path: string): string {
  checkName(path);
  const wanted = join(root, path);
  // Before its parents are walked: a report can name a path of millions of folders.
  if (Buffer.byteLength(wanted) > PATH_BYTES_MAX) throw new FileRefused(tooLong(path));
  let parent = dirname(wanted);
  const missing: string[] = [basename(wanted)];
  while (parent.length > root.length) {
    const real = realpathIfThere(parent);
    if (real !== undefined) {
      // A link that stays inside is fine; where it really leads is what counts from here on.
      if (!isWithin(root, real)) throw new FileRefused(leadsOutside(path));
      return join(real, ...missing);
    }
    missing.unshift(basename(parent));
    parent = dirname(parent);
  }
  return wanted;
}

/** What stands at a place, if it is a regular file; undefined when nothing does. */
export function statFile(place: string, path: string): Stats | undefined {
  const stats = lstatIfThere(place);
  if (stats === undefined || stats.isFile()) return stats;
  if (stats.isSymbolicLink()) throw new FileRefused(isLink(path));
  throw new FileRefused(notAFile(path, kindOf(stats)));
}

export function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a pipe";
  return stats.isSocket() ? "a socket" : "a device";
}

export function lstatIfThere(place: string): Stats | undefined {
  try {
    return lstatSync(place, { throwIfNoEntry: false });
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

export function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "");
}

function checkName(path: string): void {
  if (path.length > PATH_BYTES_MAX) throw new FileRefused(tooLong(path));
  const parts = path.split("/");
  const wrong = parts.some((part) => ["", ".", "..", ".git"].includes(part.toLowerCase()));
  if (wrong || path.includes("\0")) throw new FileRefused(outside(path));
}

function realpathIfThere(place: string): string | undefined {
  try {
    return realpathSync.native(place);
  } catch (error) {
    if (!isAbsence(error)) throw error;
    // A dangling link is not a missing directory: creating through it would lead anywhere.
    if (lstatIfThere(place)?.isSymbolicLink() === true) {
      throw new FileRefused(isLink(place));
    }
    return undefined;
  }
}

function isWithin(root: string, place: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** What Linux takes. */
const PATH_BYTES_MAX = 4095;
/** No text of ours is larger; whatever is, is not read. */
export const TEXT_BYTES_MAX: number = 4 * 1024 * 1024;
/** No file is kept, put aside or put back that is larger. */
export const KEPT_BYTES_MAX: number = 64 * 1024 * 1024;
