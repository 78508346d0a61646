import { matchesGlob } from "./glob.ts";
import { isJsonArray, isJsonObject, showJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { isUnknown, whyUnknown } from "./unknown.ts";

/**
 * What changed between an order and its report, as measured by Holdpoint and not as claimed. It is the fact
 * `change:<dispatch>` and is recorded beside the report. It is unknown if the files could not be read in full at
 * either time.
 */
export interface Measured {
  /** By path: kind and digest of the file before and now; null where there was none, or is none. */
  readonly files: Readonly<Record<string, Change>>;
  /** For each moved file, its new path and its old one. */
  readonly moved: Readonly<Record<string, string>>;
  /** Commits since the order that Holdpoint did not make, with id and subject. */
  readonly commits: readonly string[];
  /**
   * Paths changed by those commits but not in the files now, because the change was reverted or dropped from the
   * branch.
   */
  readonly committed: readonly string[];
  /**
   * Changed files that ignore rules exclude now but did not at the time of the order. Nothing bound to the tree
   * covers them.
   */
  readonly hidden: readonly string[];
  /** Files and folders (ending in `/`) that exist but were not read, because ignore rules exclude them. */
  readonly unmeasured: readonly string[];
}

export type Change = readonly [before: string | null, now: string | null];

/** The fact that holds the reading of a unit's files taken when its work was sent out. */
export function readingKey(unit: string): string {
  return `files:${unit}`;
}

export function changeKey(dispatch: string): string {
  return `change:${dispatch}`;
}

/** The fact that holds what changed in a unit's files while no order was out; null if nothing. */
export function unorderedKey(unit: string): string {
  return `unordered:${unit}`;
}

/**
 * Whether a fact is such a reading. It only marks from when on changes are counted; a change after it is seen
 * with the next one, so it need not be current.
 */
export function isReading(key: string): boolean {
  return key === TIP || key.startsWith(readingKey(""));
}

/** A sentence about changes made while no order was out, naming cancelled work they may come from. */
export function tellUnordered(changed: Json): string {
  const off = isJsonObject(changed) && isJsonArray(changed["off"]) ? changed["off"] : [];
  const called = off.map((one) => `${showJson(one)} was called off, and `).join("");
  return `${called}changed while no agent was at work: ${tellMeasured(changed)}`;
}

/** Replaces the subject of a commit that was checked out when the work was sent out and is gone now. */
export const GONE = "is no longer in what is checked out";

/** Commits that existed when the work was sent out and are gone now: reset, amended or rebased. */
export function goneIn({ commits }: Measured): readonly string[] {
  return commits.flatMap((one) =>
    one.endsWith(` ${GONE}`) ? [one.slice(0, one.indexOf(" "))] : [],
  );
}

/** The commit checked out when the work was sent out. */
export const TIP = "tip";

/** Reads the measured change: undefined while it was not looked up, a sentence if it is unknown. */
export function readMeasured(value: Json | undefined): Measured | string | undefined {
  if (value === undefined) return undefined;
  if (isUnknown(value)) return whyUnknown(value);
  if (!isJsonObject(value)) return "nobody has measured what changed";
  const { files, moved, commits, committed, hidden, unmeasured } = value;
  return {
    files: isJsonObject(files) ? mapped(files, changeOf) : {},
    moved: isJsonObject(moved) ? mapped(moved, showJson) : {},
    commits: isJsonArray(commits) ? commits.map(showJson) : [],
    committed: isJsonArray(committed) ? committed.map(showJson) : [],
    hidden: isJsonArray(hidden) ? hidden.map(showJson) : [],
    unmeasured: isJsonArray(unmeasured) ? unmeasured.map(showJson) : [],
  };
}

function changeOf(value: Json): Change {
  const [before, now] = isJsonArray(value) ? value : [];
  return [textOf(before), textOf(now)];
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function mapped<T>(record: JsonObject, read: (value: Json) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, read(value)]));
}

/** Every path that was touched, even if the files no longer show it. */
export function touchedIn({ files, committed }: Measured): readonly string[] {
  return [...Object.keys(files), ...committed];
}

