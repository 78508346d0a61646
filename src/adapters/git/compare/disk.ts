/**
 * What is on the disk, as git would store it without any filter: kind, mode and hash of the bytes. The user's
 * index (its flags and times), configuration and programs are not consulted.
 */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  type BigIntStats,
} from "node:fs";
import { setImmediate as breathe } from "node:timers/promises";
import { errorCode } from "../../store/durable.ts";
import type { TreeEntry } from "../index/entries.ts";
import type { Repository } from "../place/place.ts";

/** A path, with its bytes if they are not valid UTF-8. */
export interface GitPath {
  readonly path: string;
  readonly raw?: Buffer;
}

/**
 * Undefined if nothing is there. Only `mode` if git could not store it: a folder, a pipe, or a file that cannot
 * be read in full.
 */
export type OnDisk = DiskEntry | { readonly mode: string; readonly oid?: undefined } | undefined;

interface DiskEntry extends TreeEntry {
  /** SHA-256 of the same bytes, if asked for. */
  readonly sha256?: string;
}

/** Everything at these paths, in the same order. */
export async function readDisk(
  repo: Repository,
  paths: readonly GitPath[],
  wants: "oid" | "sha256 too" = "oid",
): Promise<readonly OnDisk[]> {
  const hash = (size: number): Hash => hashOf(repo, size, wants === "sha256 too");
  const folders = new Map<string, boolean>();
  const found: OnDisk[] = [];
  for (const [at, path] of paths.entries()) {
    if (at % BREATH_FILES === BREATH_FILES - 1) await breathe();
    found.push(isBelowFolders(repo, path.path, folders) ? readOne(repo, path, hash) : undefined);
  }
  return found;
}

/** A path that passes through a link is outside this worktree, wherever it leads. */
function isBelowFolders(repo: Repository, path: string, known: Map<string, boolean>): boolean {
  const folder = path.slice(0, Math.max(path.lastIndexOf("/"), 0));
  if (folder === "" || path.includes("\uFFFD")) return true;
  const before = known.get(folder);
  if (before !== undefined) return before;
  const stats = statAt(`${repo.top}/${folder}`);
  const is = stats?.isDirectory() === true && isBelowFolders(repo, folder, known);
  known.set(folder, is);
  return is;
}

function readOne(repo: Repository, { path, raw }: GitPath, hash: (size: number) => Hash): OnDisk {
  const place =
    raw === undefined
      ? `${repo.top}/${path}`
      : Buffer.from([...Buffer.from(`${repo.top}/`), ...raw]);
  const stats = statAt(place);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(place, { encoding: "buffer" });
    const hashed = hash(target.length);
    hashed.update(target);
    return { mode: "120000", ...hashed.digest() };
  }
  if (stats.isDirectory()) return { mode: FOLDER };
  if (!stats.isFile() || stats.size > FILE_BYTES_MAX) return { mode: ODD };
  return hashFile(place, stats, hash) ?? { mode: ODD };
}

interface Hash {
  readonly update: (bytes: Uint8Array) => void;
  readonly digest: () => Omit<DiskEntry, "mode">;
}

function hashOf({ zeroOid }: Repository, size: number, both: boolean): Hash {
  const oid = createHash(zeroOid.length === 64 ? "sha256" : "sha1").update(`blob ${size}\0`);
  const plain = both ? createHash("sha256") : undefined;
  return {
    update: (bytes) => {
      oid.update(bytes);
      plain?.update(bytes);
    },
    digest: () => ({
      oid: oid.digest("hex"),
      ...(plain === undefined ? {} : { sha256: plain.digest("hex") }),
    }),
  };
}

/** Undefined if it changes while being read, or may not be read. */
function hashFile(
  place: string | Buffer,
  stats: BigIntStats,
  hashing: (size: number) => Hash,
): DiskEntry | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(place, OPEN_FLAGS);
    const opened = fstatSync(descriptor, { bigint: true });
    if (!opened.isFile() || opened.ino !== stats.ino) return undefined;
    const size = Number(opened.size);
    const hash = hashing(size);
    const buffer = Buffer.allocUnsafe(Math.min(Math.max(size, 1), CHUNK_BYTES));
    let total = 0;
    for (let bytes = -1; bytes !== 0; total += bytes) {
      bytes = readSync(descriptor, buffer, 0, buffer.length, null);
      hash.update(buffer.subarray(0, bytes));
      if (total + bytes > size) return undefined;
    }
    if (total !== size) return undefined;
    return { mode: (opened.mode & 0o100n) === 0n ? "100644" : "100755", ...hash.digest() };
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The bytes of a regular file of normal size; undefined for anything else. */
export function bytesAt(repo: Repository, path: string): Buffer | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(`${repo.top}/${path}`, OPEN_FLAGS);
    const stats = fstatSync(descriptor);
    if (!stats.isFile() || stats.size > BYTES_MAX) return undefined;
    const bytes = Buffer.alloc(stats.size);
    const read = readSync(descriptor, bytes, 0, bytes.length, 0);
    return read === bytes.length ? bytes : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The id that git would give to a blob with these bytes. */
export function oidOf(repo: Repository, bytes: Uint8Array): string {
  const hash = hashOf(repo, bytes.length, false);
  hash.update(bytes);
  return hash.digest().oid;
}

function statAt(place: string | Buffer): BigIntStats | undefined {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false });
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

export const FOLDER = "040000";
/** Not a mode that git has. */
export const ODD = "odd";
const OPEN_FLAGS =
  constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;
const BREATH_FILES = 256;
const CHUNK_BYTES = 256 * 1024;
const FILE_BYTES_MAX = 1024n * 1024n * 1024n;
const BYTES_MAX = 64 * 1024 * 1024;
