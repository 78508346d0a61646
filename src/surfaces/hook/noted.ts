import type { HookCall } from "../../watch/call.ts";

const OURS = /^holdpoint/i;

/** Whether a use of a tool tells something that a later call cannot: who calls our tools, what a new agent is for. */
export function isNoted({ client, tool }: HookCall): boolean {
  // Gemini does not say which of its agents acts.
  if (client === "gemini" || tool === undefined) return false;
  return tool.kind === "agent" || (tool.kind === "mcp" && OURS.test(tool.server));
}