/** The touched paths that match one of the patterns (`inside`), or none of them (`outside`). */
export function changedPaths(
  measured: Measured,
  patterns: readonly string[],
  side: "inside" | "outside",
): readonly string[] {
  return touchedIn(measured).filter(
    (path) => patterns.some((pattern) => matchesGlob(pattern, path)) === (side === "inside"),
  );
}

/** Unmeasured paths that lie below or around what a pattern is about. */
export function unmeasuredNear({ unmeasured }: Measured, pattern: string): readonly string[] {
  const place = pattern.split(/[*?[{]/, 1)[0] ?? "";
  const inside = place === "" ? "" : place.replace(/\/?$/, "/");
  return unmeasured.filter(
    (path) =>
      path === place || path.startsWith(inside) || (path.endsWith("/") && place.startsWith(path)),
  );
}

/** Shortens the measured change for the workflow's state. The full list is in the record. */
export function trimMeasured(value: Json): Json {
  if (!isJsonObject(value) || !isJsonObject(value["files"])) return value;
  const files = Object.entries(value["files"]);
  const unmeasured = isJsonArray(value["unmeasured"]) ? value["unmeasured"] : [];
  if (files.length <= CARRIED_MAX && unmeasured.length <= CARRIED_MAX) return value;
  const kept = files.slice(0, CARRIED_MAX);
  const hidden = isJsonArray(value["hidden"]) ? value["hidden"] : [];
  return {
    ...value,
    ...(hidden.length === 0 ? {} : { hidden: hidden.slice(0, CARRIED_MAX) }),
    ...(unmeasured.length === 0 ? {} : { unmeasured: unmeasured.slice(0, CARRIED_MAX) }),
    ...(files.length === kept.length
      ? {}
      : { files: Object.fromEntries(kept), moved: {}, more: files.length - kept.length }),
  };
}

const CARRIED_MAX = 100;

/** A measured change in one line. */
export function tellMeasured(value: Json): string {
  const measured = readMeasured(value);
  if (measured === undefined || typeof measured === "string")
    return `what changed is not known: ${measured ?? ""}`;
  const { files, moved, commits, committed, hidden, unmeasured } = measured;
  const from = new Set(Object.values(moved));
  const kinds: Record<string, string[]> = { added: [], modified: [], deleted: [], moved: [] };
  for (const [path, [before, now]] of Object.entries(files)) {
    if (path in moved) kinds["moved"]?.push(`${moved[path]} → ${path}`);
    else if (!from.has(path))
      kinds[before === null ? "added" : now === null ? "deleted" : "modified"]?.push(path);
  }
  const told = Object.entries(kinds).flatMap(([kind, paths]) =>
    paths.length === 0 ? [] : [`${kind} ${tellPaths(paths)}`],
  );
  const more = isJsonObject(value) && typeof value["more"] === "number" ? value["more"] : 0;
  if (more > 0) told.push(`and ${more} more`);
  if (commits.length > 0) told.push(`committed ${tellPaths(commits)}`);
  if (committed.length > 0) told.push(`only in commits ${tellPaths(committed)}`);
  if (hidden.length > 0) told.push(tellHidden(hidden));
  if (told.length === 0) told.push("nothing changed");
  if (unmeasured.length > 0) told.push(tellUnmeasured(unmeasured));
  return told.join("; ");
}

/** A sentence about changed files that ignore rules now hide. */
export function tellHidden(paths: readonly string[]): string {
  return `left out by a new ignore rule, and so in no tree that was checked: ${tellPaths(paths)}`;
}

/** A sentence about files that were not measured. */
export function tellUnmeasured(paths: readonly string[]): string {
  return `ignored, and so not measured: ${tellPaths(paths)}`;
}

/** Adds to a sentence which files near its paths were not measured. */
export function besideUnmeasured(
  measured: Measured,
  sentence: string,
  places: readonly string[],
): string {
  const near = [...new Set(places.flatMap((place) => unmeasuredNear(measured, place)))];
  return near.length === 0 ? sentence : `${sentence}; ${tellUnmeasured(near)}`;
}

const NAMED_MAX = 20;

/** Lists some paths, and how many more there are. */
export function tellPaths(paths: readonly string[]): string {
  const more = paths.length - NAMED_MAX;
  return `${paths.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
