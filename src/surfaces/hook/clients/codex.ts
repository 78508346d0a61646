/** Codex CLI: Claude Code's format, with its own tools. A patch arrives as the text of a command. */
import type { JsonObject } from "../../../core/values/json.ts";
import type { ToolUse } from "../../../watch/call.ts";
import { mcpTool, patchTool, readTool, shellTool, text, unknownTool } from "./client.ts";
import type { Translation } from "./client.ts";
import { readSnake, writeSnake } from "./claude.ts";

export const codex: Translation = {
  read: (payload) => readSnake("codex", payload, codexTool),
  write: (call, verdict) => writeSnake(call, verdict),
};

const READS: readonly string[] = [
  "update_plan",
  "view_image",
  "read_file",
  "list_dir",
  "grep_files",
  "tool_search",
  "web_search",
  "collaborationwait_agent",
  "collaborationlist_agents",
  "collaborationclose_agent",
];

function codexTool(name: string, input: JsonObject): ToolUse {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return mcpTool(name, server, tool, input);
  if (READS.includes(name)) return readTool(name, input);
  if (name === "apply_patch") return patchTool(name, text(input, "command", "input", "patch"));
  if (/^(?:Bash|shell|local_shell|exec_command)$/.test(name))
    return shellTool(name, input, "workdir", "cwd");
  // Input for a shell that is already running.
  if (name === "write_stdin")
    return text(input, "chars") === ""
      ? readTool(name, input)
      : shellTool(name, { command: text(input, "chars") });
  if (name.endsWith("spawn_agent"))
    return {
      kind: "agent",
      name,
      // The name its hooks use if no type was asked for.
      type: text(input, "agent_type", "role") || "default",
      prompt: text(input, "message", "prompt"),
    };
  return unknownTool(name, input);
}
