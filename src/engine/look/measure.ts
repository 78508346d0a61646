import { isJsonObject, member, parseJson, showJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { readingKey, TIP } from "../../core/values/measured.ts";
import type { Change } from "../../core/values/measured.ts";
import type { Event } from "../../core/state/events.ts";
import { ROOT } from "../../core/state/state.ts";
import type { Bound, Workflow } from "../../core/state/state.ts";
import { unknown } from "../../core/values/unknown.ts";
import type { Family, World, Written } from "../../ports/family.ts";
import type { TreeReading } from "../../ports/reading.ts";
import { openWorld } from "../parts.ts";
import type { Parts } from "../parts.ts";

/**
 * Facts about the work itself, from the bytes of the files: what is there, and what changed since it was sent
 * out.
 */

type Looking = [world: World, of: string, state: Workflow, family: Family];

/** One digest of everything below a directory, except state files: writing state changes no code. */
export async function lookTree(...[world, directory, state, family]: Looking): Promise<Json> {
  const reading = await world.tree(directory);
  const problem = problemIn(reading, viewsOf(family, state));
  if (problem !== undefined) return unknown(problem);
  return world.sha256(JSON.stringify([...productOf(reading, family, state)]));
}

/** Reads the files where a unit's work is done; the fact is the digest under which the reading is stored. */
export async function lookFiles(...[world, unit, state, family]: Looking): Promise<Json> {
  const reading = await world.tree(family.checks.at(state, unit) || ".");
  const problem = problemIn(reading, viewsOf(family, state));
  return problem === undefined
    ? world.sha256(textOf(reading, productOf(reading, family, state)))
    : unknown(problem);
}

/** What changed since a piece of work was sent out. */
export async function lookChange(...[world, id, state, family]: Looking): Promise<Json> {
  const dispatch = member(state.dispatches, id);
  if (dispatch === undefined) return unknown(UNREAD);
  const { unit, baseline, sentAt } = dispatch;
  return await changeSince(world, { unit, baseline, at: sentAt }, state, family);
}

/** What a unit's files looked like at some time. */
export interface Before {
  readonly unit: string;
  readonly baseline: Bound;
  readonly at: string;
}

/** What changed in a unit's files since then, except for what Holdpoint itself wrote. */
export async function changeSince(
  world: World,
  moment: Before,
  state: Workflow,
  family: Family,
): Promise<Json> {
  const before = await readBaseline(world, moment);
  if (before === undefined) return unknown(UNREAD);
  const place = family.checks.at(state, moment.unit);
  const now = await world.tree(place || ".", before.rules);
  const views = viewsOf(family, state);
  const problem = problemIn(now, views);
  if (problem !== undefined) return unknown(problem);
  const written = onceAsked(() => world.written(moment.at));
  const { commits, paths } =
    place === "" ? await commitsBy(world, moment, written) : { commits: [], paths: [] };
  const changes = new Map<string, Change>();
  for (const path of new Set([...before.files.keys(), ...now.files.keys()])) {
    const change: Change = [before.files.get(path) ?? null, now.files.get(path) ?? null];
    if (change[0] === change[1] || views.has(path)) continue;
    if (!(await isOurs(written, path, change))) changes.set(path, change);
  }
  const shown = paths.length === 0 ? new Map() : (await written()).views;
  const committed: string[] = [];
  for (const { oid, path } of paths)
    if (!changes.has(path) && !views.has(path) && !shown.has(path))
      if (!(await readsAs(world, oid, path, before.files.get(path)))) committed.push(path);
  const hidden = [...changes.keys()].filter((path) => now.hidden.has(path));
  return {
    files: Object.fromEntries(changes),
    moved: movedIn(changes),
    commits,
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(now.left.length === 0 ? {} : { unmeasured: now.left }),
    ...(committed.length === 0 ? {} : { committed: [...new Set(committed)].sort() }),
  };
}

const UNREAD = "the reading from when the work was handed out is not there";

/**
 * Stores the readings taken for this record's orders and at the end of its steps, so that later ones can be
 * compared with them.
 */
export async function keepReadings(
  parts: Parts,
  { family, state }: { readonly family: Family; readonly state: Workflow },
  events: readonly Event[],
): Promise<void> {
  const kept = events.map(async (event) => {
    if (event.type !== "dispatch.sent" && event.type !== "work.left") return;
    const known = event.baseline[readingKey(event.unit)];
    if (typeof known !== "string") return;
    const reading = await openWorld(parts).tree(family.checks.at(state, event.unit) || ".");
    await parts.blobs.put(textOf(reading, productOf(reading, family, state)));
  });
  await Promise.all(kept);
}

/** The first thing that could not be read, apart from state files. Then the whole reading is unknown. */
function problemIn({ problems }: TreeReading, views: ReadonlySet<string>): string | undefined {
  const first = [...problems].find(([path]) => !views.has(path));
  return first === undefined ? undefined : `${first[0]} ${first[1]}: mend it or take it away`;
}

function viewsOf(family: Family, state: Workflow): ReadonlySet<string> {
  // A workflow that is just being adopted has no state files of ours yet.
  if (!Object.hasOwn(state.units, ROOT)) return new Set();
  return new Set(family.views(state).map((view) => view.path));
}

function productOf({ files }: TreeReading, family: Family, state: Workflow): TreeReading["files"] {
  const views = viewsOf(family, state);
  return new Map([...files].filter(([path]) => !views.has(path)));
}

/** Equal readings give equal texts, and so are stored once. */
function textOf({ rules }: TreeReading, files: TreeReading["files"]): string {
  return JSON.stringify({ rules: Object.fromEntries(rules), files: Object.fromEntries(files) });
}

type Baseline = Pick<TreeReading, "files" | "rules">;

export async function readBaseline(
  { blobs }: Pick<World, "blobs">,
  { baseline, unit }: Pick<Before, "baseline" | "unit">,
): Promise<Baseline | undefined> {
  const digest = baseline[readingKey(unit)];
  if (typeof digest !== "string") return undefined;
  const blob = await blobs.get(digest);
  if (blob.kind !== "found") return undefined;
  const value = parseJson(new TextDecoder().decode(blob.bytes));
  if (!isJsonObject(value)) return undefined;
  return { files: textsIn(value["files"]), rules: textsIn(value["rules"]) };
}

function textsIn(value: Json | undefined): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(isJsonObject(value) ? value : {}).map(([key, one]) => [key, showJson(one)]),
  );
}

