/**
 * Claude Code: hooks in settings.json, the server in .mcp.json. A repository's files are loaded without a trust
 * prompt.
 */
import { join } from "node:path";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import { isOurHook } from "../client.ts";
import type { ClientSetup, Place } from "../client.ts";
import {
  CLIENT_SECONDS,
  END_SECONDS,
  closedHook,
  endHook,
  hookUrl,
  openHook,
  startingHook,
} from "../hook-command.ts";
import { IN_FRONT_MATTER, filePart, jsonPart } from "../parts.ts";
import type { JsonEntry, Part } from "../parts.ts";
import { repositoryServerPart } from "../several.ts";
import { serverEntry } from "../server-entry.ts";
import { AGENT_TEXT, agentsOf, commandText, commandsOf } from "../texts.ts";

export const claude: ClientSetup = {
  client: "claude",
  title: "Claude Code",
  byDefault: {
    user: false,
    why: "Claude Code loads the hooks and the MCP server of a repository without further trust",
  },
  hookFile: ({ root, home }, user) =>
    join(user ? home.claude : join(root, ".claude"), "settings.json"),
  localFile: ({ root }) => join(root, ".claude/settings.local.json"),
  serverFile: ({ root, home }, user) => (user ? home.claudeState : join(root, ".mcp.json")),
  beforeTool: "PreToolUse",
  parts,
  traps: ({ server }) => [
    ...(server === undefined
      ? []
      : [
          ".claude/settings.local.json holds a token: keep it out of git.",
          "The server is started by the first hook of a session and goes on; while it is down, tools are stopped until the next prompt. It answers whoever asks on its port: an agent that ends it and listens there itself gets past the hooks, not past the report.",
        ]),
    "Claude Code before 2.1.325 ignores onFailure; there only the wrapped command keeps a broken hook from letting everything pass.",
    "Sessions with --bare or --safe-mode have no hooks.",
  ],
};

function parts(place: Place): readonly Part[] {
  const { root, user } = place;
  return [
    jsonPart(claude.hookFile(place, user), "claude settings", [
      ...hooks(place, place.server === undefined),
      { at: ["permissions", "allow"], items: ["mcp__holdpoint"], isOurs: isServer },
      ...(user ? [] : [{ at: ["enabledMcpjsonServers"], items: ["holdpoint"], isOurs: isServer }]),
    ]),
    ...(user ? [] : [localPart(place)]),
    user ? userServer(place) : repositoryServerPart(place),
    ...agentsOf(place.families).map(({ name, about }) =>
      filePart(
        join(root, ".claude/agents", `${name}.md`),
        ["---", `name: ${name}`, `description: "${about}"`, "---", ...AGENT_TEXT],
        IN_FRONT_MATTER,
      ),
    ),
    ...commandsOf(place.families).map((command) =>
      filePart(
        join(root, ".claude/commands", `${command.name}.md`),
        [
          "---",
          `description: "${command.about}"`,
          // Otherwise each command would be listed to the model in every session.
          "disable-model-invocation: true",
          "---",
          commandText(command, "$ARGUMENTS", place.tools),
        ],
        IN_FRONT_MATTER,
      ),
    ),
  ];
}

/** Port and token concern only this clone, so they go into its local file. */
function localPart(place: Place): Part {
  const path = join(place.root, ".claude/settings.local.json");
  const entries = hooks(place, place.server !== undefined);
  return jsonPart(path, "claude local settings", entries, { secret: place.server !== undefined });
}

function userServer({ home, program }: Place): Part {
  return jsonPart(home.claudeState, "claude server", [
    { at: ["mcpServers", "holdpoint"], value: serverEntry("claude", program) },
  ]);
}

function isServer(item: Json): boolean {
  return item === "holdpoint" || item === "mcp__holdpoint";
}

/** Hooks not needed in this file are removed from it: in both files, they would run twice. */
function hooks(place: Place, isHere: boolean): readonly JsonEntry[] {
  const { open, closed, first, end } =
    place.server === undefined ? commands(place) : requests(place);
  const rows: readonly (readonly [string, JsonObject, string?])[] = [
    ["SessionStart", first],
    ["UserPromptSubmit", first],
    ["PreToolUse", closed, "*"],
    ["PostToolUse", open, "*"],
    ["SubagentStart", open],
    ["SubagentStop", end],
    ["Stop", end],
    // Catches an agent that writes "disableAllHooks" into a settings file to switch off every hook.
    ["ConfigChange", closed, "*"],
  ];
  return rows.map(([event, hook, matcher]) => ({
    at: ["hooks", event],
    items: isHere ? [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }] : [],
    isOurs: isOurHook("claude"),
  }));
}

/**
 * Four kinds of hooks: one that can stop a tool, one that only reports, the first of a session, and one for the
 * end of an agent or a turn.
 */
type Hooks = Readonly<Record<"open" | "closed" | "first" | "end", JsonObject>>;

function commands({ program: { words } }: Place): Hooks {
  const open = { type: "command", command: openHook(words, "claude"), timeout: CLIENT_SECONDS };
  const closed = { ...open, command: closedHook(words, "claude"), onFailure: "block" };
  const end = { ...open, command: endHook(words, "claude"), timeout: END_SECONDS };
  return { open, closed, first: open, end };
}

/**
 * With this setting, Claude Code treats everything but a valid answer as a no: refused or reset connections,
 * timeouts, nonsense.
 */
function requests({ program: { words }, server = { port: 0, token: "" } }: Place): Hooks {
  const open = {
    type: "http",
    url: hookUrl(server.port, "claude"),
    headers: { Authorization: `Bearer ${server.token}` },
    timeout: REQUEST_SECONDS,
  };
  const command = startingHook(words, "claude");
  return {
    open,
    closed: { ...open, onFailure: "block" },
    first: { type: "command", command, timeout: CLIENT_SECONDS },
    end: { ...open, timeout: END_SECONDS },
  };
}

const REQUEST_SECONDS = 10;
