/** The content-addressed store: `<dir>/<aa>/<sha256>`, never changed, never deleted. */
import { createHash } from "node:crypto";
import { closeSync, constants, lstatSync, openSync, renameSync, rmSync } from "node:fs";
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

export function createBlobs(dir: string): Blobs {
  return {
    put: async (content) => putBlob(dir, content),
    get: async (hex) => getBlob(dir, hex),
  };
}

/** Durable when it answers. */
export function putBlob(dir: string, content: string | Uint8Array): string {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  const hex = sha256(bytes);
  const shelf = shelfOf(dir, hex);
  if (bytes.length > OWN_BYTES_MAX)
    throw new RangeError(
      `cannot keep ${bytes.length} bytes in one blob: the limit is ${OWN_BYTES_MAX}`,
    );
  makeDirectory(shelf);
  closeSync(openSync(shelf, REAL_DIRECTORY));
  // A damaged one is written again: the caller holds the right bytes, and may be the last who does.
  if (getBlob(dir, hex).kind !== "found") writeBlob(shelf, hex, bytes);
  // Also when somebody else wrote it: he may die before his own sync, and we promise durability.
  syncDirectory(shelf);
  return hex;
}

function writeBlob(shelf: string, hex: string, bytes: Uint8Array): void {
  const tmp = join(shelf, `${hex}.${randomIds.next()}.tmp`);
  try {
    writeSynced(tmp, bytes, 0o444);
    renameSync(tmp, join(shelf, hex));
  } catch (error) {
    rmSync(tmp, { force: true });
    throw error;
  }
}

export function getBlob(dir: string, hex: string): BlobRead {
  // A name comes from a record, and a record from a file anybody can edit: `../x` is not a digest.
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

/** Followed, it would read, or keep, what belongs to somebody else. */
function isLink(shelf: string): boolean {
  return lstatSync(shelf, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

// Opening a link so fails, with what the system says of it.
const REAL_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

const ODD_SHELF = { kind: "odd", why: "its directory is a symbolic link" } as const;

function shelfOf(dir: string, hex: string): string {
  return join(dir, hex.slice(0, 2));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
