import type { Json } from "../../core/values/json.ts";
import { readLooseJson } from "../../files/json/loose.ts";
import { toJson } from "../../files/json/source.ts";
import { commandsIn, hookFiles } from "./client.ts";
import type { ClientSetup, Place } from "./client.ts";
import { isOurPlugin } from "./clients/opencode.ts";
import { readTarget } from "./disk.ts";
import { isHookCommand } from "./hook-command.ts";

/** Every hook command of ours in the client's files, as written there. */
export function installedHooks(
  setup: ClientSetup,
  place: Pick<Place, "root" | "home">,
  user: boolean,
): readonly string[] {
  const { client } = setup;
  const texts = hookFiles(setup, place, user).flatMap((path) => {
    const file = readTarget(path, place.root);
    const root = file.kind === "text" ? readLooseJson(file.text).root : undefined;
    return root === undefined ? [] : commandsIn(toJson(root));
  });
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