function onceAsked<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => (asked ??= ask());
}

/** A state file of another workflow that is still as it was last shown. */
async function isOurs(
  written: () => Promise<Written>,
  path: string,
  [, now]: Change,
): Promise<boolean> {
  const shown = (await written()).views.get(path);
  return (
    shown !== undefined && (shown === null ? now === null : now?.endsWith(` ${shown}`) === true)
  );
}

/** Files that disappeared in one place and appeared in another with the same bytes. */
export function movedIn(changes: ReadonlyMap<string, Change>): JsonObject {
  const gone = new Map<string, string>();
  for (const [path, [before, now]] of changes)
    if (now === null && before !== null) gone.set(before, path);
  const moved: Record<string, string> = {};
  for (const [path, [before, now]] of changes) {
    const from = before === null && now !== null ? gone.get(now) : undefined;
    if (from !== undefined) moved[path] = from;
  }
  return moved;
}

interface Committed {
  /** Id and subject of each. */
  readonly commits: readonly string[];
  readonly paths: readonly { readonly oid: string; readonly path: string }[];
}

/**
 * Commits since the order that no record led to, and what they changed. Anybody who knows a record's hash can
 * name it in a commit, but cannot make the record name that commit, so both must agree. If git cannot tell, the
 * result says so.
 */
async function commitsBy(
  { git }: World,
  { baseline, at }: Before,
  written: () => Promise<Written>,
): Promise<Committed> {
  const tip = baseline[TIP];
  const isNone = tip === null && (await git.resolve("HEAD")) === undefined;
  if (tip === undefined || isNone) return { commits: [], paths: [] };
  const commits = await git.commitsSince(typeof tip === "string" ? tip : "", at);
  if (commits === undefined) return { commits: [UNTOLD], paths: [] };
  if (commits.length === 0) return { commits: [], paths: [] };
  const { records, commits: ours } = await written();
  const foreign = commits.filter((one) => !(records.has(one.record) && ours.has(one.oid)));
  return {
    commits: foreign.map(({ oid, subject }) => `${oid.slice(0, OID_CHARS)} ${subject}`),
    paths: foreign.flatMap(({ oid, paths }) => paths.map((path) => ({ oid, path }))),
  };
}

/** The commit contains the file exactly as it was read before, so whoever committed it did not change it. */
async function readsAs(
  { git, sha256 }: World,
  oid: string,
  path: string,
  before: string | undefined,
): Promise<boolean> {
  if (before === undefined) return false;
  const bytes = await git.show(oid, path);
  return bytes !== undefined && before.endsWith(` ${sha256(bytes)}`);
}

const UNTOLD = "git cannot say what was committed since";
const OID_CHARS = 12;
