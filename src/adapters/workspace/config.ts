/** `holdpoint.config.json`: the repository's checks and settings. A broken one is an error, never a default. */
import type { Json, JsonObject } from "../../core/json.ts";
import { isJsonArray, isJsonObject, parseJson } from "../../core/json.ts";
import type { CheckConfig, Config } from "../../ports/family.ts";
import type { Workspace } from "../../ports/workspace.ts";

export const CONFIG_FILE = "holdpoint.config.json";

const CHECK_MINUTES = 10;

export type ReadConfig =
  | { readonly kind: "read"; readonly config: Config }
  | { readonly kind: "broken"; readonly message: string; readonly fix: string };

export async function readConfig(workspace: Workspace): Promise<ReadConfig> {
  const file = await workspace.read(CONFIG_FILE);
  if (file.kind === "absent") return { kind: "read", config: { checks: {}, settings: {} } };
  if (file.kind === "unreadable") return { kind: "broken", message: file.message, fix: file.fix };
  const parsed = parseJson(file.text);
  return parsed === undefined ? broken("it is not JSON") : readObject(parsed);
}

function readObject(parsed: Json): ReadConfig {
  if (!isJsonObject(parsed)) return broken("it is not an object");
  const checks = parsed["checks"] ?? {};
  if (!isJsonObject(checks)) return broken('"checks" is not an object');
  const read: Record<string, CheckConfig> = {};
  for (const [name, value] of Object.entries(checks)) {
    const check = readCheck(value);
    if (check === undefined)
      return broken(`check "${name}" needs "run": ["program", "argument", ...]`);
    read[name] = check;
  }
  const { protocols = [] } = parsed;
  if (!isJsonArray(protocols) || !protocols.every((one) => typeof one === "string"))
    return broken('"protocols" is not a list of files, such as ["./release.yaml"]');
  return { kind: "read", config: { checks: read, protocols, settings: settingsOf(parsed) } };
}

function settingsOf(parsed: JsonObject): JsonObject {
  const { checks: _, protocols: _protocols, ...settings } = parsed;
  return settings;
}

function readCheck(value: Json): CheckConfig | undefined {
  if (!isJsonObject(value)) return undefined;
  const { run, minutes = CHECK_MINUTES } = value;
  if (!isJsonArray(run) || run.length === 0 || typeof minutes !== "number" || !(minutes > 0))
    return undefined;
  const words = run.filter((word) => typeof word === "string");
  return words.length === run.length ? { run: words, minutes } : undefined;
}

function broken(why: string): ReadConfig {
  return {
    kind: "broken",
    message: `Cannot read ${CONFIG_FILE}: ${why}`,
    fix: 'Write it as {"checks": {"tests": {"run": ["npm", "test"], "minutes": 10}}}.',
  };
}
