/**
 * What is held, in `watch.json` beside the journals. It is read with every use of a tool, so it lists the
 * journals it was made from, and a few stats show whether it is still valid. If lost or unreadable, it is
 * rebuilt.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { Json } from "../../core/values/json.ts";
import type { JournalFile, Watches } from "../../ports/watches.ts";
import type { Watch } from "../../watch/watch.ts";
import { readRegular, readOwn, replaceOwn } from "./durable.ts";
import { decodeName, encodeName } from "./embedded/names.ts";
import { JOURNAL_SUFFIX, journalsDir, namePath } from "./embedded/paths.ts";

/** More journals than that are not checked one by one with every use of a tool. */
const MADE_MAX = 4_096;
const WATCH_BYTES_MAX = 16 * 1024 * 1024;
const QUIET = { throwIfNoEntry: false } as const;

export function createWatches(dir: string, gitDir: string | undefined): Watches {
  return {
    ...keptIn(dir, gitDir),
    listed: async () => listedIn(dir),
    journal: async (stream) => fileOf(dir, encodeName(stream).file),
    journals: async () => journalsIn(dir),
    isFresh: async (watch, but) =>
      isFresh(dir, watch, but === undefined ? undefined : encodeName(but).file),
  };
}

/** What each clone stores itself, wherever the journals are. */
export function keptIn(
  dir: string,
  gitDir: string | undefined,
): Pick<Watches, "own" | "last" | "keep" | "drop" | "quiet" | "keepQuiet"> {
  const quietFile = join(dir, "watch-quiet.json");
  return {
    own: [dir, ...(gitDir === undefined ? [] : [gitDir])],
    last: () => readWatch(dir),
    keep: (watch) => replaceOwn(watchPath(dir), JSON.stringify(watch)),
    drop: () => rmSync(watchPath(dir), { force: true, recursive: true }),
    quiet: () => numbersIn(parseJson(readOwn(quietFile))),
    keepQuiet: (quiet) => replaceOwn(quietFile, JSON.stringify(quiet)),
  };
}

export function watchPath(dir: string): string {
  return join(dir, "watch.json");
}

/** Undefined if there is none, or it cannot be read. */
export function readWatch(dir: string): Watch | undefined {
  try {
    const read = readRegular(watchPath(dir));
    if (read.kind !== "found" || read.bytes.length > WATCH_BYTES_MAX) return undefined;
    const value: unknown = JSON.parse(read.bytes.toString("utf8"));
    // If the repository was copied or moved, the stored paths belong to another place.
    return isWatch(value) && value.own[0] === dir ? value : undefined;
  } catch {
    return undefined;
  }
}

/** We write it ourselves, as a whole, so checking its outline is enough. */
function isWatch(value: unknown): value is Watch {
  if (typeof value !== "object" || value === null || !("format" in value)) return false;
  const has = (name: string): boolean => name in value && Array.isArray(Reflect.get(value, name));
  return (
    value.format === 1 &&
    has("own") &&
    has("roles") &&
    has("places") &&
    "made" in value &&
    "cites" in value &&
    typeof value.made === "object" &&
    value.made !== null
  );
}

export function isFresh(dir: string, { made, listed }: Watch, but?: string): boolean {
  const files = Object.entries(made);
  if (files.length > MADE_MAX || listedIn(dir) !== listed) return false;
  return files.every(([file, { size }]) => file === but || fileOf(dir, file)?.size === size);
}

/** Negative if there is no journal at all. */
export function listedIn(dir: string): number {
  return statSync(journalsDir(dir), QUIET)?.mtimeMs ?? -1;
}

function fileOf(dir: string, file: string): JournalFile | undefined {
  // No `join()`: it takes longer than the stat, and there may be thousands.
  const found = statSync(`${journalsDir(dir)}/${file}${JOURNAL_SUFFIX}`, QUIET);
  return found === undefined ? undefined : { file, size: found.size };
}

function journalsIn(dir: string): Awaited<ReturnType<Watches["journals"]>> {
  const names = readdirSync(journalsDir(dir)).filter((name) => name.endsWith(JOURNAL_SUFFIX));
  return names.flatMap((name) => {
    const known = fileOf(dir, name.slice(0, -JOURNAL_SUFFIX.length));
    const stream = known === undefined ? undefined : streamOf(dir, known.file);
    return known === undefined || stream === undefined ? [] : { ...known, stream };
  });
}

function streamOf(dir: string, file: string): string | undefined {
  const decoded = decodeName(file);
  if (decoded !== undefined) return decoded;
  const name = parseJson(readOwn(namePath(dir, file)));
  return typeof name === "string" ? name : undefined;
}

function numbersIn(value: Json | undefined): Readonly<Record<string, number>> {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(
    entries.flatMap(([key, one]) => (typeof one === "number" ? [[key, one]] : [])),
  );
}
