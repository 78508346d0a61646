/**
 * OpenCode cannot run commands as hooks. Our plugin (opencode-plugin.js) runs inside the client, asks with
 * `{ hook, cwd, agent?, input, output }`, and throws unless the answer's decision is `allow`.
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
  object,
  patchTool,
  readTool,
  shellTool,
  text,
  unknownTool,
  wordsOf,
} from "./client.ts";
import type { Translation } from "./client.ts";

const EVENTS: Readonly<Record<string, HookEvent>> = {
  "session.created": "session-start",
  "session.compacted": "session-start",
  "chat.message": "prompt",
  "tool.execute.before": "before-tool",
  "tool.execute.after": "after-tool",
  "session.idle": "turn-end",
};

const OF_AGENT: Readonly<Partial<Record<HookEvent, HookEvent>>> = {
  "session-start": "other",
  prompt: "agent-start",
  "turn-end": "agent-end",
};

const READS: readonly string[] = [
  "read",
  "glob",
  "grep",
  "list",
  "lsp",
  "codesearch",
  "webfetch",
  "websearch",
  "todowrite",
  "todoread",
  "question",
  "skill",
  "invalid",
];

export const opencode: Translation = { read, write };

function read(payload: JsonObject): HookCall {
  const name = text(payload, "hook");
  const input = object(payload, "input");
  const output = object(payload, "output");
  const tool = text(input, "tool");
  const args = { ...inputOf(input, "args"), ...inputOf(output, "args") };
  const agent = object(payload, "agent");
  const known = agentOf(agent, "id", "type");
  const event = Object.hasOwn(EVENTS, name) ? (EVENTS[name] ?? "other") : "other";
  return {
    client: "opencode",
    // A subagent has a session of its own.
    event: known.agent === undefined ? event : (OF_AGENT[event] ?? event),
    name,
    cwd: text(payload, "cwd"),
    session: text(agent, "parent") || text(payload, "session") || text(input, "sessionID"),
    ...known,
    ...given("use", text(input, "callID")),
    ...(tool === "" ? {} : { tool: toolOf(tool, args) }),
    ...given("prompt", text(payload, "prompt")),
    ...given("said", text(payload, "said")),
  };
}

function toolOf(name: string, input: JsonObject): ToolUse {
  if (READS.includes(name)) return readTool(name, input);
  if (/^(?:edit|write|multiedit)$/.test(name)) return editTool(name, input);
  if (name === "patch" || name === "apply_patch")
    return patchTool(name, text(input, "patchText", "patch", "input"));
  if (name === "bash") return shellTool(name, input, "workdir", "cwd");
  if (name === "task")
    return {
      kind: "agent",
      name,
      type: text(input, "subagent_type"),
      prompt: text(input, "prompt"),
    };
  const [, server, tool] = /^([A-Za-z0-9-]+)_(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined) return mcpTool(name, server, tool, input);
  return unknownTool(name, input);
}

function write(_: HookCall, verdict: Verdict): HookAnswer {
  if (verdict.kind === "allow")
    return answerWith(
      { decision: "allow", ...(verdict.tell === undefined ? {} : { tell: verdict.tell }) },
      0,
    );
  const words = wordsOf(verdict.reasons);
  return answerWith({ decision: verdict.kind, reason: words }, 2, words);
}
