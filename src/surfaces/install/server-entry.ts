/** The one entry by which a client's files name our MCP server: what starts it, and what that client wants beside it. */
import type { JsonObject } from "../../core/values/json.ts";
import type { Client } from "../../watch/call.ts";
import type { Program } from "./program.ts";

export type ServerWords = Pick<Program, "command" | "args">;

/** `agent` has a server of its own where only that tells who acts; the one that all others share leads. */
export function serverWords(client: Client, program: ServerWords, agent?: string): ServerWords {
  const { command, args } = program;
  const who = agent !== undefined ? ["--agent", agent] : client === "gemini" ? ["--lead"] : [];
  return { command, args: [...args, "mcp", ...who] };
}

/** As JSON; Codex writes the same words into its TOML. */
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
