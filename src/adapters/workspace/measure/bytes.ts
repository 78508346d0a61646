/** What is at one path: its kind and the digest of its bytes. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  readlinkSync,
  statSync,
} from "node:fs";
import type { Stats } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Yields from time to time so that other work can run. A promise for every file would cost as much as reading it.
 */
export type Steps<T> = Generator<void, T>;

export type Entry =
  | { readonly kind: "entry"; readonly text: string; readonly stamp?: string }
  | { readonly kind: "absent" }
  | { readonly kind: "problem"; readonly why: string };

export interface Reader {
  /** The worktree. A link that leaves it is followed. */
  readonly top: string;
  /** How long a file must have been left alone before its times can be trusted. */
  readonly freshMs: number;
  /** The earlier result, if the file has not been written since. */
  readonly known: (stamp: string) => string | undefined;
}

export function* readEntry(place: string, { top, freshMs, known }: Reader): Steps<Entry> {
  try {
    const stats = lstatSync(place, QUIET);
    if (stats === undefined) return { kind: "absent" };
    if (stats.isSymbolicLink()) return yield* readLink(place, top);
    if (!stats.isFile()) return { kind: "entry", text: `o ${kindOf(stats)}` };
    const stamp = stampOf(stats);
    const before = known(stamp);
    if (before !== undefined) return { kind: "entry", text: before, stamp };
    const began = Date.now();
    const digest = yield* digestFile(place, stats);
    if (typeof digest !== "string") return digest;
    const text = `${(stats.mode & 0o111) === 0 ? "f" : "x"} ${digest}`;
    return began - stats.ctimeMs > freshMs
      ? { kind: "entry", text, stamp }
      : { kind: "entry", text };
  } catch (error) {
    if (isGone(error)) return { kind: "absent" };
    return { kind: "problem", why: `cannot be read (${codeOf(error)})` };
  }
}

/** For a file that was left alone, equal stamps mean equal bytes: no program can set the change time. */
function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`;
}

/**
 * A link counts as its target. If the target is outside the tree, its bytes count too, because nothing else
 * covers them.
 */
function* readLink(place: string, top: string): Steps<Entry> {
  const target = readlinkSync(place);
  const points = sha256(target);
  const at = resolve(dirname(place), target);
  if (at === top || at.startsWith(`${top}/`)) return { kind: "entry", text: `l ${points}` };
  const stats = statSync(place, QUIET);
  if (stats === undefined) return { kind: "entry", text: `l ${points}` };
  if (!stats.isFile())
    return { kind: "problem", why: `is a link to a ${kindOf(stats)} outside of the tree` };
  const digest = yield* digestFile(at, stats);
  return typeof digest === "string" ? { kind: "entry", text: `l ${points} ${digest}` } : digest;
}

/** The opened file must be the one examined before, and must not change until its last byte is read. */
function* digestFile(place: string, before: Stats): Steps<string | Entry> {
  if (before.size > FILE_BYTES_MAX)
    return { kind: "problem", why: `is larger than ${FILE_BYTES_MAX} bytes` };
  const descriptor = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const digest = yield* digestAll(descriptor, before.size);
    if (digest === undefined || stampOf(before) !== stampOf(fstatSync(descriptor)))
      return { kind: "problem", why: "changes while it is read" };
    return digest;
  } finally {
    closeSync(descriptor);
  }
}

function* digestAll(descriptor: number, size: number): Steps<string | undefined> {
  const hash = createHash("sha256");
  for (let total = 0; total <= FILE_BYTES_MAX;) {
    const bytes = readSync(descriptor, buffer, 0, CHUNK_BYTES, null);
    hash.update(buffer.subarray(0, bytes));
    total += bytes;
    if (bytes === 0 || (bytes < CHUNK_BYTES && total === size)) return hash.digest("hex");
    // Ctrl-C must work while a huge file is read.
    if (bytes === CHUNK_BYTES) yield;
  }
  return undefined;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "directory";
  if (stats.isFIFO()) return "pipe";
  return stats.isSocket() ? "socket" : "device";
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}

export function isGone(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(codeOf(error));
}

/**
 * A change within the clock's resolution leaves the same times, and a write through a memory mapping shows up
 * only when the system writes it back, up to half a minute later.
 */
export const FRESH_MS = 40_000;
const QUIET = { throwIfNoEntry: false } as const;
const CHUNK_BYTES = 1024 * 1024;
/** Safe to share: nothing else runs between filling and hashing it. */
const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
const FILE_BYTES_MAX = 1024 * 1024 * 1024;
