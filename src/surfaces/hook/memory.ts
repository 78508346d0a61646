/**
 * Notes that hooks leave for later hooks, stored beside the journals: which agent uses a tool, what a session was
 * told, how often an end was refused. Limited in number and age, and trusted only for naming, because anybody who
 * can write here can forge them.
 */
import { createHash, randomUUID } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";

const NOTES_MAX = 500;
const NOTE_BYTES_MAX = 16 * 1024;
const AGE_MS_MAX = 24 * 60 * 60 * 1000;

export interface Memory {
  readonly read: (kind: string, key: string) => JsonObject | undefined;
  /** False if it could not be stored. */
  readonly write: (kind: string, key: string, note: JsonObject) => boolean;
  readonly forget: (kind: string, key: string) => void;
  /** Records the current time, as the time of a file with this name. */
  readonly mark: (name: string) => void;
}

/** `store` is the directory of the journals. Nothing here throws: what cannot be stored is forgotten. */
export function memoryIn(store: string): Memory {
  const dir = join(store, "agents");
  const fileOf = (kind: string, key: string): string => join(dir, `${kind}-${digest(key)}.json`);
  return {
    read: (kind, key) => quietly(() => (isOurs(dir) ? readNote(fileOf(kind, key)) : undefined)),
    write: (kind, key, note) =>
      quietly(() => {
        makeOurs(dir);
        replace(dir, `${kind}-${digest(key)}.json`, JSON.stringify(note));
        prune(dir);
        return true;
      }) === true,
    mark: (name) => {
      quietly(() => {
        makeOurs(dir);
        replace(dir, name, "");
      });
    },
    forget: (kind, key) => {
      quietly(() => {
        if (isOurs(dir)) rmSync(fileOf(kind, key), { force: true });
      });
    },
  };
}

/** If the directory were replaced by a link, we would write and delete somewhere else. */
function isOurs(dir: string): boolean {
  return lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;
}

function makeOurs(dir: string): void {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) mkdirSync(dir, { recursive: true });
  if (!isOurs(dir)) throw new Error(`${dir} is no directory`);
}

function replace(dir: string, name: string, text: string): void {
  const temporary = join(dir, `.${randomUUID()}`);
  writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
  renameSync(temporary, join(dir, name));
}

export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, DIGEST_CHARS);
}

const DIGEST_CHARS = 32;

function readNote(file: string): JsonObject | undefined {
  const stats = lstatSync(file);
  const young = Date.now() - stats.mtimeMs < AGE_MS_MAX;
  if (!stats.isFile() || stats.size > NOTE_BYTES_MAX || !young) return undefined;
  const note = parseJson(readFileSync(file, "utf8"));
  return isJsonObject(note) ? note : undefined;
}

/** If there are too many notes, the older half is deleted. */
function prune(dir: string): void {
  const names = readdirSync(dir).filter((name) => OURS.test(name));
  if (names.length <= NOTES_MAX) return;
  const aged = names
    .map((name) => join(dir, name))
    .map((file) => ({ file, ms: lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => a.ms - b.ms);
  for (const { file } of aged.slice(0, Math.ceil(names.length / 2))) rmSync(file, { force: true });
}

const OURS = /^(?:[a-z]+-[0-9a-f]{32}\.json|\.[0-9a-f-]{36})$/;

function quietly<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
