/** The content-addressed store: `<dir>/<aa>/<sha256>`, never changed, never deleted. */
import { createHash } from "node:crypto";
import { readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { BlobRead, Blobs } from "../../ports/blobs.ts";
import { errorCode, makeDirectory, syncDirectory, writeSynced } from "./durable.ts";
import { randomIds } from "../process/ids.ts";

export function createBlobs(dir: string): Blobs {
  return {
    put: (content) => putBlob(dir, content),
    get: (hex) => getBlob(dir, hex),
  };
}

async function putBlob(dir: string, content: string | Uint8Array): Promise<string> {
  const bytes = typeof content === "string" ? Buffer.from(content, "utf8") : content;
  const hex = sha256(bytes);
  const shelf = shelfOf(dir, hex);
  await makeDirectory(shelf);
  // A damaged one is written again: the caller holds the right bytes, and may be the last who does.
  if ((await getBlob(dir, hex)).kind !== "found") await writeBlob(shelf, hex, bytes);
  // Also when somebody else wrote it: he may die before his own sync, and we promise durability.
  await syncDirectory(shelf);
  return hex;
}

async function writeBlob(shelf: string, hex: string, bytes: Uint8Array): Promise<void> {
  const tmp = join(shelf, `${hex}.${randomIds.next()}.tmp`);
  try {
    await writeSynced(tmp, bytes, 0o444);
    await rename(tmp, join(shelf, hex));
  } catch (error) {
    await rm(tmp, { force: true });
    throw error;
  }
}

async function getBlob(dir: string, hex: string): Promise<BlobRead> {
  // A name comes from a record, and a record from a file anybody can edit: `../x` is not a digest.
  if (!/^[0-9a-f]{64}$/.test(hex)) return { kind: "absent" };
  const file = join(shelfOf(dir, hex), hex);
  try {
    const bytes = await readFile(file);
    if (sha256(bytes) === hex) return { kind: "found", bytes };
    return { kind: "damaged", message: `${file} no longer has the content it is named after.` };
  } catch (error) {
    if (errorCode(error) === "ENOENT") return { kind: "absent" };
    throw error;
  }
}

function shelfOf(dir: string, hex: string): string {
  return join(dir, hex.slice(0, 2));
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
