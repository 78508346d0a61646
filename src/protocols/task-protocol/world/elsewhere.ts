/** Reads files of the main branch for tasks, even if another branch is checked out in the main worktree. */
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { text } from "../../../core/values/json-read.ts";
import type { World } from "../../../ports/family.ts";
import { VARS } from "../table/vars.ts";
import type { TaskPlaces } from "./places.ts";
import { settingsOf } from "./settings.ts";

/**
 * The task list of the main branch: the worktree's own file, which contains the words set by running tasks,
 * unless another branch is checked out there.
 */
export async function readList(
  places: TaskPlaces,
  world: World,
  vars: JsonObject = {},
): Promise<string | undefined> {
  const path = setting(world, vars, "todo");
  const main = setting(world, vars, "main");
  if ((await elsewhere(places, world, main)) !== undefined) return await places.file(main, path);
  const file = await world.workspace.read(path);
  return file.kind === "text" ? file.text : undefined;
}

/** Settings in which the branch checked out in the main worktree differs from the main branch. */
export async function lookOtherSettings(
  places: TaskPlaces,
  world: World,
  vars: JsonObject,
): Promise<Json> {
  const main = setting(world, vars, "main");
  const branch = await elsewhere(places, world, main);
  if (branch === undefined) return [];
  const here = await world.settings.read(CONFIG);
  const there = await places.file(main, CONFIG);
  const isSame =
    here.kind === "text"
      ? lines(here.text) === lines(there ?? "")
      : here.kind === "absent" && there === undefined;
  return isSame ? [] : [`${CONFIG} as ${branch || "a detached HEAD"} has it`];
}

/**
 * The branch checked out in the main worktree (empty for none) if it is not the main branch; undefined if it is.
 */
async function elsewhere(
  places: TaskPlaces,
  world: World,
  main: string,
): Promise<string | undefined> {
  const here = (await places.worktrees(world)).find((one) => one.path === ".");
  if (here === undefined || here.branch === main) return undefined;
  return (await places.head(main)) === undefined ? undefined : here.branch;
}

function setting(world: World, vars: JsonObject, name: "todo" | "main"): string {
  return text(vars[name]) || text(settingsOf(world.config)[name]) || text(VARS[name]);
}

function lines(of: string): string {
  return of.replaceAll("\r\n", "\n");
}

const CONFIG = "holdpoint.config.json";
