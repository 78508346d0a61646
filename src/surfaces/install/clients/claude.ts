/** Claude Code: hooks in settings.json, the server in .mcp.json; both of a repository are loaded without trust. */
import { join } from "node:path";
import type { Json } from "../../../core/values/json.ts";
import { isOurHook } from "../client.ts";
import type { ClientSetup, Place } from "../client.ts";
import { CLIENT_SECONDS, closedHook, openHook } from "../hook-command.ts";
import { IN_FRONT_MATTER, filePart, jsonPart } from "../parts.ts";
import type { JsonEntry, Part } from "../parts.ts";
import { repositoryServerPart } from "../shared.ts";
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
  serverFile: ({ root, home }, user) => (user ? home.claudeState : join(root, ".mcp.json")),
  beforeTool: "PreToolUse",
  parts,
  traps: () => [
    "Claude Code before 2.1.325 ignores onFailure; there only the wrapped command keeps a broken hook from letting everything pass.",
    "Sessions with --bare or --safe-mode have no hooks.",
  ],
};

const CLOSED = { timeout: CLIENT_SECONDS, onFailure: "block" };
const OPEN = { timeout: CLIENT_SECONDS };

function parts(place: Place): readonly Part[] {
  const { root, user } = place;
  return [
    jsonPart(claude.hookFile(place, user), "claude settings", [
      ...hooks(place),
      { at: ["permissions", "allow"], items: ["mcp__holdpoint"], isOurs: isServer },
      ...(user ? [] : [{ at: ["enabledMcpjsonServers"], items: ["holdpoint"], isOurs: isServer }]),
    ]),
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
          // Else each of them is listed to the model in every session.
          "disable-model-invocation: true",
          "---",
          commandText(command, "$ARGUMENTS", place.tools),
        ],
        IN_FRONT_MATTER,
      ),
    ),
  ];
}

function userServer({ home, program }: Place): Part {
  const { command, args } = program;
  return jsonPart(home.claudeState, "claude server", [
    {
      at: ["mcpServers", "holdpoint"],
      value: { type: "stdio", command, args: [...args, "mcp"], alwaysLoad: true },
    },
  ]);
}

function isServer(item: Json): boolean {
  return item === "holdpoint" || item === "mcp__holdpoint";
}

/** A hook before a tool and one on settings can stop; the others tell, or hold the end of a turn. */
function hooks({ program }: Place): readonly JsonEntry[] {
  const closed = { type: "command", command: closedHook(program.words, "claude"), ...CLOSED };
  const open = { type: "command", command: openHook(program.words, "claude"), ...OPEN };
  const rows: readonly (readonly [string, typeof closed | typeof open, string?])[] = [
    ["SessionStart", open],
    ["UserPromptSubmit", open],
    ["PreToolUse", closed, "*"],
    ["PostToolUse", open, "*"],
    ["SubagentStart", open],
    ["SubagentStop", open],
    ["Stop", open],
    // An agent that writes "disableAllHooks" into a settings file has switched every hook off.
    ["ConfigChange", closed, "*"],
  ];
  return rows.map(([event, hook, matcher]) => ({
    at: ["hooks", event],
    items: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }],
    isOurs: isOurHook("claude"),
  }));
}
