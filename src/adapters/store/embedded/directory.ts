/**
 * Opens the journal's directory, or says why a journal cannot be kept there. The store relies on two things that
 * only a local file system of one kernel guarantees: appends by different processes do not overlap, and a sync
 * reaches the disk.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  statfsSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createWhole, errorCode, errorText, removeIfThere } from "./disk.ts";
import { readRegular, syncDirectory } from "../durable.ts";
import { OWN_DIRECTORIES, journalsDir, tmpDir } from "./paths.ts";

export interface Refused {
  readonly kind: "refused";
  readonly code: "network-file-system" | "unwritable" | "unknown-format" | "format-unreadable";
  readonly message: string;
  readonly fix: string;
}

export function openDirectory(dir: string, readOnly: boolean): Refused | undefined {
  try {
    const refused = checkPlaces(dir) ?? checkFileSystem(dir, readFileSystemType(dir));
    if (refused !== undefined) return refused;
    if (readOnly) return checkFormat(dir);
    // The directories are created with the first record, so that a refused command leaves nothing behind.
    if (existsSync(journalsDir(dir))) makeStore(dir);
    else accessSync(nearestAbove(dir), constants.W_OK | constants.X_OK);
    return checkFormat(dir);
  } catch (error) {
    return {
      kind: "refused",
      code: "unwritable",
      message: `cannot keep a journal in ${dir}: ${errorText(error)}`,
      fix: "Make the directory writable, or set HOLDPOINT_DIR to one that is.",
    };
  }
}

/** Creates the directories of a journal if they are missing. Throws the disk's error. */
export function makeStore(dir: string): void {
  for (const path of [journalsDir(dir), join(dir, "snapshots"), tmpDir(dir)]) {
    makeDirectory(path);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  }
  sweep(tmpDir(dir));
  if (!isThere(formatOf(dir))) createWhole(dir, formatOf(dir), FORMAT);
}

/** Refuses links: one could make us read another journal, or write this one elsewhere. */
function checkPlaces(dir: string): Refused | undefined {
  const place = [dir, ...OWN_DIRECTORIES.map((name) => join(dir, name))].find(
    (path) => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === false,
  );
  if (place === undefined) return undefined;
  const isLink = lstatSync(place).isSymbolicLink();
  return {
    kind: "refused",
    code: "unwritable",
    message: `cannot keep a journal in ${dir}: ${place === dir ? "it" : place} is ${isLink ? "a symbolic link" : "not a directory"}`,
    fix: isLink
      ? "Replace the link by a directory, or set HOLDPOINT_DIR to the place where the store is."
      : "Move it away, or set HOLDPOINT_DIR to another place.",
  };
}

/** By the type number of Linux's statfs(2). Other systems use other numbers. */
export function checkFileSystem(
  dir: string,
  type: number,
  platform: string = process.platform,
): Refused | undefined {
  const name = platform === "linux" ? SHARED_FILE_SYSTEMS.get(type >>> 0) : undefined;
  if (name === undefined) return undefined;
  return {
    kind: "refused",
    code: "network-file-system",
    message: `cannot keep a journal in ${dir}: ${name} does not keep appends of two machines apart`,
    fix: "Set HOLDPOINT_DIR to a directory on a local disk.",
  };
}

function readFileSystemType(dir: string): number {
  return statfsSync(nearestAbove(dir)).type;
}

/** The directory itself, or its nearest existing parent. */
function nearestAbove(dir: string): string {
  let path = resolve(dir);
  for (let levels = 0; levels < LEVELS_MAX && !existsSync(path); levels += 1) path = dirname(path);
  return path;
}

function makeDirectory(path: string): void {
  const missing: string[] = [];
  for (let at = path; missing.length < LEVELS_MAX && !existsSync(at); at = dirname(at))
    missing.unshift(at);
  // Created one by one, because recursive `mkdirSync` never returns below /proc.
  for (const directory of missing) {
    makeOne(directory);
    // Syncs the parent: like a new file's, the entry of a new directory is lost in a power failure.
    syncDirectory(dirname(directory));
  }
  if (!statSync(path).isDirectory()) throw new Error(`${path} is not a directory`);
}

function makeOne(directory: string): void {
  try {
    mkdirSync(directory);
  } catch (error) {
    // Another process may have created it first.
    if (errorCode(error) !== "EEXIST") throw error;
  }
}

function formatOf(dir: string): string {
  return join(dir, "format");
}

/** `existsSync` would miss a dangling link. */
function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function checkFormat(dir: string): Refused | undefined {
  const path = formatOf(dir);
  if (!isThere(path)) return undefined;
  const read = readRegular(path);
  if (read.kind !== "found")
    return {
      kind: "refused",
      code: "format-unreadable",
      message: `cannot read the format of the journal in ${dir}: ${read.kind === "odd" ? read.why : "it is gone"}`,
      fix: `Put back ${path}; it holds the line ${JSON.stringify(FORMAT.trim())}.`,
    };
  const found = read.bytes.toString("utf8");
  if (found === FORMAT) return undefined;
  return {
    kind: "refused",
    code: "unknown-format",
    message: `cannot read the journal in ${dir}: its format is ${JSON.stringify(found.slice(0, 40).trim())}, this version knows ${JSON.stringify(FORMAT.trim())}`,
    fix: "Use the version of Holdpoint that wrote it, or a newer one.",
  };
}

/**
 * Removes files that killed processes left in tmp/. A live process renames its file long before a day has passed.
 */
function sweep(tmp: string): void {
  const oldest = Date.now() - DAY_MS;
  for (const name of readdirSync(tmp).slice(0, SWEEP_MAX)) {
    const path = join(tmp, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && found.mtimeMs < oldest) removeIfThere(path);
  }
}

const FORMAT = "holdpoint 1\n";
const LEVELS_MAX = 256;
const SWEEP_MAX = 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

const SHARED_FILE_SYSTEMS = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xff534d42, "CIFS"],
  [0xfe534d42, "SMB2"],
  [0x01021997, "9p (a Windows drive under WSL2, or a shared folder of a virtual machine)"],
  [0x65735546, "FUSE or virtiofs"],
  [0x786f4256, "a shared folder of VirtualBox"],
  [0xbacbacbc, "a shared folder of VMware"],
  [0x00c36400, "Ceph"],
  [0x5346414f, "AFS"],
  [0x6b414653, "AFS"],
  [0x73757245, "Coda"],
  [0x0bd00bd0, "Lustre"],
  [0x47504653, "GPFS"],
  [0x01161970, "GFS2"],
  [0x7461636f, "OCFS2"],
]);
