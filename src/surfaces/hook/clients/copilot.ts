/**
 * Copilot CLI. Its own payloads do not name their event, so it is recognised by their fields. Events configured
 * in PascalCase come in Claude Code's format with Copilot's arguments, also from hooks in Claude Code's own
 * files.
 */
import type { JsonObject } from "../../../core/values/json.ts";
import type { HookAnswer, HookCall, HookEvent, ToolUse, Verdict } from "../../../watch/call.ts";
import {
  agentOf,
  answerWith,
  editTool,
  given,
  inputOf,
  mcpTool,
  patchTool,
  readTool,
  shellTool,
  SILENT,
  text,
  unknownTool,
  wordsOf,
} from "./client.ts";
import type { Translation } from "./client.ts";
import { claudeTool, ENDS, EVENTS, eventOf } from "./claude.ts";

const READS: readonly string[] = [
  "view",
  "grep",
  "glob",
  "rg",
  "read_bash",
  "stop_bash",
  "list_bash",
  "report_intent",
  "update_todo",
  "ask_user",
  "fetch_copilot_cli_documentation",
  "web_fetch",
  "web_search",
  "read_agent",
  "list_agents",
];

export const copilot: Translation = { read, write };

function read(payload: JsonObject): HookCall {
  const pascal = text(payload, "hook_event_name");
  return pascal === "" ? readOwn(payload) : readPascal(payload, pascal);
}

function readOwn(payload: JsonObject): HookCall {
  const [name, event] = ownEvent(payload);
  const tool = text(payload, "toolName");
  return {
    client: "copilot",
    event,
    name,
    cwd: text(payload, "cwd"),
    // What a subagent does comes under its own id; the conversation is its parent's.
    session: text(payload, "parentAgentId", "sessionId"),
    ...agentOf(payload, "agentId", "agentType"),
    ...(tool === "" ? {} : { tool: toolOf(tool, inputOf(payload, "toolArgs")) }),
    ...given("prompt", text(payload, "prompt")),
    ...given("said", text(payload, "response")),
    ...given("transcript", text(payload, "transcriptPath")),
    ...(payload["stop_hook_active"] === true ? { again: true } : {}),
  };
}

function ownEvent(payload: JsonObject): readonly [string, HookEvent] {
  const has = (name: string): boolean => name in payload;
  if (has("hookName")) return [text(payload, "hookName"), "other"];
  if (has("toolName")) {
    if (has("toolResult")) return ["postToolUse", "after-tool"];
    if (has("error")) return ["postToolUseFailure", "after-tool"];
    return ["preToolUse", "before-tool"];
  }
  if (has("stopReason")) {
    if (has("agentName") || has("response")) return ["subagentStop", "agent-end"];
    // A subagent's end is reported twice; only the other event carries its last words.
    return ["agentStop", has("agentId") ? "other" : "turn-end"];
  }
  if (has("agentName")) return ["subagentStart", "agent-start"];
  if (has("source")) return ["sessionStart", "session-start"];
  // A subagent's prompt is the task it was started for.
  if (has("prompt")) return ["userPromptSubmitted", has("agentId") ? "agent-start" : "prompt"];
  // An unknown payload may be the use of a tool.
  return ["", has("reason") ? "other" : "before-tool"];
}

function readPascal(payload: JsonObject, name: string): HookCall {
  const tool = text(payload, "tool_name");
  return {
    client: "copilot",
    event: eventOf(EVENTS, name, payload),
    name,
    cwd: text(payload, "cwd"),
    session: text(payload, "parent_agent_id", "session_id"),
    ...agentOf(payload, "agent_id", "agent_type"),
    ...(tool === "" ? {} : { tool: toolOf(tool, inputOf(payload, "tool_input")) }),
    ...given("prompt", text(payload, "prompt")),
    ...given("said", text(payload, "response", "last_assistant_message")),
    ...given("transcript", text(payload, "transcript_path")),
    ...(payload["stop_hook_active"] === true ? { again: true } : {}),
  };
}

function toolOf(name: string, input: JsonObject): ToolUse {
  if (READS.includes(name)) return readTool(name, input);
  if (name === "edit" || name === "create") return editTool(name, input);
  if (name === "str_replace_editor")
    return input["command"] === "view" ? readTool(name, input) : editTool(name, input);
  if (name === "apply_patch") return patchTool(name, text(input, "patch", "input", "command"));
  if (/^(?:bash|powershell|shell)$/.test(name)) return shellTool(name, input, "cwd");
  if (name === "write_bash") return shellTool(name, { command: text(input, "input") });
  if (name === "task")
    return { kind: "agent", name, type: text(input, "agent_type"), prompt: text(input, "prompt") };
  const known = claudeTool(name, input);
  if (known.kind !== "unknown") return known;
  const [, server, tool] = /^([A-Za-z0-9_]+)[-/](.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return mcpTool(name, server, tool, input);
  return unknownTool(name, input);
}

/** At the end of a turn only the JSON counts; before a tool, both the JSON and the exit code do. */
function write(call: HookCall, verdict: Verdict): HookAnswer {
  if (verdict.kind === "allow")
    return verdict.tell === undefined || ENDS.includes(call.event)
      ? SILENT
      : answerWith({ additionalContext: verdict.tell }, 0);
  const words = wordsOf(verdict.reasons);
  if (call.event === "before-tool")
    return answerWith({ permissionDecision: "deny", permissionDecisionReason: words }, 2, words);
  const ends = call.event === "turn-end" || call.event === "agent-end";
  return answerWith({ decision: "block", reason: words }, ends ? 0 : 2, words);
}
