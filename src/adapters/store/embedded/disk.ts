/**
 * The few ways in which the store touches the disk. Each is a named step, so that a test can stop or kill the
 * process before it.
 */
import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Fold } from "../../../ports/journal.ts";
import { readRegular, syncDirectory } from "../durable.ts";
import { tmpDir } from "./paths.ts";

/** A system call whose order matters. */
export type Step =
  | "create"
  | "write"
  | "readback"
  | "sync"
  | "sync-entry"
  | "mark-failed"
  | "snapshot-write"
  | "snapshot-rename"
  | "index-write"
  | "index-rename";

export interface Store<S> {
  readonly dir: string;
  readonly fold: Fold<S>;
  readonly readOnly: boolean;
  /** Called before each step. An error thrown here is treated as that system call's error. */
  readonly onStep: (step: Step) => void;
}

/** For caches only. Not synced, because a half-written cache fails its own hash and is ignored. */
export function replaceCache<S>(
  store: Store<S>,
  kind: "snapshot" | "index",
  path: string,
  text: string,
): boolean {
  if (store.readOnly) return false;
  const tmp = join(tmpDir(store.dir), randomUUID());
  try {
    store.onStep(`${kind}-write`);
    writeFileSync(tmp, text);
    store.onStep(`${kind}-rename`);
    renameSync(tmp, path);
    return true;
  } catch {
    // A cache that cannot be written costs time later but loses no record.
    removeIfThere(tmp);
    return false;
  }
}

/** Creates a small file completely and synced, or keeps the existing one. */
export function createWhole(dir: string, path: string, text: string): void {
  const tmp = join(tmpDir(dir), randomUUID());
  const descriptor = openSync(tmp, "wx", 0o644);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
    linkSync(tmp, path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    closeSync(descriptor);
    removeIfThere(tmp);
  }
  syncDirectory(dirname(path));
}

export function readIfThere(path: string): Buffer | undefined {
  try {
    const read = readRegular(path);
    return read.kind === "found" ? read.bytes : undefined;
  } catch {
    return undefined;
  }
}

export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is already gone.
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
