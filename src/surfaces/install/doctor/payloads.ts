/** What each client would send to its hook, and how it would read the answer. */
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Client } from "../../../watch/call.ts";

export interface Payloads {
  readonly env: (root: string) => Readonly<Record<string, string>>;
  readonly edit: (path: string, cwd: string) => JsonObject;
  readonly read: (path: string, cwd: string) => JsonObject;
  /** The part of the answer's JSON that the client reads as a no. */
  readonly says: (answer: JsonObject) => Json | undefined;
}

const SESSION = "holdpoint-doctor";

function snake(event: string, tool: string, input: JsonObject, cwd: string): JsonObject {
  return {
    session_id: SESSION,
    cwd,
    hook_event_name: event,
    tool_name: tool,
    tool_input: input,
    tool_use_id: "doctor-1",
  };
}

function inner(answer: JsonObject): Json | undefined {
  const { hookSpecificOutput: out } = answer;
  return isJsonObject(out) ? out["permissionDecision"] : undefined;
}

export const PAYLOADS: Readonly<Record<Exclude<Client, "opencode">, Payloads>> = {
  claude: {
    env: (root) => ({ CLAUDECODE: "1", CLAUDE_CODE_SESSION_ID: SESSION, CLAUDE_PROJECT_DIR: root }),
    edit: (path, cwd) => snake("PreToolUse", "Write", { file_path: path, content: "x" }, cwd),
    read: (path, cwd) => snake("PreToolUse", "Read", { file_path: path }, cwd),
    says: inner,
  },
  codex: {
    env: () => ({ CODEX_SESSION_ID: SESSION }),
    edit: (path, cwd) => snake("PreToolUse", "apply_patch", { command: patch(path) }, cwd),
    read: (path, cwd) =>
      snake("PreToolUse", "Bash", { command: `cat ${JSON.stringify(path)}` }, cwd),
    says: inner,
  },
  gemini: {
    env: (root) => ({ GEMINI_CLI: "1", GEMINI_SESSION_ID: SESSION, GEMINI_PROJECT_DIR: root }),
    edit: (path, cwd) => snake("BeforeTool", "write_file", { file_path: path, content: "x" }, cwd),
    read: (path, cwd) => snake("BeforeTool", "read_file", { file_path: path }, cwd),
    says: ({ decision }) => decision,
  },
  copilot: {
    env: (root) => ({ COPILOT_CLI: "1", COPILOT_PROJECT_DIR: root, CLAUDE_PROJECT_DIR: root }),
    edit: (path, cwd) => copilotUse("create", { path, file_text: "x" }, cwd),
    read: (path, cwd) => copilotUse("view", { path }, cwd),
    says: ({ permissionDecision }) => permissionDecision,
  },
};

function patch(path: string): string {
  return `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch`;
}

function copilotUse(toolName: string, toolArgs: JsonObject, cwd: string): JsonObject {
  return { sessionId: SESSION, timestamp: 1, cwd, toolName, toolArgs };
}

/** The one JSON object on standard output; undefined for anything else. */
export function answerIn(stdout: string): JsonObject | undefined {
  const parsed = parseJson(stdout);
  return isJsonObject(parsed) ? parsed : undefined;
}
