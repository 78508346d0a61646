/** The judgement about the use of a tool, with everything it needs to know looked up. */
import { homedir } from "node:os";
import { dirname, isAbsolute, resolve } from "node:path";
import { heldIn, resolveLinks, storeNear } from "../../compose/hook.ts";
import type { Store } from "../../compose/hook.ts";
import { ALLOWED } from "../../watch/call.ts";
import type { HookCall, ToolUse, Verdict } from "../../watch/call.ts";
import { judge, judgeUnreadable, unknownPlace } from "../../watch/judge.ts";
import { merged } from "../../watch/merge.ts";
import type { Watch } from "../../watch/watch.ts";
import type { Env } from "./clients/client.ts";

/** Other repositories that one use of a tool may reach into; more are not looked for. */
const PLACES_MAX = 16;

/** What is held wherever this use of a tool could reach, and whether it may. */
export async function verdictOnTool(call: HookCall, env: Env): Promise<Verdict> {
  if (call.tool?.kind === "read") return ALLOWED;
  const stores = new Map<string, Store>();
  for (const place of placesOf(call)) {
    const store = storeNear(place, env);
    if (store !== undefined) stores.set(store.dir, store);
  }
  for (const store of stores.values()) {
    const watch = await watchOf(store, env);
    const verdict = watch === undefined ? ALLOWED : judge(watch, call, factsFrom(env, store));
    if (verdict.kind !== "allow") return verdict;
  }
  return ALLOWED;
}

/** Whether anything is held where a payload came from that could not be read. */
export async function verdictOnNothing(cwd: string, env: Env, why: string): Promise<Verdict> {
  const store = storeNear(cwd, env);
  const watch = store === undefined ? undefined : await watchOf(store, env);
  return watch === undefined ? ALLOWED : judgeUnreadable(watch, why);
}

function factsFrom(env: Env, { dir }: Store): Parameters<typeof judge>[2] {
  return {
    home: env["HOME"] ?? homedir(),
    program: env["HOLDPOINT_PROGRAM"] ?? "",
    session: env["HOLDPOINT_SESSION"],
    resolve: resolveLinks,
    belongs: (path) => storeNear(path, env)?.dir === dir,
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

/** Where it cannot be found out what is held, whatever is written could touch it. */
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

/** Where the use works, and every folder of a path that it names. */
function placesOf({ cwd, tool }: HookCall): readonly string[] {
  const named = tool === undefined ? [] : pathsIn(tool);
  const places = named.map((path) => (isAbsolute(path) ? path : resolve(cwd, path)));
  return [cwd, ...places.map((path) => dirname(path)), ...places].slice(0, PLACES_MAX);
}

function pathsIn(tool: ToolUse): readonly string[] {
  if (tool.kind === "edit") return tool.paths;
  if (tool.kind !== "shell") return [];
  const text = tool.command.slice(0, 20_000);
  const bare = /(?:^|[\s=:(>])(~?\/[^\s"'`;|&<>()$]+|\.\.[^\s"'`;|&<>()$]*)/g;
  const quoted = /(["'])((?:~?\/|\.\.)[^"'\n]*)\1/g;
  return [
    ...(tool.cwd === undefined ? [] : [tool.cwd]),
    ...[...text.matchAll(quoted)].map((match) => match[2] ?? ""),
    ...[...text.matchAll(bare)].map((match) => match[1] ?? ""),
  ];
}
