/** The entry for our MCP server in a client's files: what starts it, and what the client needs besides. */
import type { JsonObject } from "../../core/values/json.ts";
import type { Client } from "../../watch/call.ts";
import type { Program } from "./program.ts";

export type ServerWords = Pick<Program, "command" | "args">;

/**
 * With `agent`, a server for that agent only, for clients where nothing else says who acts. The shared server is
 * then for the lead agent.
 */
export function serverWords(client: Client, program: ServerWords, agent?: string): ServerWords {
  const { command, args } = program;
  const who = agent !== undefined ? ["--agent", agent] : client === "gemini" ? ["--lead"] : [];
  return { command, args: [...args, "mcp", ...who] };
}

/** As JSON. Codex gets the same words in TOML. */
export function serverEntry(client: Client, program: ServerWords): JsonObject {
  const { command, args } = serverWords(client, program);
  switch (client) {
    case "claude":
      return { type: "stdio", command, args, alwaysLoad: true };
    case "copilot":
      return { type: "local", command, args, tools: ["*"] };
    case "gemini":
      return { command, args, trust: true };
    case "opencode":
      return { type: "local", command: [command, ...args], enabled: true };
    case "codex":
      return { command, args };
  }
}
