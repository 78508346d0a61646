import { matchesGlob } from "./glob.ts";
import { isJsonArray, isJsonObject, showJson } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { isUnknown, whyUnknown } from "./unknown.ts";

/**
 * What changed between an order and its report, measured and never claimed. It comes as the fact `change:<dispatch>` and
 * is recorded beside the claim; unknown where the one or the other reading could not be had in full.
 */
export interface Measured {
  /** By path: what the file was before and is now, as its kind and digest; null where there was or is none. */
  readonly files: Readonly<Record<string, Change>>;
  /** Where a file now is that was moved, and where it was before. */
  readonly moved: Readonly<Record<string, string>>;
  /** Commits since the order that Holdpoint did not make: id and subject. */
  readonly commits: readonly string[];
  /** What those commits changed and the files do not show: it was put back, or taken out of the branch again. */
  readonly committed: readonly string[];
  /** Of the files, those that ignore rules leave out by now, and did not before. Nothing that is bound to a tree covers them. */
  readonly hidden: readonly string[];
  /** What is there and was not looked at, because ignore rules leave it out: files, and folders with `/`. */
  readonly unmeasured: readonly string[];
}

export type Change = readonly [before: string | null, now: string | null];

/** The fact that says what a reading of the whole place came to when the work was handed out. */
export function readingKey(unit: string): string {
  return `files:${unit}`;
}

export function changeKey(dispatch: string): string {
  return `change:${dispatch}`;
}

/** The fact that says what changed in the place of a unit while nobody was ordered to change it; null for nothing. */
export function unorderedKey(unit: string): string {
  return `unordered:${unit}`;
}

/** A reading only says from when on changes are seen: what changes after it is seen the next time, and nothing is lost. */
export function isReading(key: string): boolean {
  return key === TIP || key.startsWith(readingKey(""));
}

/** What changed while no order was out, in a sentence; with whose work was called off meanwhile. */
export function tellUnordered(changed: Json): string {
  const off = isJsonObject(changed) && isJsonArray(changed["off"]) ? changed["off"] : [];
  const called = off.map((one) => `${showJson(one)} was called off, and `).join("");
  return `${called}changed while no agent was at work: ${tellMeasured(changed)}`;
}

/** The commit that was checked out when the work was handed out. */
export const TIP = "tip";

/** The measured change as it was looked up; undefined while it is not, a sentence where it is unknown. */
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

/** Every path that was touched, whether or not the files still show it. */
export function touchedIn({ files, committed }: Measured): readonly string[] {
  return [...Object.keys(files), ...committed];
}

/** The paths that were touched and match one of the patterns; or, outside, those that match none. */
export function changedPaths(
  measured: Measured,
  patterns: readonly string[],
  side: "inside" | "outside",
): readonly string[] {
  return touchedIn(measured).filter(
    (path) => patterns.some((pattern) => matchesGlob(pattern, path)) === (side === "inside"),
  );
}

/** Of what was not measured, what lies below the place that a path or pattern is about, or around it. */
export function unmeasuredNear({ unmeasured }: Measured, pattern: string): readonly string[] {
  const place = pattern.split(/[*?[{]/, 1)[0] ?? "";
  const inside = place === "" ? "" : place.replace(/\/?$/, "/");
  return unmeasured.filter(
    (path) =>
      path === place || path.startsWith(inside) || (path.endsWith("/") && place.startsWith(path)),
  );
}

/** Of the measured change, what a workflow carries along; the whole of it stands in its record. */
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

/** What was measured, in one line. */
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

/** What was seen, and will not be seen again. */
export function tellHidden(paths: readonly string[]): string {
  return `left out by a new ignore rule, and so in no tree that was checked: ${tellPaths(paths)}`;
}

/** What nobody looked at. */
export function tellUnmeasured(paths: readonly string[]): string {
  return `ignored, and so not measured: ${tellPaths(paths)}`;
}

/** A sentence, and beside it what nobody looked at near the places that it is about. */
export function besideUnmeasured(
  measured: Measured,
  sentence: string,
  places: readonly string[],
): string {
  const near = [...new Set(places.flatMap((place) => unmeasuredNear(measured, place)))];
  return near.length === 0 ? sentence : `${sentence}; ${tellUnmeasured(near)}`;
}

const NAMED_MAX = 20;

/** Some paths, and how many more there are. */
export function tellPaths(paths: readonly string[]): string {
  const more = paths.length - NAMED_MAX;
  return `${paths.slice(0, NAMED_MAX).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
