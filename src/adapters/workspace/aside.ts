/**
 * Files taken aside while a view is replaced:
 *
 *   .holdpoint/aside/<id>.<sha256 of what was expected>/<path of the view>
 *   .holdpoint/aside/<id>.<sha256>.done/<path>      after the install
 *
 * The name alone says what a crash left: an open one whose view is missing goes back to its place.
 * A text that is not the expected one is somebody's edit, and is only removed by `forgetAside`.
 */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { link, lstat, mkdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { LeftAside } from "../../ports/workspace.ts";
import { errorCode, makeDirectory, syncDirectory } from "../store/durable.ts";
import { FileRefused, outside } from "./file-problem.ts";
import { randomIds } from "../process/ids.ts";
import { listPrivate, PRIVATE, privateDirectory } from "./private.ts";
import { isAbsence, locatePath, lstatIfThere } from "./path.ts";

export interface Aside {
  readonly directory: string;
  readonly file: string;
  readonly path: string;
  readonly digest: string;
  readonly done: boolean;
}

/** A place for one taken file. Its directories exist before the view is touched. */
export async function openAside(root: string, path: string, digest: string): Promise<Aside> {
  const shelf = await privateDirectory(root, "aside");
  const directory = join(shelf, `${randomIds.next()}.${digest}`);
  const file = join(directory, path);
  // Not synced: after a power loss the view is either still in its place or redone from the journal.
  await mkdir(dirname(file), { recursive: true });
  return { directory, file, path, digest, done: false };
}

/** The view has its new text: from now on the aside is never put back. */
export async function closeAside(aside: Aside): Promise<void> {
  if ((await lstatIfThere(aside.file)) === undefined) return await removeAside(aside);
  await ignoreAbsence(rename(aside.directory, `${aside.directory}${DONE}`));
}

/** Give a taken file back its name, unless an editor has put a newer one there. */
export async function putBack(aside: Aside, place: string): Promise<"back" | "taken" | "gone"> {
  try {
    await makeDirectory(dirname(place));
    await linkOrMove(aside.file, place);
  } catch (error) {
    if (errorCode(error) === "EEXIST") {
      await closeAside(aside);
      return "taken";
    }
    // Another process has recovered it already.
    if (errorCode(error) === "ENOENT") return "gone";
    throw error;
  }
  await syncDirectory(dirname(place));
  await removeAside(aside);
  return "back";
}

/**
 * Digest of a file; undefined when it is gone. A pipe or link that slipped in since the last look
 * has none, and is not read: reading a pipe would wait for ever.
 */
export async function digestTaken(file: string): Promise<string | undefined> {
  try {
    if (!(await lstat(file)).isFile()) return "";
    return createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** Put back what a crash left, name what was edited, remove what nobody can still be writing to. */
export async function recoverAsides(root: string): Promise<readonly LeftAside[]> {
  const left: LeftAside[] = [];
  for (const aside of await listAsides(root)) {
    try {
      const found = await recoverAside(root, aside);
      if (found !== undefined) left.push(found);
    } catch (error) {
      // A planted aside, for `.git/hooks/x` say, must neither be put there nor stop every command.
      if (!(error instanceof FileRefused)) throw error;
    }
  }
  await sweep(root);
  return left;
}

/**
 * Whether a view that seems missing may only be between its two texts. "quiet": nobody has taken
 * anything for a while; "taken": one of that path is held aside now; "free": not this one.
 */
export async function lookAside(root: string, path: string): Promise<"quiet" | "taken" | "free"> {
  const shelf = join(root, PRIVATE, "aside");
  // The directory changes with every take, put-back and install.
  const busy = (await lstatIfThere(shelf)) !== undefined && !(await isOlder(shelf, BUSY_MS_MAX));
  if (!busy) return "quiet";
  for (const name of await listPrivate(root, "aside")) {
    const [, digest, done] = ASIDE_NAME.exec(name) ?? [];
    if (digest === undefined || done === DONE) continue;
    if ((await lstatIfThere(join(shelf, name, path))) !== undefined) return "taken";
  }
  return "free";
}

export async function forgetAside(root: string, aside: string): Promise<void> {
  const [holder, shelf, name = "", ...path] = aside.split("/");
  if (holder !== PRIVATE || shelf !== "aside" || !ASIDE_NAME.test(name) || path.length === 0)
    throw new FileRefused(outside(aside));
  const known = (await listAsides(root)).find((one) => nameOf(root, one) === aside);
  // Of two processes that keep the same edit, one comes second: then it is gone, as it should be.
  if (known !== undefined) await removeAside(known);
}

async function recoverAside(root: string, aside: Aside): Promise<LeftAside | undefined> {
  const { path } = aside;
  if (!aside.done) {
    const place = await locatePath(root, path);
    // A living install may be at work here: then its own link fails, and it looks again.
    const missing = (await lstatIfThere(place)) === undefined;
    if (missing && (await putBack(aside, place)) === "back") return { kind: "restored", path };
  }
  const digest = await digestTaken(aside.file);
  // An editor that opened the file before it was taken gets time to finish writing.
  if (digest === undefined || !(await isOlder(aside.file, SETTLE_MS_MIN))) return undefined;
  if (digest !== aside.digest) return { kind: "edited", path, aside: nameOf(root, aside) };
  await removeAside(aside);
  return undefined;
}

/** What a kill left before anything was taken: new texts without a name, asides without a file. */
async function sweep(root: string): Promise<void> {
  for (const name of await listPrivate(root, "tmp")) {
    const file = join(root, PRIVATE, "tmp", name);
    if (await isOlder(file, LEFTOVER_MS_MIN)) await rm(file, { recursive: true, force: true });
  }
  for (const name of await listPrivate(root, "aside")) {
    const directory = join(root, PRIVATE, "aside", name);
    const empty = ASIDE_NAME.test(name) && onlyFile(directory) === undefined;
    if (empty && (await isOlder(directory, LEFTOVER_MS_MIN))) {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

/** Neither renamed nor written into for a while: ctime says both. */
async function isOlder(place: string, ms: number): Promise<boolean> {
  const stats = await lstatIfThere(place);
  return stats !== undefined && Math.abs(Date.now() - stats.ctimeMs) >= ms;
}

async function listAsides(root: string): Promise<readonly Aside[]> {
  const asides: Aside[] = [];
  for (const name of await listPrivate(root, "aside")) {
    const [, digest, done] = ASIDE_NAME.exec(name) ?? [];
    if (digest === undefined) continue;
    const directory = join(root, PRIVATE, "aside", name);
    const path = onlyFile(directory);
    if (path !== undefined) {
      asides.push({ directory, file: join(directory, path), path, digest, done: done === DONE });
    }
  }
  return asides;
}

/** The path of the one file below a directory; undefined while none was taken. */
function onlyFile(directory: string): string | undefined {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    const [entry] = entries;
    if (entry === undefined || !entry.isDirectory()) return entry?.name;
    const below = onlyFile(join(directory, entry.name));
    return below === undefined ? undefined : `${entry.name}/${below}`;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

/** FAT and some network file systems have no hard links; there the move has a small window. */
async function linkOrMove(file: string, place: string): Promise<void> {
  try {
    await link(file, place);
    await unlink(file);
  } catch (error) {
    const noLinks = ["EPERM", "ENOTSUP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "");
    if (!noLinks || (await lstatIfThere(place)) !== undefined) throw error;
    await rename(file, place);
  }
}

async function removeAside(aside: Aside): Promise<void> {
  await rm(aside.directory, { recursive: true, force: true });
}

async function ignoreAbsence(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isAbsence(error)) throw error;
  }
}

function nameOf(root: string, aside: Aside): string {
  return join(PRIVATE, aside.file.slice(join(root, PRIVATE).length + 1));
}

const ASIDE_NAME = /^[0-9a-z]+\.([0-9a-f]{64})(\.done)?$/;
const DONE = ".done";
const SETTLE_MS_MIN = 1_000;
const BUSY_MS_MAX = 2_000;
const LEFTOVER_MS_MIN = 24 * 60 * 60 * 1_000;
