/** Gemini CLI. It does not say which agent acts: a subagent's use of a tool looks like the main agent's. */
import type { JsonObject } from "../../../core/values/json.ts";
import type { HookAnswer, HookCall, HookEvent, ToolUse, Verdict } from "../../../watch/call.ts";
import {
  answerWith,
  editTool,
  given,
  inputOf,
  mcpTool,
  object,
  readTool,
  shellTool,
  SILENT,
  text,
  unknownTool,
  wordsOf,
} from "./client.ts";
import type { Translation } from "./client.ts";
import { ENDS, eventOf } from "./claude.ts";

const EVENTS: Readonly<Record<string, HookEvent>> = {
  SessionStart: "session-start",
  BeforeAgent: "prompt",
  BeforeTool: "before-tool",
  AfterTool: "after-tool",
  AfterAgent: "turn-end",
};

const READS: readonly string[] = [
  "read_file",
  "read_many_files",
  "list_directory",
  "glob",
  "search_file_content",
  "grep_search",
  "google_web_search",
  "web_fetch",
  "write_todos",
  "get_internal_docs",
  "activate_skill",
  "ask_user",
  "complete_task",
];

export const gemini: Translation = { read, write };

function read(payload: JsonObject): HookCall {
  const name = text(payload, "hook_event_name");
  const tool = text(payload, "tool_name");
  return {
    client: "gemini",
    event: eventOf(EVENTS, name, payload),
    name,
    cwd: text(payload, "cwd"),
    session: text(payload, "session_id"),
    ...(tool === "" ? {} : { tool: toolOf(tool, inputOf(payload, "tool_input"), payload) }),
    ...given("prompt", text(payload, "prompt")),
    ...given("said", text(payload, "prompt_response")),
    ...(payload["stop_hook_active"] === true ? { again: true } : {}),
    // Its turns wait for subagents, so none is working when a turn ends.
    ...(name === "AfterAgent" ? { working: [] } : {}),
  };
}

function toolOf(name: string, input: JsonObject, payload: JsonObject): ToolUse {
  const context = object(payload, "mcp_context");
  const server = text(context, "server_name");
  if (server !== "") return mcpTool(name, server, text(context, "tool_name"), input);
  if (READS.includes(name)) return readTool(name, input);
  if (name === "write_file" || name === "replace" || name === "edit") return editTool(name, input);
  if (name === "run_shell_command") return shellTool(name, input, "dir_path", "directory");
  if (/^(?:delegate_to|invoke)_(?:sub)?agent$/.test(name))
    return {
      kind: "agent",
      name,
      type: text(input, "agent_name", "agent"),
      prompt: text(input, "prompt", "query", "objective"),
    };
  return unknownTool(name, input);
}

function write(call: HookCall, verdict: Verdict): HookAnswer {
  if (verdict.kind === "allow")
    return verdict.tell === undefined || ENDS.includes(call.event)
      ? SILENT
      : answerWith(
          { hookSpecificOutput: { hookEventName: call.name, additionalContext: verdict.tell } },
          0,
        );
  const words = wordsOf(verdict.reasons);
  return answerWith({ decision: "deny", reason: words }, 2, words);
}
