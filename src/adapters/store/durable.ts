/** Files that are still there after a power loss: written beside, synced, then given their name. */
import { constants } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

/** A new file with exactly these bytes, on the platter when it answers. Fails if there is one. */
export async function writeSynced(file: string, bytes: Uint8Array, mode: number): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const handle = await open(file, flags, mode);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The text of a small file of our own; none if there is no such file. A pipe there is not waited for. */
export async function readOwn(file: string): Promise<string> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return (await handle.stat()).isFile() ? await handle.readFile("utf8") : "";
    } finally {
      await handle.close();
    }
  } catch {
    return "";
  }
}

/** Without this a rename or link may be gone after a power loss, although the file is not. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Create a directory with its parents; the new names are synced too. */
export async function makeDirectory(directory: string): Promise<void> {
  const first = await mkdir(directory, { recursive: true });
  if (first === undefined) return;
  for (let made = directory; made.length >= first.length; made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}

export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
