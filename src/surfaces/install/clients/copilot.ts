/**
 * Copilot CLI: the user's hooks always count. A repository's count only if it is trusted, and never in a resumed
 * session.
 */
import { join } from "node:path";
import { isOurHook } from "../client.ts";
import type { ClientSetup, Place } from "../client.ts";
import { claude } from "./claude.ts";
import { isInstalled } from "../installed.ts";
import { CLIENT_SECONDS, END_SECONDS, closedHook, endHook, openHook } from "../hook-command.ts";
import { IN_FRONT_MATTER, filePart, jsonPart } from "../parts.ts";
import type { JsonEntry, Part } from "../parts.ts";
import { repositoryServerPart, skillParts } from "../several.ts";
import { serverEntry } from "../server-entry.ts";
import { AGENT_TEXT, agentsOf } from "../texts.ts";

export const copilot: ClientSetup = {
  client: "copilot",
  title: "Copilot CLI",
  byDefault: {
    user: true,
    why: "Copilot CLI skips a repository's hooks without a word where it is not trusted, and in every resumed session; those of the user always count",
  },
  hookFile: ({ root, home }, user) =>
    user ? join(home.copilot, "hooks/holdpoint.json") : join(root, ".github/hooks/holdpoint.json"),
  serverFile: ({ root, home }, user) =>
    user ? join(home.copilot, "mcp-config.json") : join(root, ".mcp.json"),
  beforeTool: "preToolUse",
  reads: "claude",
  parts,
  traps: (place) => [
    ...(place.user
      ? []
      : [
          "Trust this folder: answer the question when copilot starts in it, or use --trust-folder. A resumed session has no hooks of the repository at all; holdpoint install copilot --user has them always.",
        ]),
    ...(isInstalled(claude, place, false) ? [told(place)] : []),
    "Copilot CLI cannot refuse a prompt, and lets pass what its own clock ends; the hook's own is shorter.",
  ],
};

/** Copilot CLI also reads Claude Code's files; what is already in them is not installed again. */
function told({ user }: Place): string {
  const read =
    "Copilot CLI loads .mcp.json and the hooks of .claude/settings.json, which are installed here";
  return user
    ? `${read}: in a trusted folder both they and these judge, and a no of either counts.`
    : `${read}, so no others were put into the repository.`;
}

function parts(place: Place): readonly Part[] {
  const { root, user, families } = place;
  return [
    ...(isTold(place) ? [] : [hookPart(place)]),
    user ? userServer(place) : repositoryServerPart(place),
    ...agentsOf(families).map(({ name, about }) =>
      filePart(
        join(root, ".github/agents", `${name}.agent.md`),
        ["---", `name: ${name}`, `description: "${about}"`, "---", ...AGENT_TEXT],
        IN_FRONT_MATTER,
      ),
    ),
    ...skillParts(place),
  ];
}

function isTold(place: Place): boolean {
  return !place.user && isInstalled(claude, place, false) && !isInstalled(copilot, place, false);
}

function hookPart(place: Place): Part {
  return jsonPart(copilot.hookFile(place, place.user), "copilot hooks", [
    { at: ["version"], value: 1 },
    ...hooks(place),
  ]);
}

function userServer({ home, program }: Place): Part {
  return jsonPart(join(home.copilot, "mcp-config.json"), "copilot server", [
    { at: ["mcpServers", "holdpoint"], value: serverEntry("copilot", program) },
  ]);
}

function hooks({ program }: Place): readonly JsonEntry[] {
  const open = openHook(program.words, "copilot");
  const end = endHook(program.words, "copilot");
  const rows: readonly (readonly [string, string, number?])[] = [
    ["sessionStart", open],
    ["userPromptSubmitted", open],
    ["preToolUse", closedHook(program.words, "copilot")],
    ["postToolUse", open],
    ["subagentStart", open],
    ["subagentStop", end, END_SECONDS],
    ["agentStop", end, END_SECONDS],
  ];
  return rows.map(([event, bash, timeoutSec = CLIENT_SECONDS]) => ({
    at: ["hooks", event],
    items: [{ type: "command", bash, timeoutSec }],
    isOurs: isOurHook("copilot"),
  }));
}
