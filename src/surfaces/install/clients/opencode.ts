/** OpenCode: a plugin that runs inside the client; everything else is in opencode.json. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Json } from "../../../core/values/json.ts";
import { packageRoot } from "../../cli/package-root.ts";
import type { ClientSetup, Place } from "../client.ts";
import { commandsIn } from "../client.ts";
import { SLASH_COMMENT, filePart, jsonPart } from "../parts.ts";
import type { Part } from "../parts.ts";
import { planOf } from "../plan.ts";
import { serverEntry } from "../server-entry.ts";
import { AGENT_TEXT, agentsOf, commandText, commandsOf } from "../texts.ts";

export const opencode: ClientSetup = {
  client: "opencode",
  title: "OpenCode",
  byDefault: {
    user: false,
    why: "OpenCode loads a plugin of the repository without further trust",
  },
  hookFile: ({ root, home }, user) => configIn(user ? home.opencode : root),
  serverFile: (place, user) => opencode.hookFile(place, user),
  beforeTool: "tool.execute.before",
  parts,
  traps: ({ user }) => [
    "A plugin that cannot be loaded is ignored without a word, and then nothing is held; `holdpoint doctor opencode` loads it.",
    ...(user ? [] : ["opencode --pure runs without plugins."]),
    "OpenCode cannot refuse the end of a turn: what is left undone is found at the next report.",
  ],
};

/** Not in `.opencode`: OpenCode would install packages into that directory. */
const PLUGIN = ".agents/holdpoint/opencode-plugin.js";

/**
 * OpenCode's own agents must not be redefined as subagents: every session would then start in one that may not
 * edit.
 */
const OWN_AGENTS: readonly string[] = ["build", "plan", "general", "explore"];

/**
 * OpenCode adds this line itself if it is missing, and the changed file would block whatever needs a clean tree.
 */
const FRESH = '{\n  "$schema": "https://opencode.ai/config.json"\n}\n';

function freshly(part: Part): Part {
  return {
    ...part,
    put: (now) => part.put(now ?? FRESH),
    take: (now) => {
      const left = part.take(now);
      return left.kind === "text" && left.text === FRESH ? { kind: "text", text: undefined } : left;
    },
  };
}

function configIn(folder: string): string {
  const commented = join(folder, "opencode.jsonc");
  return existsSync(commented) ? commented : join(folder, "opencode.json");
}

function parts(place: Place): readonly Part[] {
  const { root, user, program, families, tools } = place;
  const shipped = join(packageRoot(), "dist/opencode-plugin.js");
  const plugin = user ? pathToFileURL(shipped).href : `./${PLUGIN}`;
  const members = [
    ...agentsOf(families)
      .filter(({ name }) => !OWN_AGENTS.includes(name))
      .map(({ name, about }) => ({
        at: ["agent", name],
        value: { mode: "subagent", description: about, prompt: AGENT_TEXT.join(" ") },
      })),
    ...commandsOf(families).map((one) => ({
      at: ["command", one.name],
      value: { description: one.about, template: commandText(one, "$ARGUMENTS", tools) },
    })),
  ];
  const config = jsonPart(
    opencode.hookFile(place, user),
    "opencode config",
    [
      { at: ["plugin"], items: [plugin], isOurs: isOurPlugin },
      { at: ["mcp", "holdpoint"], value: serverEntry("opencode", program) },
      ...(user ? [] : members.map((one) => ({ ...one, isOurs }))),
    ],
    { comments: true },
  );
  const roles = jsonPart(
    configIn(root),
    "opencode agents",
    members.map((one) => ({ ...one, isOurs })),
    { comments: true },
  );
  return (user ? [config, roles] : [pluginPart(root, shipped), config]).map((one) =>
    one === roles || one === config ? freshly(one) : one,
  );
}

function pluginPart(root: string, shipped: string): Part {
  const text = existsSync(shipped) ? readFileSync(shipped, "utf8") : "";
  // In the repository, the plugin calls the project's own program, or else the one on PATH. Without either, it
  // denies everything.
  const lines = text
    .replace('"../bin/holdpoint.js"', '"../../node_modules/holdpoint/bin/holdpoint.js"')
    .trimEnd()
    .split("\n");
  return filePart(join(root, PLUGIN), lines, SLASH_COMMENT);
}

/** Whether the plugin in the repository is, byte for byte, what install writes. */
export function isOwnPlugin(root: string): boolean {
  const part = pluginPart(root, join(packageRoot(), "dist/opencode-plugin.js"));
  const plan = planOf([part], root, "put");
  return plan.changes.length + plan.kept.length + plan.refusals.length === 0;
}

export function isOurPlugin(item: Json): boolean {
  return commandsIn(item).some((one) =>
    /(?:^|\/)(?:dist|holdpoint)\/opencode-plugin\.js$/.test(one),
  );
}

/** Others may have used the same names for their agents and commands. */
function isOurs(value: Json): boolean {
  return commandsIn(value).some((one) => /\bholdpoint\b/.test(one));
}
