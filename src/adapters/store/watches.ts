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
import { withChanges } from "../../watch/watch.ts";
import type { Watch, WatchChange } from "../../watch/watch.ts";
import { randomIds } from "../process/ids.ts";
import { appendOwn, readRegular, readOwn, replaceOwn } from "./durable.ts";
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
    names: async () => namesIn(dir),
  };
}

/** What each clone stores itself, wherever the journals are. */
export function keptIn(
  dir: string,
  gitDir: string | undefined,
): Pick<Watches, "own" | "last" | "keep" | "add" | "drop" | "quiet" | "keepQuiet"> {
  const quietFile = join(dir, "watch-quiet.json");
  const read = createReader(dir);
  const kept: Pick<Watches, "last" | "keep" | "quiet" | "keepQuiet"> = {
    last: () => withMore(dir, read()),
    keep: (given) => {
      const { silent: _, ...watch } = given;
      // A new id, so that changes of the previous watch are not applied to this one.
      replaceOwn(watchPath(dir), JSON.stringify({ ...watch, id: randomIds.next() }));
      rmSync(morePath(dir), { force: true, recursive: true });
    },
    quiet: () => numbersIn(parseJson(readOwn(quietFile))),
    keepQuiet: (quiet) => replaceOwn(quietFile, JSON.stringify(quiet)),
  };
  return {
    ...kept,
    own: [dir, ...(gitDir === undefined ? [] : [gitDir])],
    add: (change) => {
      const line = JSON.stringify({ of: read()?.id, change });
      if (appendOwn(morePath(dir), `${line}\n`) > MORE_BYTES_MAX) writeOut(kept);
    },
    drop: () => rmSync(watchPath(dir), { force: true, recursive: true }),
  };
}

/** Writes the watch and its changes as one file again. */
function writeOut({
  last,
  keep,
  quiet,
  keepQuiet,
}: Pick<Watches, "last" | "keep" | "quiet" | "keepQuiet">): void {
  const now = last();
  if (now === undefined) return;
  keepQuiet({ ...quiet(), ...now.silent });
  keep(now);
}

/** Reads the watch without its changes. It is parsed again only if the file was replaced. */
function createReader(dir: string): () => Watch | undefined {
  let known: { readonly is: string; readonly watch: Watch | undefined } | undefined;
  return () => {
    const found = statSync(watchPath(dir), QUIET);
    const is = found === undefined ? "" : `${found.ino} ${found.size} ${found.mtimeMs}`;
    if (known?.is !== is) known = { is, watch: readBase(dir) };
    return known.watch;
  };
}

/** Changes are lines in a file beside the watch, so that a step costs the same however much is held. */
function withMore(dir: string, watch: Watch | undefined): Watch | undefined {
  if (watch === undefined) return undefined;
  const changes: WatchChange[] = [];
  for (const line of readOwn(morePath(dir)).split("\n")) {
    if (line === "") continue;
    const change = changeIn(line, watch.id);
    // An incomplete line may have been about anything, so the watch is not usable.
    if (change === "torn") return undefined;
    if (change !== undefined) changes.push(change);
  }
  return withChanges(watch, changes);
}

function changeIn(line: string, id: string | undefined): WatchChange | "torn" | undefined {
  const value: unknown = parseJson(line);
  if (typeof value !== "object" || value === null || !("change" in value)) return "torn";
  const { change }: { readonly change: unknown } = value;
  if (!isChange(change)) return "torn";
  return "of" in value && value.of === id ? change : undefined;
}

/** We write it ourselves, as a whole line, so checking its outline is enough. */
function isChange(value: unknown): value is WatchChange {
  return (
    typeof value === "object" &&
    value !== null &&
    "file" in value &&
    "size" in value &&
    "places" in value &&
    Array.isArray(value.places)
  );
}

function morePath(dir: string): string {
  return join(dir, "watch-more.jsonl");
}

const MORE_BYTES_MAX = 64 * 1024;

export function watchPath(dir: string): string {
  return join(dir, "watch.json");
}

/** Undefined if there is none, or it cannot be read. */
export function readWatch(dir: string): Watch | undefined {
  return withMore(dir, readBase(dir));
}

function readBase(dir: string): Watch | undefined {
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

export function isFresh(dir: string, { made, listed }: Watch): boolean {
  const files = Object.entries(made);
  if (files.length > MADE_MAX || listedIn(dir) !== listed) return false;
  return files.every(([file, { size }]) => fileOf(dir, file)?.size === size);
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

function namesIn(dir: string): readonly string[] {
  return readdirSync(journalsDir(dir))
    .filter((name) => name.endsWith(JOURNAL_SUFFIX))
    .map((name) => name.slice(0, -JOURNAL_SUFFIX.length));
}

function journalsIn(dir: string): Awaited<ReturnType<Watches["journals"]>> {
  return namesIn(dir).flatMap((name) => {
    const known = fileOf(dir, name);
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
