/**
 * The list of all streams: one cached index, compared with the directory only by names, sizes and times. With ten
 * thousand streams, opening each file would take seconds.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { Json } from "../../../core/values/json.ts";
import { compareTexts, isJsonArray, isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { StreamSummary } from "../../../ports/journal.ts";
import type { Store } from "./disk.ts";
import { errorCode, readIfThere, replaceCache } from "./disk.ts";
import { seal, unseal } from "./line.ts";
import { decodeName, encodeName } from "./names.ts";
import { JOURNAL_SUFFIX, SNAPSHOT_SUFFIX, journalsDir, namePath, snapshotPath } from "./paths.ts";

export interface ListIndex {
  /** By file name without extension. */
  readonly rows: Map<string, Listed>;
  /** The last answer, valid as long as no row changes. */
  answer: readonly StreamSummary[] | undefined;
}

interface Listed {
  readonly size: number;
  readonly mtimeMs: number;
  /**
   * The change time cannot be set by programs, so it shows a journal that was rewritten to the same size and
   * time.
   */
  readonly ctimeMs: number;
  readonly summary: StreamSummary;
}

export type Summarize = (stream: string) => Omit<StreamSummary, "stream">;

export function listStreams<S>(
  store: Store<S>,
  index: ListIndex,
  summarize: Summarize,
): readonly StreamSummary[] {
  const { rows } = index;
  const files = readFiles(store);
  const journals = journalsDir(store.dir);
  let stale = 0;
  for (const file of files) {
    // No `join()`: for ten thousand streams, it alone would take a tenth of the time allowed.
    const found = statSync(`${journals}/${file}${JOURNAL_SUFFIX}`, QUIET);
    const listed = rows.get(file);
    if (found === undefined || isFresh(listed, found)) continue;
    const stream = listed?.summary.stream ?? readName(store, file);
    // The size from before reading is kept, so that an append made meanwhile makes the row stale again.
    const { size, mtimeMs, ctimeMs } = found;
    rows.set(file, { size, mtimeMs, ctimeMs, summary: { stream, ...summarize(stream) } });
    stale += 1;
  }
  const removed = rows.size > files.length && dropRemoved(store, index, new Set(files));
  if (stale > 0 || removed) index.answer = undefined;
  // The index is written only if many rows were stale: folding a few again is cheaper than writing all.
  if (stale > STALE_MAX) writeIndex(store, index);
  index.answer ??= sortRows(index);
  return index.answer;
}

/**
 * Includes streams of which only a snapshot is left. It proves that there was a journal, and reading it reports
 * the loss.
 */
export function namesOf<S>(store: Store<S>): readonly string[] {
  const snapshots = namesIn(dirname(indexPath(store)), SNAPSHOT_SUFFIX);
  const files = [...readFiles(store), ...snapshots.filter((file) => file !== INDEX)];
  return [...new Set(files)].map((file) => readName(store, file));
}

export function readIndex<S>(store: Store<S>): ListIndex {
  const bytes = readIfThere(indexPath(store));
  const sealed = bytes === undefined ? undefined : unseal(bytes);
  const value = sealed === undefined ? undefined : parseJson(sealed.text);
  const index: ListIndex = { rows: new Map(), answer: undefined };
  if (!isJsonObject(value) || value["fold"] !== store.fold.version) return index;
  const found = value["rows"];
  for (const row of isJsonArray(found) ? found : []) {
    if (isJsonArray(row)) readRow(index, row);
  }
  return index;
}

function readFiles<S>(store: Store<S>): string[] {
  return namesIn(journalsDir(store.dir), JOURNAL_SUFFIX);
}

function namesIn(directory: string, suffix: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith(suffix))
      .map((name) => name.slice(0, -suffix.length));
  } catch (error) {
    // A journal opened only for reading may have no directory yet.
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function isFresh(listed: Listed | undefined, found: Omit<Listed, "summary">): boolean {
  return (
    listed?.size === found.size &&
    listed.mtimeMs === found.mtimeMs &&
    listed.ctimeMs === found.ctimeMs
  );
}

function sortRows(index: ListIndex): readonly StreamSummary[] {
  return Array.from(index.rows.values(), (listed) => listed.summary)
    .filter((summary) => summary.seq > 0)
    .sort((a, b) => compareTexts(a.stream, b.stream));
}

/** A journal that is gone but has a snapshot stays in the list, so that somebody notices. */
function dropRemoved<S>(store: Store<S>, index: ListIndex, files: ReadonlySet<string>): boolean {
  let removed = false;
  for (const file of index.rows.keys()) {
    if (files.has(file) || existsSync(snapshotPath(store.dir, file))) continue;
    removed = index.rows.delete(file);
  }
  return removed;
}

function readName<S>(store: Store<S>, file: string): string {
  const decoded = decodeName(file);
  if (decoded !== undefined) return decoded;
  const name = parseJson(readIfThere(namePath(store.dir, file))?.toString("utf8") ?? "");
  const fits = typeof name === "string" && encodeName(name).file === file;
  // If the name file is unreadable, the stream is listed under its file name.
  return fits ? name : file;
}

function writeIndex<S>(store: Store<S>, index: ListIndex): void {
  const rows = Array.from(index.rows, ([file, { size, mtimeMs, ctimeMs, summary: row }]) => {
    return [file, size, mtimeMs, ctimeMs, row.stream, row.seq, row.at, row.summary];
  });
  const text = JSON.stringify({ fold: store.fold.version, rows });
  replaceCache(store, "index", indexPath(store), seal(text));
}

function readRow(index: ListIndex, row: readonly Json[]): void {
  const [file, size, mtimeMs, ctimeMs, stream, seq, at, summary] = row;
  if (typeof file !== "string" || typeof size !== "number") return;
  if (typeof mtimeMs !== "number" || typeof ctimeMs !== "number") return;
  if (typeof stream !== "string" || typeof seq !== "number" || typeof at !== "string") return;
  index.rows.set(file, {
    size,
    mtimeMs,
    ctimeMs,
    summary: { stream, seq, at, summary: summary ?? null },
  });
}

function indexPath<S>(store: Store<S>): string {
  return snapshotPath(store.dir, INDEX);
}

const INDEX = "_all";

const STALE_MAX = 8;
const QUIET = { throwIfNoEntry: false } as const;
