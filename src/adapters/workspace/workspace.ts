/** The files of one worktree: reading, listing, digesting. Installing is in install.ts. */
import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  readdirSync,
  realpathSync,
} from "node:fs";
import { setImmediate as breathe, setTimeout as pause } from "node:timers/promises";
import { ABSENT } from "../../ports/workspace.ts";
import type { BytesRead, FileRead, Workspace } from "../../ports/workspace.ts";
import { FileRefused, notAFile, notText, systemProblem, tooLarge } from "./file-problem.ts";
import { forgetAside, lookAside, recoverAsides } from "./aside.ts";
import { checkPlace, installView } from "./install.ts";
import type { Measure } from "./measure/measure.ts";
import { movePath } from "./move.ts";
import { isAbsence, KEPT_BYTES_MAX, kindOf, locatePath, statFile, TEXT_BYTES_MAX } from "./path.ts";

export { recoverAsides } from "./aside.ts";
export { excludeFromGit } from "./private.ts";

export interface WorkspaceOptions {
  /** Called before every system call whose order matters. Tests throw or die in it. */
  readonly onStep?: (step: string) => void;
}

export function createWorkspace(root: string, options: WorkspaceOptions = {}): Workspace {
  const top = realpathSync(root);
  const onStep = options.onStep ?? (() => undefined);
  let measure: Promise<Measure> | undefined;
  return {
    root: top,
    read: (path) => readText(top, path),
    bytes: (path) => readBytes(top, path),
    list: (directory) => listNames(top, directory),
    digest: (path) => digestFile(top, path),
    measure: async (...asked) => await (await (measure ??= loadMeasure(top)))(...asked),
    stamp: async (path) => stampOf(top, path),
    install: (path, content, expected) =>
      installView({ root: top, path, content, expected, onStep }),
    check: async (path) => checkPlace(top, path),
    move: async (from, to) => movePath({ root: top, from, to, onStep }),
    recover: async () => recoverAsides(top),
    forget: async (aside) => forgetAside(top, aside),
  };
}

/**
 * Loaded only for measuring, because most commands do not need it. Results are remembered in memory only: whoever
 * could write them to disk could hide every change.
 */
async function loadMeasure(root: string): Promise<Measure> {
  return (await import("./measure/measure.ts")).createMeasure(root);
}

async function readText(root: string, path: string): Promise<FileRead> {
  try {
    const bytes = await readSettled(root, path);
    if (bytes === undefined) return { kind: "absent" };
    return { kind: "text", text: decodeText(bytes, path), digest: digestOf(bytes) };
  } catch (error) {
    return unreadable(path, error);
  }
}

