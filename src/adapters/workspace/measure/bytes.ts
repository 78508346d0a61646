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
import { setImmediate as breathe } from "node:timers/promises";

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

export async function readEntry(place: string, reader: Reader): Promise<Entry> {
  const { top, freshMs, known } = reader;
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return { kind: "absent" };
    if (stats.isSymbolicLink()) return await readLink(place, top);
    if (!stats.isFile()) return { kind: "entry", text: `o ${kindOf(stats)}` };
    const stamp = stampOf(stats);
    const before = known(stamp);
    if (before !== undefined) return { kind: "entry", text: before, stamp };
    const began = Date.now();
    const digest = await digestFile(place);
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
async function readLink(place: string, top: string): Promise<Entry> {
  const target = readlinkSync(place);
  const points = sha256(target);
  const at = resolve(dirname(place), target);
  if (at === top || at.startsWith(`${top}/`)) return { kind: "entry", text: `l ${points}` };
  const stats = statSync(place, { throwIfNoEntry: false });
  if (stats === undefined) return { kind: "entry", text: `l ${points}` };
  if (!stats.isFile())
    return { kind: "problem", why: `is a link to a ${kindOf(stats)} outside of the tree` };
  const digest = await digestFile(at);
  return typeof digest === "string" ? { kind: "entry", text: `l ${points} ${digest}` } : digest;
}

async function digestFile(place: string): Promise<string | Entry> {
  const descriptor = openSync(place, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const before = fstatSync(descriptor);
    if (!before.isFile()) return { kind: "problem", why: "changes while it is read" };
    if (before.size > FILE_BYTES_MAX)
      return { kind: "problem", why: `is larger than ${FILE_BYTES_MAX} bytes` };
    const digest = await digestAll(descriptor, before.size);
    const after = fstatSync(descriptor);
    if (digest === undefined || stampOf(before) !== stampOf(after))
      return { kind: "problem", why: "changes while it is read" };
    return digest;
  } finally {
    closeSync(descriptor);
  }
}

async function digestAll(descriptor: number, size: number): Promise<string | undefined> {
  const hash = createHash("sha256");
  const buffer = Buffer.allocUnsafe(Math.min(size + 1, CHUNK_BYTES));
  let total = 0;
  for (;;) {
    const bytes = readSync(descriptor, buffer, 0, buffer.length, null);
    if (bytes === 0) return hash.digest("hex");
    hash.update(buffer.subarray(0, bytes));
    total += bytes;
    if (total > FILE_BYTES_MAX) return undefined;
    // Ctrl-C is heard also while a huge file is read.
    if (bytes === CHUNK_BYTES) await breathe();
  }
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
const CHUNK_BYTES = 1024 * 1024;
const FILE_BYTES_MAX = 1024 * 1024 * 1024;
