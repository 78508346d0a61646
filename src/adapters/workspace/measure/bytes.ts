/** What stands at one path: its kind and the digest of its bytes. */
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

/** Yields where it is time that others have their turn; a promise for every file would cost as much as reading it. */
export type Steps<T> = Generator<void, T>;

export type Entry =
  | { readonly kind: "entry"; readonly text: string; readonly stamp?: string }
  | { readonly kind: "absent" }
  | { readonly kind: "problem"; readonly why: string };

export interface Reader {
  /** The worktree: a link that leaves it is read through. */
  readonly top: string;
  /** How long a file must have been left alone before its times tell that it still is. */
  readonly freshMs: number;
  /** What was read before, if the file has not been written since. */
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

/** Two equal stamps of a file that was left alone mean equal bytes: no program can set a file's change time. */
function stampOf({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino} ${size} ${mode} ${mtimeMs} ${ctimeMs}`;
}

/** A link is what it points to. Behind one that leaves the tree the bytes count, because nothing else shows them. */
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

/** What was opened must be what was looked at before, and must still be so after its last byte. */
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
    // Ctrl-C is heard also while a huge file is read.
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
 * A change within the clock's own step leaves the times as they were, and what is written through a mapping of the file
 * shows in them only when the system writes it back, half a minute later.
 */
export const FRESH_MS = 40_000;
const QUIET = { throwIfNoEntry: false } as const;
const CHUNK_BYTES = 1024 * 1024;
/** Nobody else has a turn between filling it and hashing it. */
const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
const FILE_BYTES_MAX = 1024 * 1024 * 1024;
