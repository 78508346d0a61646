/** Content-addressed storage: `<dir>/<aa>/<sha256>`. Files are never changed or deleted. */
import { createHash } from "node:crypto";
import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { BlobRead, Blobs } from "../../ports/blobs.ts";
import {
  OWN_BYTES_MAX,
  makeDirectory,
  readRegular,
  syncDirectory,
  writeSynced,
} from "./durable.ts";
import { randomIds } from "../process/ids.ts";

/** Blobs put at the same time are written together, so that their directories are synced once. */
export function createBlobs(dir: string): Blobs {
  let waiting: (Blob & { readonly settle: (error?: unknown) => void })[] = [];
  const flush = (): void => {
    const now = waiting;
    waiting = [];
    try {
      keepAll(dir, now);
      for (const { settle } of now) settle();
    } catch (error) {
      for (const { settle } of now) settle(error);
    }
  };
  return {
    put: (content) =>
      new Promise((resolve, reject) => {
        const blob = blobOf(dir, content);
        // By then every caller that was ready has added its blob.
        if (waiting.length === 0) process.nextTick(flush);
        const settle = (error?: unknown): void =>
          error === undefined ? resolve(blob.hex) : reject(error);
        waiting.push({ ...blob, settle });
      }),
    get: async (hex) => getBlob(dir, hex),
  };
}

/** Durable when it returns. */
export function putBlob(dir: string, content: string | Uint8Array): string {
  const blob = blobOf(dir, content);
  keepAll(dir, [blob]);
  return blob.hex;
}

interface Blob {
  readonly hex: string;
  readonly shelf: string;
  readonly bytes: Uint8Array;
}

function blobOf(dir: string, content: string | Uint8Array): Blob {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  if (bytes.length > OWN_BYTES_MAX)
    throw new RangeError(
      `cannot keep ${bytes.length} bytes in one blob: the limit is ${OWN_BYTES_MAX}`,
    );
  const hex = sha256(bytes);
  return { hex, shelf: shelfOf(dir, hex), bytes };
}

function keepAll(dir: string, blobs: readonly Blob[]): void {
  const shelves = new Set(blobs.map((one) => one.shelf));
  makeDirectory(dir);
  const made = [...shelves].map((shelf) => mkdirSync(shelf, { recursive: true }));
  for (const shelf of shelves) closeSync(openSync(shelf, REAL_DIRECTORY));
  if (made.some((first) => first !== undefined)) syncDirectory(dir);
  // A damaged blob is written again: the caller has the right bytes, and may be the last to have them.
  const missing = new Map(blobs.map((one) => [one.hex, one]));
  for (const hex of missing.keys()) if (getBlob(dir, hex).kind === "found") missing.delete(hex);
  writeBlobs([...missing.values()]);
  // Even if another process wrote it: that process may die before its own sync.
  for (const shelf of shelves) syncDirectory(shelf);
}

function writeBlobs(blobs: readonly Blob[]): void {
  const beside = blobs.map(({ hex, shelf, bytes }) => {
    const file = join(shelf, hex);
    return { file, bytes, tmp: `${file}.${randomIds.next()}.tmp` };
  });
  try {
    for (const { tmp, bytes } of beside) writeSynced(tmp, bytes, 0o444);
    for (const { tmp, file } of beside) renameSync(tmp, file);
  } catch (error) {
    for (const { tmp } of beside) rmSync(tmp, { force: true });
    throw error;
  }
}

export function getBlob(dir: string, hex: string): BlobRead {
  // A name comes from a record, and so from a file that anybody can edit. `../x` is not a digest.
  if (!/^[0-9a-f]{64}$/.test(hex)) return { kind: "absent" };
  const shelf = shelfOf(dir, hex);
  const file = join(shelf, hex);
  const read = isLink(shelf) ? ODD_SHELF : readRegular(file);
  if (read.kind === "absent") return read;
  if (read.kind === "odd")
    return { kind: "damaged", message: `${file} cannot be read: ${read.why}.` };
  if (sha256(read.bytes) === hex) return read;
  return { kind: "damaged", message: `${file} no longer has the content it is named after.` };
}

/** Following a link would read or write files that belong to somebody else. */
function isLink(shelf: string): boolean {
  return lstatSync(shelf, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

// With these flags, opening a link fails with the system's own message.
const REAL_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

const ODD_SHELF = { kind: "odd", why: "its directory is a symbolic link" } as const;

function shelfOf(dir: string, hex: string): string {
  return join(dir, hex.slice(0, 2));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
