/**
 * Decides whether the engine is needed after the use of a tool. This runs after every use, so it must be cheap.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { heldIn, storeNear } from "../../compose/hook.ts";
import type { HookCall } from "../../watch/call.ts";
import type { Watch } from "../../watch/watch.ts";
import type { Env } from "./clients/client.ts";
import { isSomethingLeft } from "./waits.ts";

const SEALED_MAX = 200;

/** When the seals were last checked, stored as the time of this file. */
function sealsLooked(store: string): string {
  return join(store, "agents", "seals-looked");
}

export function isWorthAsking(call: HookCall, env: Env): boolean {
  if (isSomethingLeft(call.cwd)) return true;
  const { tool } = call;
  if (tool === undefined || tool.kind === "read" || tool.kind === "agent") return false;
  const store = storeNear(call.cwd, env);
  const held = store === undefined ? undefined : heldIn(store);
  if (store === undefined || held === undefined || held.kind === "nothing") return false;
  const watch = held.kind === "watch" ? held.watch : held.last;
  // Without a stored watch, only the engine knows what is sealed.
  if (watch === undefined) return true;
  const looked = changedMs(sealsLooked(store.dir));
  return sealedIn(watch).some((file) => {
    const changed = changedMs(file);
    return changed === undefined || looked === undefined || changed > looked;
  });
}

/** Sealed files whose path is given in full. */
function sealedIn({ places }: Watch): readonly string[] {
  return places
    .flatMap(({ root, rules }) =>
      rules
        .filter((one) => one.kind === "sealed")
        .flatMap(({ paths }) => paths.filter((path) => !path.includes("*")))
        .map((path) => join(root, path)),
    )
    .slice(0, SEALED_MAX);
}

/** Undefined if there is no such file. */
function changedMs(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ctimeMs;
}
