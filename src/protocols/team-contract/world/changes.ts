import { canonicalJson, isJsonArray, isJsonObject, showJson } from "../../../core/json.ts";
import type { Json, JsonObject } from "../../../core/json.ts";
import { ROOT } from "../../../core/state.ts";
import type { Workflow } from "../../../core/state.ts";
import type { ChangedFile } from "../files/input-json.ts";
import { SESSIONS } from "../files/session-name.ts";
import type { World } from "../../../ports/family.ts";
import { isCode } from "../table/paths.ts";

/**
 * What a session has changed, by git and not by what agents say: everything between the commit it began
 * on and the files as they are now. What lay about before it began, and still does, is not its work.
 */
export async function sessionChanges(
  world: World,
  state: Workflow,
): Promise<readonly ChangedFile[] | undefined> {
  const { base } = state.vars;
  const all = await differences(world, state);
  if (all === undefined || !isJsonObject(base)) return all;
  const before = isJsonObject(base["dirty"]) ? base["dirty"] : {};
  const old = all.filter(({ path }) => Object.hasOwn(before, path)).map(({ path }) => path);
  const now = await digestsOf(world, old);
  return all.filter(({ path }) => !Object.hasOwn(now, path) || now[path] !== before[path]);
}

type Differences = Promise<readonly ChangedFile[] | undefined>;

/** Looks under way: every task asks at once what was changed, and git is asked once for all of them. */
const underWay = new WeakMap<World, Differences>();

/** Undefined when nobody can tell: no git, or the commit the session began on is gone. */
async function differences(world: World, state: Workflow): Differences {
  const known = underWay.get(world);
  if (known !== undefined) return await known;
  const asked = readDifferences(world, state).finally(() => underWay.delete(world));
  underWay.set(world, asked);
  return await asked;
}

async function readDifferences({ git, place }: World, { vars }: Workflow): Differences {
  if (place.kind !== "repository") return undefined;
  const commit = isJsonObject(vars["base"]) ? vars["base"]["commit"] : undefined;
  if (typeof commit !== "string") return uncommitted(await git.changes(["."]));
  const found = await git.changesSince(commit);
  return found?.map(({ path, change, from }) => ({
    path,
    change_type: change,
    ...(from === undefined ? {} : { old_path: from }),
  }));
}

/** Without a commit to compare with, what differs from the last one. */
function uncommitted(
  changes: readonly { readonly path: string; readonly change: string }[],
): readonly ChangedFile[] {
  return changes.map(({ path, change }) => ({
    path,
    change_type:
      change === "added" || change === "untracked"
        ? "added"
        : change === "deleted"
          ? "deleted"
          : "modified",
  }));
}

/** Every path that differs, both names of a moved one. */
export async function changedPaths(world: World, state: Workflow): Promise<readonly string[]> {
  return pathsOf(await allChanges(world, state));
}

async function allChanges(world: World, state: Workflow): Promise<readonly ChangedFile[]> {
  return (await differences(world, state)) ?? uncommitted(await world.git.changes(["."]));
}

function pathsOf(changes: readonly ChangedFile[]): readonly string[] {
  return changes.flatMap((one) =>
    one.old_path === undefined ? [one.path] : [one.old_path, one.path],
  );
}

export async function digestsOf(world: World, paths: readonly string[]): Promise<JsonObject> {
  const entries = await Promise.all(
    paths.map(async (path): Promise<[string, Json]> => [
      path,
      (await world.workspace.digest(path)) ?? null,
    ]),
  );
  return Object.fromEntries(entries);
}

/** The contents a verdict is about: what was reported for the unit, and what nobody else reported. */
export async function lookChanges(world: World, unit: string, state: Workflow): Promise<Json> {
  const reported = (one: string): readonly string[] =>
    Object.values(state.dispatches)
      .filter((dispatch) => dispatch.unit === one)
      .flatMap(({ claim }) => {
        const files = claim?.["files"];
        return isJsonArray(files) ? files.map(showJson) : [];
      });
  const others = Object.keys(state.units).filter((one) => one !== unit && one !== ROOT);
  const theirs = new Set(unit === ROOT ? [] : others.flatMap(reported));
  const mine = unit === ROOT ? Object.keys(state.units).flatMap(reported) : reported(unit);
  const found = (await changedPaths(world, state)).filter((path) => !theirs.has(path));
  // Whoever looked at the whole looked at the code: documents are written after that, and void nothing.
  const judged = unit === ROOT ? isCode : (path: string) => !path.startsWith(`${SESSIONS}/`);
  const paths = [...new Set([...mine, ...found])].filter(judged);
  return await digestsOf(world, paths.sort());
}

/** One digest for the code as it is now, as far as the session has changed it. */
export async function lookCode(world: World, _: string, state: Workflow): Promise<Json> {
  return world.sha256(canonicalJson(await lookChanges(world, ROOT, state)));
}
