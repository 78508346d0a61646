/** Which bytes each file had when it was last read, so that only what was written since is read again. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export interface Stamps {
  readonly find: (path: string, stamp: string) => string | undefined;
  readonly note: (path: string, stamp: string, text: string) => void;
  readonly keep: () => void;
}

type Known = Map<string, readonly [stamp: string, text: string]>;

export function createStamps(file: string | undefined): Stamps {
  let known: Known | undefined;
  let added = 0;
  const read = (): Known => (known ??= file === undefined ? new Map() : readKnown(file));
  return {
    find: (path, stamp) => {
      const before = read().get(path);
      return before?.[0] === stamp ? before[1] : undefined;
    },
    note: (path, stamp, text) => {
      if (read().get(path)?.[0] === stamp) return;
      read().set(path, [stamp, text]);
      added += 1;
    },
    keep: () => {
      // A few files are read faster than the list of them is written.
      if (file === undefined || added < KEPT_MIN) return;
      added = 0;
      writeKnown(file, read());
    },
  };
}

/** Anything odd about the file and nothing is known: it saves time, and is no evidence. */
function readKnown(file: string): Known {
  try {
    const text = readFileSync(file, "utf8");
    const end = text.indexOf("\n");
    const body = text.slice(end + 1);
    if (text.slice(0, end) !== sha256(body)) return new Map();
    const known: [string, readonly [string, string]][] = JSON.parse(body);
    return new Map(known);
  } catch {
    return new Map();
  }
}

function writeKnown(file: string, known: Known): void {
  const body = JSON.stringify([...known].slice(-KEPT_MAX));
  const next = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(next, `${sha256(body)}\n${body}`);
    renameSync(next, file);
  } catch {
    // A full or read-only disk: it is only slower without.
    rmSync(next, { force: true });
  }
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const KEPT_MIN = 256;
const KEPT_MAX = 1_000_000;
