/** Codex: hooks in hooks.json, the server in config.toml. A repository's files count once it is trusted. */
import { join } from "node:path";
import { isOurHook } from "../client.ts";
import type { ClientSetup, Place } from "../client.ts";
import { CLIENT_SECONDS, END_SECONDS, closedHook, endHook, openHook } from "../hook-command.ts";
import { blockPart, jsonPart } from "../parts.ts";
import type { JsonEntry, Part } from "../parts.ts";
import { serverWords } from "../server-entry.ts";
import { skillParts, sectionPart } from "../several.ts";

export const codex: ClientSetup = {
  client: "codex",
  title: "Codex CLI",
  byDefault: {
    user: false,
    why: "Codex asks a person to trust hooks wherever they are; in the repository every clone has them",
  },
  hookFile: ({ root, home }, user) => join(user ? home.codex : join(root, ".codex"), "hooks.json"),
  serverFile: ({ root, home }, user) =>
    join(user ? home.codex : join(root, ".codex"), "config.toml"),
  beforeTool: "PreToolUse",
  parts,
  traps: ({ user }) => [
    ...(user
      ? []
      : [
          "Trust this folder: start codex in it once and say yes. Until then .codex/ is not read at all.",
        ]),
    "Trust the hooks: start codex and open /hooks. Hooks that nobody has trusted are skipped without a word, also in codex exec; every change of a command needs new trust. `holdpoint doctor codex` asks codex.",
    "For scripts there is codex exec --dangerously-bypass-hook-trust.",
  ],
};

/**
 * No agent files: as soon as there is one, Codex describes its own agents to the model at length (450 tokens in
 * every session). Its subagents read the section in AGENTS.md anyway.
 */
function parts(place: Place): readonly Part[] {
  const { root, home, user, program } = place;
  const { command, args } = serverWords("codex", program);
  const folder = user ? home.codex : join(root, ".codex");
  return [
    jsonPart(codex.hookFile(place, user), "codex hooks", hooks(place)),
    blockPart(join(folder, "config.toml"), "codex server", {
      marks: { begin: "# holdpoint:begin", end: "# holdpoint:end" },
      lines: [
        "[mcp_servers.holdpoint]",
        `command = ${toml(command)}`,
        `args = [${args.map(toml).join(", ")}]`,
        'default_tools_approval_mode = "approve"',
      ],
      clash,
    }),
    ...skillParts(place),
    sectionPart(place),
  ];
}

function toml(text: string): string {
  return JSON.stringify(text);
}

/** A server of that name that is not ours, or a table that cannot be extended with a header. */
function clash(rest: string): { readonly line: number; readonly why: string } | undefined {
  const lines = rest.split(/\r\n|\n|\r/);
  const at = lines.findIndex((line) =>
    /^\s*(?:\[+\s*mcp_servers\s*\.\s*["']?holdpoint["']?\s*[\].]|mcp_servers\s*(?:=|\.\s*["']?holdpoint))/.test(
      line,
    ),
  );
  if (at < 0) return undefined;
  return {
    line: at + 1,
    why: `"${lines[at]?.trim() ?? ""}" is in the way of [mcp_servers.holdpoint]`,
  };
}

/** Codex reads its hooks when a session starts; emptying the file later has no effect. */
function hooks({ program }: Place): readonly JsonEntry[] {
  const rows: readonly (readonly [string, string, number?])[] = [
    ["SessionStart", openHook(program.words, "codex")],
    ["UserPromptSubmit", openHook(program.words, "codex")],
    ["PreToolUse", closedHook(program.words, "codex")],
    ["PostToolUse", openHook(program.words, "codex")],
    ["SubagentStart", openHook(program.words, "codex")],
    ["SubagentStop", endHook(program.words, "codex"), END_SECONDS],
    ["Stop", endHook(program.words, "codex"), END_SECONDS],
  ];
  return rows.map(([event, command, timeout = CLIENT_SECONDS]) => ({
    at: ["hooks", event],
    items: [{ hooks: [{ type: "command", command, timeout }] }],
    isOurs: isOurHook("codex"),
  }));
}
