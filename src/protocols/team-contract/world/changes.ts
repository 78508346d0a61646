import { canonicalJson, isJsonObject, parseJson, showJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { texts } from "../../../core/values/json-read.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { Dispatch, Workflow } from "../../../core/state/state.ts";
import { isUnknown, unknown } from "../../../core/values/unknown.ts";
import type { ChangedFile } from "../files/input-json.ts";
import { SESSIONS } from "../files/session-name.ts";
import type { World } from "../../../ports/family.ts";
import { leftByRuns } from "../table/evidence.ts";
import { isCode } from "../table/paths.ts";

/**
 * What a session has changed, by the bytes of the files and not by what agents or git say: the difference between
 * the reading at its start and the files now, without its own folder.
 */
type Differences = ReadonlyMap<string, readonly [before: string | null, now: string | null]>;

/** The starting point of a session: the commit, and a reading of all files. */
export async function baseOf(world: World): Promise<JsonObject> {
  const { files, rules, problems } = await world.tree(".");
  const [problem] = problems;
  const reading = JSON.stringify({
    rules: Object.fromEntries(rules),
    files: Object.fromEntries(files),
  });
  return {
    commit: (await world.git.resolve("HEAD").catch(() => undefined)) ?? "",
    reading: await world.blobs.put(reading),
    ...(problem === undefined ? {} : { unread: `${problem[0]} ${problem[1]}` }),
  };
}

/** Comparisons in progress: every task asks at the same time what has changed, so the result is shared. */
const underWay = new WeakMap<World, Promise<Differences | string>>();

/** The differences, or why they are unknown. */
async function differences(world: World, state: Workflow): Promise<Differences | string> {
  const known = underWay.get(world);
  if (known !== undefined) return await known;
  const asked = readDifferences(world, state).finally(() => underWay.delete(world));
  underWay.set(world, asked);
  return await asked;
}

/** Includes files hidden by ignore rules added since the start, except those that check runs wrote. */
async function readDifferences(world: World, state: Workflow): Promise<Differences | string> {
  const { base: began } = state.vars;
  const base = isJsonObject(began) ? began : {};
  if (typeof base["unread"] === "string") return base["unread"];
  const blob = await world.blobs.get(showJson(base["reading"] ?? ""));
  const kept = blob.kind === "found" ? parseJson(new TextDecoder().decode(blob.bytes)) : undefined;
  if (!isJsonObject(kept) || !isJsonObject(kept["files"]))
    return "the reading with which the session began is not there";
  const rules = Object.entries(isJsonObject(kept["rules"]) ? kept["rules"] : {});
  const { files, problems } = await world.tree(
    ".",
    new Map(rules.map(([path, text]) => [path, showJson(text)])),
  );
  const [problem] = problems;
  if (problem !== undefined) return `${problem[0]} ${problem[1]}`;
  const left = new Set(leftByRuns(state, 0));
  const shown = left.size === 0 ? files : (await world.tree(".")).files;
  const before = new Map(Object.entries(kept["files"]).map(([path, one]) => [path, showJson(one)]));
  const changed = new Map<string, [string | null, string | null]>();
  for (const path of [...new Set([...before.keys(), ...files.keys()])].sort()) {
    const [was, is] = [before.get(path) ?? null, files.get(path) ?? null];
    const isRunsOwn = left.has(path) && is !== null && !shown.has(path);
    if (was !== is && !isRunsOwn && !path.startsWith(`${SESSIONS}/`)) changed.set(path, [was, is]);
  }
  return changed;
}

/** The list for the Reviewer; undefined if it is unknown. */
export async function sessionChanges(
  world: World,
  state: Workflow,
): Promise<readonly ChangedFile[] | undefined> {
  const changed = await differences(world, state);
  if (typeof changed === "string") return undefined;
  const gone = new Map(
    [...changed].flatMap(([path, [was, is]]) => (is === null ? [[was, path]] : [])),
  );
  const moved = new Map(
    [...changed].flatMap(([path, [was, is]]) => {
      const from = was === null ? gone.get(is) : undefined;
      return from === undefined ? [] : [[path, from] as const];
    }),
  );
  const left = new Set(moved.values());
  const found = [...changed]
    .filter(([path]) => !left.has(path))
    .map(([path, [was, is]]): ChangedFile => {
      const from = moved.get(path);
      if (from !== undefined) return { path, change_type: "renamed", old_path: from };
      return { path, change_type: was === null ? "added" : is === null ? "deleted" : "modified" };
    });
  const lying = await uncommitted(world, state);
  return [...found.filter(({ path }) => lying.every((one) => one.path !== path)), ...lying];
}

/** A session adopted while under way may have uncommitted work. */
async function uncommitted(
  { git, place }: World,
  { vars }: Workflow,
): Promise<readonly ChangedFile[]> {
  const { base } = vars;
  if (!isJsonObject(base) || base["whole"] !== false || place.kind !== "repository") return [];
  const lying = (await git.changesSince(showJson(base["commit"] ?? ""))) ?? [];
  return lying.map(({ path, change, from }) => ({
    path,
    change_type: change,
    ...(from === undefined ? {} : { old_path: from }),
  }));
}

/** Every path that differs from the start, with its current content. */
export async function lookWorktree(world: World, _: string, state: Workflow): Promise<Json> {
  return await pick(world, state, () => true);
}

async function pick(
  world: World,
  state: Workflow,
  isMeant: (path: string) => boolean,
): Promise<Json> {
  const changed = await differences(world, state);
  if (typeof changed === "string") return unknown(changed);
  const meant = [...changed].filter(([path]) => isMeant(path));
  return Object.fromEntries(meant.map(([path, [, now]]) => [path, now]));
}

/** What a verdict is about: what was done for the unit, and what was not done for any other. */
export async function lookChanges(world: World, unit: string, state: Workflow): Promise<Json> {
  // Documents are written after the whole was checked, so only code counts here.
  if (unit === ROOT) return await pick(world, state, isCode);
  const work = Object.values(state.dispatches);
  const mine = new Set(work.filter((one) => one.unit === unit).flatMap(touchedBy));
  const theirs = new Set(
    work.filter((one) => one.unit !== unit && one.unit !== ROOT).flatMap(touchedBy),
  );
  return await pick(world, state, (path) => mine.has(path) || !theirs.has(path));
}

/** What a piece of work changed, as measured, and what its report named. */
function touchedBy({ claim, measured }: Dispatch): readonly string[] {
  const files = isJsonObject(measured) ? measured["files"] : undefined;
  return [...texts(claim?.["files"]), ...Object.keys(isJsonObject(files) ? files : {})];
}

/** One digest of the code now, as far as the session has changed it. */
export async function lookCode(world: World, _: string, state: Workflow): Promise<Json> {
  const changed = await lookChanges(world, ROOT, state);
  return isUnknown(changed) ? changed : world.sha256(canonicalJson(changed));
}

/** Files that the engine itself writes in every session. */
const VIEWS: readonly string[] = ["status.json", "tasks.yaml", "approve-design-history.jsonl"];

/** The files of this session, and one digest for each other session, even if git ignores them. */
export async function lookSessions(world: World, id: string): Promise<Json> {
  const { files, problems } = await world.workspace.measure(SESSIONS, { rules: new Map() });
  const [problem] = problems;
  if (problem !== undefined) return unknown(`${problem[0]} ${problem[1]}`);
  const found: Record<string, string> = {};
  for (const [path, entry] of files) {
    const [, session = "", ...rest] = path.split("/");
    if (VIEWS.includes(rest.join("/"))) continue;
    const key = session === id ? path : `${SESSIONS}/${session}`;
    found[key] = session === id ? entry : world.sha256(`${found[key] ?? ""}\n${path} ${entry}`);
  }
  return found;
}
