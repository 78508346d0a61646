import type { HookCall } from "../../watch/call.ts";

const OURS = /^holdpoint/i;

/** Whether a use of a tool tells something that a later call cannot: who calls our tools, what a new agent is for. */
export function isNoted({ client, tool }: HookCall): boolean {
  if (tool?.kind === "mcp") return OURS.test(tool.server);
  // Gemini says which session acts, and not which of its agents.
  return tool?.kind === "agent" && client !== "gemini";
}
