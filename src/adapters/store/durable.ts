/**
 * Writes files that survive a power loss: written under a temporary name, synced, then renamed. All calls are
 * synchronous, because for small files the thread pool costs more than the call itself.
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

/** Writes a new file with exactly these bytes, durable on return. Fails if it exists. */
export function writeSynced(file: string, bytes: Uint8Array | string, mode: number): void {
  const descriptor = openSync(file, NEW_FILE, mode);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Nothing we store is larger. A larger file, such as a sparse one, was not written by us. */
export const OWN_BYTES_MAX: number = 256 * 1024 * 1024;

export type OwnRead =
  | { readonly kind: "found"; readonly bytes: Buffer }
  | { readonly kind: "absent" }
  | { readonly kind: "odd"; readonly why: string };

/**
 * Reads a file of ours. Anybody who can write here may have replaced it, so pipes are not waited for, links not
 * followed, and huge files not read.
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

/** The text of a small file of ours; empty if it is missing or unreadable. */
export function readOwn(file: string): string {
  try {
    const read = readRegular(file);
    return read.kind === "found" ? read.bytes.toString("utf8") : "";
  } catch {
    return "";
  }
}

/** Replaces a small file of ours as a whole. Not synced, so only for what may be lost in a power failure. */
export function replaceOwn(file: string, text: string, beforeRename?: () => void): void {
  // A unique name, because two commands of one process may replace the same file.
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

/**
 * Appends to a small file of ours and answers its size. Not synced. Like `readRegular`, it neither waits for a pipe
 * nor follows a link that somebody put there; it throws.
 */
export function appendOwn(file: string, text: string): number {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;
  const how = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW;
  const descriptor = openSync(file, how, 0o600);
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error(`${file} is not a regular file`);
    writeFileSync(descriptor, text);
    return fstatSync(descriptor).size;
  } finally {
    closeSync(descriptor);
  }
}

/** Without this, a rename or link may be lost in a power failure although the file itself is not. */
export function syncDirectory(directory: string): void {
  // Windows cannot sync directories and refuses to open one.
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a directory with its parents, and syncs the new entries. */
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
