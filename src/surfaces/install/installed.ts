import type { Json } from "../../core/values/json.ts";
import { readLooseJson } from "../../files/json-loose.ts";
import { toJson } from "../../files/json-source.ts";
import { commandsIn } from "./client.ts";
import type { ClientSetup, Place } from "./client.ts";
import { isOurPlugin } from "./clients/opencode.ts";
import { readTarget } from "./disk.ts";
import { isHookCommand } from "./hook-command.ts";

/** Every hook command of ours that the client's file has, as it stands there. */
export function installedHooks(
  { client, hookFile }: ClientSetup,
  place: Pick<Place, "root" | "home">,
  user: boolean,
): readonly string[] {
  const file = readTarget(hookFile(place, user), place.root);
  const root = file.kind === "text" ? readLooseJson(file.text).root : undefined;
  const texts = root === undefined ? [] : commandsIn(toJson(root));
  const isOurs = (text: string): boolean =>
    client === "opencode" ? isOurPlugin(text satisfies Json) : isHookCommand(text, client);
  return texts.filter(isOurs);
}

export function isInstalled(
  setup: ClientSetup,
  place: Pick<Place, "root" | "home">,
  user: boolean,
): boolean {
  return installedHooks(setup, place, user).length > 0;
}
