/**
 * Git's index file: `DIRC`, version, count; entries of 62 bytes and a path; extensions; a checksum. It is read
 * and written here, because starting git for each look would take longer than everything else in a savepoint.
 * Unusual indexes (version 4, split or sparse, with a file system monitor) are left to git.
 */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import type { EntryChange, EntryChanges, TreeEntry } from "./entries.ts";

export interface IndexEntry extends TreeEntry {
  /** The path's bytes, one character each, so that they sort as in git. */
  readonly path: string;
  /** Not 0: one side of a conflict. */
  readonly stage: number;
  /** From `git add -N`: a name without content. */
  readonly promised: boolean;
  /** The entry's bytes in the file. Undefined for a new entry, whose times are unknown. */
  readonly raw: Buffer | undefined;
}

export interface IndexFile {
  readonly version: 2 | 3;
  readonly entries: readonly IndexEntry[];
  /** The cached trees, in git's format. */
  readonly trees: Buffer | undefined;
}

/** Undefined if the index is unusual or incomplete. A repository without any file has none yet. */
export function readIndex(file: string): IndexFile | undefined {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return { version: 2, entries: [], trees: undefined };
  return stats.isFile() && stats.size <= BYTES_MAX ? parseIndex(readFileSync(file)) : undefined;
}

function parseIndex(bytes: Buffer): IndexFile | undefined {
  const end = bytes.length - OID_BYTES;
  if (end < HEADER_BYTES || bytes.toString("latin1", 0, 4) !== "DIRC") return undefined;
  if (!sha1(bytes.subarray(0, end)).equals(bytes.subarray(end))) return undefined;
  const [version, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if ((version !== 2 && version !== 3) || count > ENTRIES_MAX) return undefined;
  const entries: IndexEntry[] = [];
  let at = HEADER_BYTES;
  for (let left = count; left > 0; left -= 1) {
    const next = parseEntry(bytes, at, end);
    if (next === undefined) return undefined;
    entries.push(next.entry);
    at = next.end;
  }
  const extensions = parseExtensions(bytes.subarray(at, end));
  return extensions === undefined ? undefined : { version, entries, trees: extensions.get("TREE") };
}

function parseEntry(
  bytes: Buffer,
  at: number,
  max: number,
): { readonly entry: IndexEntry; readonly end: number } | undefined {
  if (at + FIXED_BYTES > max) return undefined;
  const flags = bytes.readUInt16BE(at + 60);
  const extended = (flags & EXTENDED) === 0 ? 0 : bytes.readUInt16BE(at + FIXED_BYTES);
  const start = at + FIXED_BYTES + ((flags & EXTENDED) === 0 ? 0 : 2);
  const stop = bytes.indexOf(0, start);
  const end = at + padded(stop - at);
  const mode = bytes.readUInt32BE(at + 24).toString(8);
  if (stop < 0 || stop - start > PATH_BYTES_MAX || end > max || !MODES.has(mode)) return undefined;
  const entry = {
    path: bytes.toString("latin1", start, stop),
    mode,
    oid: bytes.toString("hex", at + 40, at + 60),
    stage: (flags >> 12) & 3,
    promised: (extended & PROMISED) !== 0,
    raw: bytes.subarray(at, end),
  };
  return { entry, end };
}

function parseExtensions(bytes: Buffer): ReadonlyMap<string, Buffer> | undefined {
  const found = new Map<string, Buffer>();
  for (let at = 0; at < bytes.length;) {
    if (at + 8 > bytes.length) return undefined;
    const name = bytes.toString("latin1", at, at + 4);
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    if (!KNOWN.has(name) || end > bytes.length) return undefined;
    found.set(name, bytes.subarray(at + 8, end));
    at = end;
  }
  return found;
}

export function encodeIndex({ version, entries, trees }: IndexFile): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("DIRC", "latin1");
  header.writeUInt32BE(version, 4);
  header.writeUInt32BE(entries.length, 8);
  const parts = [header, ...entries.map((entry) => entry.raw ?? encodeEntry(entry))];
  if (trees !== undefined) {
    const head = Buffer.alloc(8);
    head.write("TREE", "latin1");
    head.writeUInt32BE(trees.length, 4);
    parts.push(head, trees);
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, sha1(body)]);
}

function encodeEntry({ path, mode, oid }: IndexEntry): Buffer {
  const bytes = Buffer.alloc(padded(FIXED_BYTES + path.length));
  bytes.writeUInt32BE(Number.parseInt(mode, 8), 24);
  bytes.write(oid, 40, "hex");
  bytes.writeUInt16BE(Math.min(path.length, NAME_MAX), 60);
  bytes.write(path, FIXED_BYTES, "latin1");
  return bytes;
}

/** The entries without times and flags, so that git compares the files themselves. */
export function bare(entries: readonly IndexEntry[]): readonly IndexEntry[] {
  return entries.map(({ path, mode, oid }) => plainEntry(path, { mode, oid }));
}

function plainEntry(path: string, { mode, oid }: TreeEntry): IndexEntry {
  return { path, mode, oid, stage: 0, promised: false, raw: undefined };
}

