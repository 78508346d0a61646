/** Claude Code, whose format Codex and Copilot partly use too. */
import type { JsonObject } from "../../../core/values/json.ts";
import type { HookAnswer, HookCall, HookEvent, ToolUse, Verdict } from "../../../watch/call.ts";
import {
  agentOf,
  answerWith,
  editTool,
  given,
  inputOf,
  mcpTool,
  readTool,
  shellTool,
  SILENT,
  text,
  unknownTool,
  wordsOf,
  workingIn,
} from "./client.ts";
import type { Translation } from "./client.ts";

export const EVENTS: Readonly<Record<string, HookEvent>> = {
  SessionStart: "session-start",
  UserPromptSubmit: "prompt",
  PreToolUse: "before-tool",
  PostToolUse: "after-tool",
  PostToolUseFailure: "after-tool",
  SubagentStart: "agent-start",
  SubagentStop: "agent-end",
  Stop: "turn-end",
  ConfigChange: "settings",
};

const READS: readonly string[] = [
  "Read",
  "Glob",
  "Grep",
  "LS",
  "NotebookRead",
  "WebFetch",
  "WebSearch",
  "ToolSearch",
  "TodoWrite",
  "TaskOutput",
  "TaskStop",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskUpdate",
  "BashOutput",
  "KillShell",
  "AskUserQuestion",
  "EnterPlanMode",
  "ExitPlanMode",
  "Skill",
  "SlashCommand",
  "ListMcpResourcesTool",
  "ReadMcpResourceTool",
  "SendMessage",
  "LSP",
];

/** Events after which the agent cannot be told anything. */
export const ENDS: readonly HookEvent[] = ["agent-start", "agent-end", "turn-end"];

export const claude: Translation = {
  read: (payload) => {
    const call = readSnake("claude", payload, claudeTool);
    // The end of a background agent arrives as a prompt. Its last words already say where things stand.
    const isEnd = call.event === "prompt" && call.prompt?.includes("<task-notification>") === true;
    return isEnd ? { ...call, event: "other" } : call;
  },
  write: (call, verdict) =>
    // At the end of a turn, words are addressed to the person.
    call.event === "turn-end" && verdict.kind === "allow" && verdict.tell !== undefined
      ? answerWith({ systemMessage: verdict.tell }, 0)
      : writeSnake(call, verdict),
};

/** The payload format that Claude Code and Codex share. */
export function readSnake(
  client: HookCall["client"],
  payload: JsonObject,
  toolOf: (name: string, input: JsonObject, payload: JsonObject) => ToolUse,
): HookCall {
  const name = text(payload, "hook_event_name");
  const event = eventOf(EVENTS, name, payload);
  const tool = text(payload, "tool_name");
  return {
    client,
    event,
    name,
    cwd: text(payload, "cwd"),
    session: text(payload, "session_id"),
    ...agentOf(payload, "agent_id", "agent_type"),
    ...given("use", text(payload, "tool_use_id")),
    ...(tool === "" ? {} : { tool: toolOf(tool, inputOf(payload, "tool_input"), payload) }),
    ...given("prompt", text(payload, "prompt")),
    ...given("file", text(payload, "file_path")),
    ...given("said", text(payload, "last_assistant_message")),
    ...given("transcript", text(payload, "transcript_path")),
    ...workingIn(payload),
    ...(payload["stop_hook_active"] === true ? { again: true } : {}),
  };
}

const RESULTS = ["tool_response", "tool_result", "permission_suggestions", "error"] as const;

/** An unknown event with a tool but without a result is treated as the use of a tool that can be stopped. */
export function eventOf(
  events: Readonly<Record<string, HookEvent>>,
  name: string,
  payload: JsonObject,
): HookEvent {
  if (Object.hasOwn(events, name)) return events[name] ?? "other";
  // A payload without an event name, or with a tool's input, may be the use of a tool, so it is judged as one.
  if (name === "") return "type" in payload ? "other" : "before-tool";
  const ahead =
    ("tool_name" in payload || "tool_input" in payload) && !RESULTS.some((key) => key in payload);
  return ahead && name !== "PermissionRequest" ? "before-tool" : "other";
}

export function claudeTool(name: string, input: JsonObject): ToolUse {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return mcpTool(name, server, tool, input);
  if (READS.includes(name)) return readTool(name, input);
  if (/^(?:Edit|Write|MultiEdit|NotebookEdit)$/.test(name)) return editTool(name, input);
  if (/^(?:Bash|PowerShell|Monitor)$/.test(name)) return shellTool(name, input);
  if (name === "Agent" || name === "Task")
    return {
      kind: "agent",
      name,
      type: text(input, "subagent_type"),
      prompt: text(input, "prompt"),
    };
  return unknownTool(name, input);
}

export function writeSnake(call: HookCall, verdict: Verdict): HookAnswer {
  if (verdict.kind === "allow")
    return verdict.tell === undefined || ENDS.includes(call.event)
      ? SILENT
      : answerWith(
          { hookSpecificOutput: { hookEventName: call.name, additionalContext: verdict.tell } },
          0,
        );
  const words = wordsOf(verdict.reasons);
  if (call.event !== "before-tool")
    return answerWith({ decision: "block", reason: words }, 2, words);
  const decision = { permissionDecision: "deny", permissionDecisionReason: words };
  return answerWith({ hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } }, 2, words);
}
