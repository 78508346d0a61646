/**
 * Files that are still there after a power loss: written beside, synced, then given their name. All calls
 * are synchronous: for small files the way through the thread pool costs more than the call itself.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { randomIds } from "../process/ids.ts";

/** A new file with exactly these bytes, on the platter when it answers. Fails if there is one. */
export function writeSynced(file: string, bytes: Uint8Array | string, mode: number): void {
  const descriptor = openSync(file, NEW_FILE, mode);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Nothing we keep is larger; what is, such as a file that is one hole, was not written by us. */
export const OWN_BYTES_MAX: number = 256 * 1024 * 1024;

export type OwnRead =
  | { readonly kind: "found"; readonly bytes: Buffer }
  | { readonly kind: "absent" }
  | { readonly kind: "odd"; readonly why: string };

/**
 * The bytes of a file of our own. Whoever can write here may have put something else in its place: a pipe is not
 * waited for, a link not followed, and a file of any size not read into memory.
 */
export function readRegular(file: string): OwnRead {
  try {
    const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
    const descriptor = openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) return { kind: "odd", why: "it is not a regular file" };
      if (stats.size > OWN_BYTES_MAX) return { kind: "odd", why: `it has ${stats.size} bytes` };
      return { kind: "found", bytes: readFileSync(descriptor) };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return { kind: "absent" };
    if (code === "ELOOP") return { kind: "odd", why: "it is a symbolic link" };
    // A socket or a device without a driver cannot even be opened.
    if (code === "ENXIO") return { kind: "odd", why: "it is not a regular file" };
    throw error;
  }
}

/** The text of a small file of our own; none if there is no such file, or none that can be read. */
export function readOwn(file: string): string {
  try {
    const read = readRegular(file);
    return read.kind === "found" ? read.bytes.toString("utf8") : "";
  } catch {
    return "";
  }
}

/** Replace a small file of our own as a whole. Not synced: for what may be lost with the power. */
export function replaceOwn(file: string, text: string, beforeRename?: () => void): void {
  // A name of its own: two commands of one process may replace the same file.
  const temporary = `${file}.${randomIds.next()}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    beforeRename?.();
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** Without this a rename or link may be gone after a power loss, although the file is not. */
export function syncDirectory(directory: string): void {
  // Windows has no sync of directories and refuses to open one.
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Create a directory with its parents; the new names are synced too. */
export function makeDirectory(directory: string): void {
  const first = mkdirSync(directory, { recursive: true });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) {
    syncDirectory(dirname(made));
  }
}

export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