/** Adds entries; `undefined` removes one. A file and a directory of the same name replace each other. */
export function putEntries(
  entries: readonly IndexEntry[],
  wanted: ReadonlyMap<string, TreeEntry | undefined>,
): readonly IndexEntry[] {
  const put = [...wanted].map(([path, entry]) => [bytesOf(path), entry] as const);
  const gone = new Set(put.map(([path]) => path));
  const folders = new Set<string>();
  for (const [path, entry] of put) {
    if (entry === undefined) continue;
    folders.add(`${path}/`);
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
      gone.add(path.slice(0, at));
  }
  const kept = entries.filter(({ path }) => !gone.has(path) && !isBelowOne(folders, path));
  const added = put.flatMap(([path, entry]) =>
    entry === undefined ? [] : [plainEntry(path, entry)],
  );
  return [...kept, ...added].toSorted((a, b) => compare(a.path, b.path) || a.stage - b.stage);
}

function isBelowOne(folders: ReadonlySet<string>, path: string): boolean {
  for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1))
    if (folders.has(path.slice(0, at + 1))) return true;
  return false;
}

/** Every path at which two lists without conflicts differ, in the form of git's raw differences. */
export function compareEntries(
  before: readonly IndexEntry[],
  after: readonly IndexEntry[],
): EntryChanges {
  const changes = new Map<string, EntryChange>();
  const [old, now] = [before, after].map((list) => list.filter((entry) => !entry.promised));
  let at = 0;
  const note = (a: IndexEntry | undefined, b: IndexEntry | undefined): void => {
    const path = Buffer.from((a ?? b)?.path ?? "", "latin1").toString("utf8");
    if (a?.oid !== b?.oid || a?.mode !== b?.mode)
      changes.set(path, { before: treeEntry(a), after: treeEntry(b) });
  };
  for (const entry of now ?? []) {
    for (; at < (old?.length ?? 0) && compare(old?.[at]?.path ?? "", entry.path) < 0; at += 1)
      note(old?.[at], undefined);
    if (old?.[at]?.path === entry.path) note(old[at++], entry);
    else note(undefined, entry);
  }
  for (const entry of old?.slice(at) ?? []) note(entry, undefined);
  return changes;
}

function treeEntry(entry: IndexEntry | undefined): TreeEntry | undefined {
  return entry === undefined ? undefined : { mode: entry.mode, oid: entry.oid };
}

/**
 * Removes the cached trees that contain changed paths. Each entry is `name\0count subtrees\n` and an id; a count
 * of -1 has no id. Undefined drops the whole cache, which only costs git time.
 */
export function withoutTreesOf(
  trees: Buffer | undefined,
  paths: readonly string[],
): Buffer | undefined {
  const stale = new Set([""]);
  for (const path of paths.map((one) => `${bytesOf(one)}/`))
    for (let at = path.indexOf("/"); at > 0; at = path.indexOf("/", at + 1))
      stale.add(path.slice(0, at + 1));
  const out: Buffer[] = [];
  let at = 0;
  const take = (bytes: Buffer, prefix: string, depth: number): boolean => {
    const [stop, line] = [bytes.indexOf(0, at), bytes.indexOf(10, at)];
    if (depth > DEPTH_MAX || stop < 0 || line < stop) return false;
    const name = bytes.toString("latin1", at, stop);
    const [count = Number.NaN, below = Number.NaN] = bytes
      .toString("latin1", stop + 1, line)
      .split(" ")
      .map(Number);
    if (!Number.isInteger(count) || !Number.isInteger(below)) return false;
    const oid = bytes.subarray(line + 1, line + 1 + (count < 0 ? 0 : OID_BYTES));
    at = line + 1 + oid.length;
    const path = depth === 0 ? "" : `${prefix}${name}/`;
    out.push(
      stale.has(path)
        ? Buffer.from(`${name}\0-1 ${below}\n`, "latin1")
        : Buffer.concat([Buffer.from(`${name}\0${count} ${below}\n`, "latin1"), oid]),
    );
    for (let left = below; left > 0; left -= 1) if (!take(bytes, path, depth + 1)) return false;
    return true;
  };
  return trees !== undefined && take(trees, "", 0) && at === trees.length
    ? Buffer.concat(out)
    : undefined;
}

export function bytesOf(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1");
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function padded(length: number): number {
  return (length + 8) & ~7;
}

function sha1(bytes: Buffer): Buffer {
  return createHash("sha1").update(bytes).digest();
}

/** Extensions that can be kept, or dropped without harm. */
const KNOWN: ReadonlySet<string> = new Set(["TREE", "EOIE", "IEOT"]);
/** Any other mode, such as a folder's, stands for entries that are not listed. */
const MODES: ReadonlySet<string> = new Set(["100644", "100755", "120000", "160000"]);
const OID_BYTES = 20;
const HEADER_BYTES = 12;
const FIXED_BYTES = 62;
const NAME_MAX = 0xfff;
const EXTENDED = 0x4000;
const PROMISED = 0x2000;
const DEPTH_MAX = 1_000;
const PATH_BYTES_MAX = 4_096;
/** For larger indexes, git's own code is faster. */
const ENTRIES_MAX = 50_000;
const BYTES_MAX = 16 * 1024 * 1024;
