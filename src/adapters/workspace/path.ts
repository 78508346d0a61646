/**
 * Turns names into paths inside a worktree; the only code that does. It uses synchronous calls: through the
 * thread pool each would take ten times as long, and one step makes hundreds.
 */
import { lstatSync, realpathSync } from "node:fs";
import type { Stats } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { errorCode } from "../store/durable.ts";
import { FileRefused, isLink, leadsOutside, notAFile, outside, tooLong } from "./file-problem.ts";

/** The absolute path; parents may be missing. Throws `FileRefused`. */
export function locatePath(root: string, path: string): string {
  checkName(path);
  const wanted = join(root, path);
  // Checked before its parents: a report can name a path of millions of folders.
  if (Buffer.byteLength(wanted) > PATH_BYTES_MAX) throw new FileRefused(tooLong(path));
  let parent = dirname(wanted);
  const missing: string[] = [basename(wanted)];
  while (parent.length > root.length) {
    const real = realpathIfThere(parent);
    if (real !== undefined) {
      // A link that stays inside is allowed, and from here on its target counts.
      if (!isWithin(root, real)) throw new FileRefused(leadsOutside(path));
      return join(real, ...missing);
    }
    missing.unshift(basename(parent));
    parent = dirname(parent);
  }
  return wanted;
}

/** The file at a place, if it is a regular one; undefined if there is nothing. */
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
    // A dangling link is not a missing directory: creating a file through it could lead anywhere.
    if (lstatIfThere(place)?.isSymbolicLink() === true) {
      throw new FileRefused(isLink(place));
    }
    return undefined;
  }
}

function isWithin(root: string, place: string): boolean {
  return place === root || place.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** The limit of Linux. */
const PATH_BYTES_MAX = 4095;
/** None of our texts is larger, so larger files are not read. */
export const TEXT_BYTES_MAX: number = 4 * 1024 * 1024;
/** Larger files are not kept, set aside or restored. */
export const KEPT_BYTES_MAX: number = 64 * 1024 * 1024;
