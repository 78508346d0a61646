/**
 * Standard output and error. Node's streams take milliseconds to load, which a few lines into a pipe do not need.
 * They are loaded only for a terminal, and if a pipe does not take everything at once.
 */
import { fstatSync, writeSync } from "node:fs";

export interface Out {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly write: (text: string) => void;
  /** Loads the stream. If the reader goes away, the work is still done and the exit code still right. */
  readonly stream: () => NodeJS.WriteStream;
}

export const out: Out = outOf(1, () => process.stdout);
export const err: Out = outOf(2, () => process.stderr);

function outOf(descriptor: 1 | 2, open: () => NodeJS.WriteStream): Out {
  let opened: NodeJS.WriteStream | undefined;
  const stream = (): NodeJS.WriteStream => {
    opened ??= open().on("error", () => undefined);
    return opened;
  };
  return {
    get isTTY() {
      return isDevice(descriptor) && stream().isTTY;
    },
    get columns() {
      return isDevice(descriptor) ? stream().columns : undefined;
    },
    write: (text) => {
      if (isDevice(descriptor) || opened !== undefined) stream().write(text);
      else writeAll(descriptor, text, stream);
    },
    stream,
  };
}

/** True for a terminal, and for the null device, where it does no harm. */
function isDevice(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

function writeAll(descriptor: number, text: string, stream: Out["stream"]): void {
  const bytes = Buffer.from(text);
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(descriptor, bytes, written);
  } catch (error) {
    const isFull = error instanceof Error && "code" in error && error.code === "EAGAIN";
    if (isFull) stream().write(bytes.subarray(written));
  }
}
