/**
 * Gemini CLI: hooks and server in settings.json. A repository's file is silently ignored unless it is trusted.
 */
import { join } from "node:path";
import type { AgentRole } from "../../../ports/family.ts";
import { isOurHook } from "../client.ts";
import type { ClientSetup, Place } from "../client.ts";
import { CLIENT_SECONDS, END_SECONDS, closedHook, endHook, openHook } from "../hook-command.ts";
import { HASH_COMMENT, IN_FRONT_MATTER, filePart, jsonPart } from "../parts.ts";
import type { JsonEntry, Part } from "../parts.ts";
import { serverEntry, serverWords } from "../server-entry.ts";
import { AGENT_TEXT, agentsOf, commandText, commandsOf } from "../texts.ts";
import type { NamedCommand } from "../texts.ts";

export const gemini: ClientSetup = {
  client: "gemini",
  title: "Gemini CLI",
  byDefault: {
    user: true,
    why: "Gemini CLI skips a repository's settings, hooks and all, where the folder is not trusted (--skip-trust does so too); those of the user always count",
  },
  hookFile: ({ root, home }, user) =>
    join(user ? home.gemini : join(root, ".gemini"), "settings.json"),
  serverFile: (place, user) => gemini.hookFile(place, user),
  beforeTool: "BeforeTool",
  parts,
  traps: (place) => [
    ...renamed(place),
    ...(place.user
      ? ["Agents and short commands lie in ~/.gemini too: every folder has them."]
      : ["Do not use --skip-trust: it runs without the repository's settings, so without hooks."]),
    "Trust this folder: answer the question when gemini starts in it, or set GEMINI_CLI_TRUST_WORKSPACE=true. Without trust gemini -p ends with 55.",
    "Gemini CLI does not tell hooks which agent acts: a subagent's edits and commands are judged as the main agent's are. Its orders and reports are its own: each agent has a server for them.",
  ],
};

function parts(place: Place): readonly Part[] {
  const { root, home, user, program, families, tools } = place;
  // Like its hooks, a repository's commands are only loaded if it is trusted.
  const folder = user ? home.gemini : join(root, ".gemini");
  return [
    jsonPart(
      gemini.hookFile(place, user),
      "gemini settings",
      [...hooks(place), { at: ["mcpServers", "holdpoint"], value: serverEntry("gemini", program) }],
      { comments: true },
    ),
    ...agentsOf(families).map((agent) => agentPart(place, agent)),
    ...commandsOf(families).map((one) =>
      filePart(
        join(folder, "commands", `${nameOf(one)}.toml`),
        [
          `description = ${JSON.stringify(one.about)}`,
          `prompt = ${JSON.stringify(commandText(one, "{{args}}", tools))}`,
        ],
        HASH_COMMENT,
      ),
    ),
  ];
}

/** Installed for the user, because `gemini -p` does not find agents in the repository. */
function agentPart({ home, program }: Place, { name, about }: AgentRole): Part {
  const { command, args } = serverWords("gemini", program, name);
  return filePart(
    join(home.gemini, "agents", `${name}.md`),
    [
      "---",
      `name: ${name}`,
      `description: "${about}"`,
      // Its hooks do not say which agent acts, so each agent gets a server of its own that does.
      "mcp_servers:",
      "  holdpoint:",
      `    command: ${JSON.stringify(command)}`,
      `    args: ${JSON.stringify(args)}`,
      "    trust: true",
      "---",
      ...AGENT_TEXT,
    ],
    IN_FRONT_MATTER,
  );
}

/** Gemini CLI's built-in commands win over commands from files, and would do something else. */
const BUILT_IN: readonly string[] = [
  "about agents auth bashes bug chat clear commands compress copy dir directory docs editor exit extensions help",
  "hooks ide init mcp memory model permissions plan policies privacy quit restore resume rewind settings shells",
  "skills stats terminal-setup theme tools upgrade vim",
].flatMap((line) => line.split(" "));

function nameOf({ name }: NamedCommand): string {
  return BUILT_IN.includes(name) ? `holdpoint-${name}` : name;
}

/** Commands that have another name here than users know. */
function renamed({ families }: Place): readonly string[] {
  return commandsOf(families)
    .filter((one) => nameOf(one) !== one.name)
    .map((one) => `/${one.name} is Gemini CLI's own; here it is /${nameOf(one)}.`);
}

function hooks({ program }: Place): readonly JsonEntry[] {
  const open = openHook(program.words, "gemini");
  const rows: readonly (readonly [string, string, number?])[] = [
    ["SessionStart", open],
    ["BeforeAgent", open],
    ["BeforeTool", closedHook(program.words, "gemini")],
    ["AfterTool", open],
    ["AfterAgent", endHook(program.words, "gemini"), END_SECONDS],
  ];
  return rows.map(([event, command, seconds = CLIENT_SECONDS]) => ({
    at: ["hooks", event],
    items: [
      {
        matcher: "*",
        // Gemini CLI uses milliseconds.
        hooks: [{ type: "command", name: "holdpoint", command, timeout: seconds * 1000 }],
      },
    ],
    isOurs: isOurHook("gemini"),
  }));
}
