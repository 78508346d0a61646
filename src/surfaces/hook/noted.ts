import type { HookCall } from "../../watch/call.ts";

const OURS = /^holdpoint/i;

/**
 * Whether a use of a tool says something that a later call cannot: who calls our tools, or what a new agent is
 * for.
 */
export function isNoted({ client, tool }: HookCall): boolean {
  if (tool?.kind === "mcp") return OURS.test(tool.server);
  // Gemini says which session acts, but not which of its agents.
  return tool?.kind === "agent" && client !== "gemini";
}
