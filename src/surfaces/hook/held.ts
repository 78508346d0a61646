/** Judges the use of a tool, after looking up everything needed for that. */
import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { heldIn, resolveLinks, storeNear } from "../../compose/hook.ts";
import type { Store } from "../../compose/hook.ts";
import { ALLOWED } from "../../watch/call.ts";
import type { HookCall, Verdict } from "../../watch/call.ts";
import { judge, judgeUnreadable, unknownPlace } from "../../watch/judge.ts";
import { merged } from "../../watch/merge.ts";
import { reachedBy } from "../../watch/reach.ts";
import type { Watch } from "../../watch/watch.ts";
import type { Env } from "./clients/client.ts";

const LOOKED_MAX = 2_000;
const INNER_MAX = 200;

/** Whether this use of a tool is allowed, given everything held wherever it could reach. */
export async function verdictOnTool(call: HookCall, env: Env): Promise<Verdict> {
  if (call.tool?.kind === "read") return ALLOWED;
  for (const store of storesOf(call, env)) {
    const watch = await watchOf(store, env);
    const verdict = watch === undefined ? ALLOWED : judge(watch, call, factsFrom(env, store));
    if (verdict.kind !== "allow") return verdict;
  }
  return ALLOWED;
}

/** Paths under which the project's packages contain this program. Removing one would disable the hooks. */
function startersAt(program: string, { top, own }: Store): readonly string[] {
  if (program === "") return [];
  const roots = [...new Set([top, ...own.map((one) => dirname(one))])];
  return roots
    .map((root) => join(root, "node_modules/.bin/holdpoint"))
    .filter((one) => resolveLinks(one).startsWith(`${program}/`));
}

function homeIn(env: Env): string {
  return env["HOME"] ?? homedir();
}

/** The verdict on an unreadable payload: denied if anything is held there. */
export async function verdictOnNothing(cwd: string, env: Env, why: string): Promise<Verdict> {
  const store = storeNear(cwd, env);
  const watch = store === undefined ? undefined : await watchOf(store, env);
  return watch === undefined ? ALLOWED : judgeUnreadable(watch, why);
}

function factsFrom(env: Env, store: Store): Parameters<typeof judge>[2] {
  return {
    home: homeIn(env),
    program: env["HOLDPOINT_PROGRAM"] ?? "",
    starters: startersAt(env["HOLDPOINT_PROGRAM"] ?? "", store),
    session: env["HOLDPOINT_SESSION"],
    resolve: resolveLinks,
    belongs: (path) => storeNear(path, env)?.dir === store.dir,
  };
}

async function watchOf(store: Store, env: Env): Promise<Watch | undefined> {
  const held = heldIn(store);
  if (held.kind === "nothing") return undefined;
  if (held.kind === "watch") return merged(held.watch);
  const { makeWatchAt } = await import("./slow.ts");
  const made = await makeWatchAt(store.top, env);
  return merged(typeof made === "string" ? unknownWatch(store, held.last, made) : made);
}

/** If it cannot be determined what is held, every write could touch it. */
function unknownWatch({ top, own }: Store, last: Watch | undefined, why: string): Watch {
  return {
    format: 1,
    made: {},
    listed: 0,
    own,
    roles: last?.roles ?? [],
    cites: last?.cites ?? {},
    places: [...(last?.places ?? []), unknownPlace(top, why)],
  };
}

/** The stores of all places that this use of a tool could reach, each once. */
function storesOf(call: HookCall, env: Env): readonly Store[] {
  const stores = new Map<string, Store>();
  const looked = new Map<string, boolean>();
  const look = (directory: string): boolean => {
    const known = looked.get(directory);
    if (known !== undefined || looked.size >= LOOKED_MAX) return known === true;
    const store = storeNear(directory, env);
    if (store !== undefined) stores.set(store.dir, store);
    looked.set(directory, store !== undefined);
    return store !== undefined;
  };
  for (const { path, below } of reachedBy(call, homeIn(env))) {
    look(dirname(path));
    if (!look(path) && below) for (const inner of foldersIn(path)) look(inner);
  }
  return [...stores.values()];
}

/** Repositories below a folder are included, because the command may go through the folder or remove it. */
function foldersIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((one) => one.isDirectory() || one.isSymbolicLink())
      .map(({ name }) => join(directory, name))
      .slice(0, INNER_MAX);
  } catch {
    return [];
  }
}