async function readBytes(root: string, path: string): Promise<BytesRead> {
  try {
    const bytes = await withFile(root, path, (one) => readBounded(one, path, KEPT_BYTES_MAX));
    return bytes === undefined ? { kind: "absent" } : { kind: "bytes", bytes };
  } catch (error) {
    return unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): Extract<FileRead, { kind: "unreadable" }> {
  const problem = systemProblem(path, error);
  const code = problem.code === "disk-full" ? "io" : problem.code;
  return { kind: "unreadable", ...problem, code };
}

/**
 * Waits while somebody is in the middle of writing. Between the two halves of an install a view is briefly
 * missing, and treating that as absent would put a new one in its place. An editor that truncates before it
 * writes shows half a text, and rendering onto that would lose the other half.
 */
async function readSettled(root: string, path: string): Promise<Buffer | undefined> {
  let free = 0;
  for (let waited = 0; ; waited += 1) {
    const file = await withFile(root, path, (descriptor) => readStamped(descriptor, path));
    if (file !== undefined && !isHalf(file)) return file.bytes;
    if (waited >= WAITS_MAX) return file?.bytes;
    if (file === undefined) {
      const aside = lookAside(root, path);
      free = aside === "free" ? free + 1 : 0;
      if (aside === "quiet" || free >= FREE_LOOKS_MIN) return undefined;
      // Another file is held aside. Looking again tells this apart from an install that ended in between.
      if (aside === "free") continue;
    }
    await pause(WAIT_MS * (0.5 + Math.random()));
  }
}

interface Stamped {
  readonly bytes: Buffer;
  readonly ageMs: number;
}

function readStamped(descriptor: number, path: string): Stamped {
  const bytes = readBounded(descriptor, path);
  return { bytes, ageMs: Math.abs(Date.now() - fstatSync(descriptor).mtimeMs) };
}

/** It ends within a line and was written just now. */
function isHalf({ bytes, ageMs }: Stamped): boolean {
  return ageMs < HALF_MS_MAX && bytes.at(-1) !== NEWLINE;
}

async function listNames(root: string, directory: string): Promise<readonly string[]> {
  try {
    const name = directory.replace(/\/$/, "");
    const place = name === "." || name === "" ? root : locatePath(root, name);
    const entries = readdirSync(place, { withFileTypes: true });
    return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
  } catch (error) {
    if (isAbsence(error)) return [];
    if (error instanceof FileRefused && error.problem.code !== "too-long") return [];
    // Returning an empty list would make a check of everything below it pass.
    throw error;
  }
}

async function digestFile(root: string, path: string): Promise<string | undefined> {
  try {
    return await withFile(root, path, digestBounded);
  } catch (error) {
    const { code } = systemProblem(path, error);
    if (code === "io" || code === "disk-full") throw error;
    return undefined;
  }
}

/** A change within the clock's resolution leaves the same times, so a recent file has no stamp. */
function stampOf(root: string, path: string): string | undefined {
  try {
    const name = path.replace(/\/$/, "");
    const place = name === "." || name === "" ? root : locatePath(root, name);
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return ABSENT;
    if (Math.abs(Date.now() - stats.ctimeMs) < FRESH_MS) return undefined;
    return `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`;
  } catch {
    // Whatever is in the way is reported by the reader.
    return undefined;
  }
}

/** Opens a regular file and nothing else. Never blocks, as opening a pipe without a writer would. */
async function withFile<T>(
  root: string,
  path: string,
  use: (descriptor: number) => T | Promise<T>,
): Promise<T | undefined> {
  const place = locatePath(root, path);
  try {
    if (statFile(place, path) === undefined) return undefined;
    // Between the check and this call, the file may become a pipe or a link.
    const descriptor = openSync(place, OPEN_FLAGS);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new FileRefused(notAFile(path, kindOf(stats)));
      return await use(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function readBounded(descriptor: number, path: string, max = TEXT_BYTES_MAX): Buffer {
  const { size } = fstatSync(descriptor);
  if (size > max) throw new FileRefused(tooLarge(path, size, max));
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.alloc(total === 0 ? size + 1 : CHUNK_BYTES);
    const bytes = readSync(descriptor, chunk, 0, chunk.length, null);
    if (bytes === 0) return Buffer.concat(chunks);
    total += bytes;
    // Also if a file grows while it is read.
    if (total > max) throw new FileRefused(tooLarge(path, total, max));
    chunks.push(chunk.subarray(0, bytes));
  }
}

async function digestBounded(descriptor: number): Promise<string | undefined> {
  // A sparse file of 100 GB takes no space but minutes to read.
  if (fstatSync(descriptor).size > DIGEST_BYTES_MAX) return undefined;
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let total = 0; total <= DIGEST_BYTES_MAX;) {
    const bytes = readSync(descriptor, buffer, 0, CHUNK_BYTES, null);
    if (bytes === 0) return `sha256:${hash.digest("hex")}`;
    hash.update(buffer.subarray(0, bytes));
    total += bytes;
    // Ctrl-C must work while a huge file is read.
    if (total % BREATH_BYTES === 0) await breathe();
  }
  return undefined;
}

function decodeText(bytes: Buffer, path: string): string {
  if (bytes.includes(0)) throw new FileRefused(notText(path, "a NUL byte"));
  if (!isUtf8(bytes)) throw new FileRefused(notText(path, "bytes that are not UTF-8"));
  // Includes a byte order mark, so that the same bytes can be written back.
  return bytes.toString("utf8");
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

const OPEN_FLAGS =
  constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;
const NEWLINE = 0x0a;
const HALF_MS_MAX = 200;
const FRESH_MS = 100;
const WAIT_MS = 5;
const WAITS_MAX = 100;
/** How often a missing file must be found missing, with nobody holding it, while others install. */
const FREE_LOOKS_MIN = 3;
const CHUNK_BYTES = 64 * 1024;
const BREATH_BYTES = 16 * 1024 * 1024;
const DIGEST_BYTES_MAX = 1024 * 1024 * 1024;
