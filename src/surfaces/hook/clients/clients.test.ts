import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject, parseJson } from "../../../core/values/json.ts";
import type { JsonObject } from "../../../core/values/json.ts";
import { CLIENTS } from "../../../watch/call.ts";
import type { Client, Denial, HookCall, ToolUse } from "../../../watch/call.ts";
import { TRANSLATIONS } from "./index.ts";

/** Payloads as the real clients sent them, with the machine's paths replaced. */
const FIXTURES = join(import.meta.dirname, "../../../../test/fixtures/hooks");

function fixture(name: string): { readonly call: HookCall; readonly client: Client } {
  const folder = name.split("/")[0] ?? "";
  const client = CLIENTS.find((one) => one === folder) ?? "copilot";
  const file = parseJson(readFileSync(join(FIXTURES, `${name}.json`), "utf8"));
  const stdin = isJsonObject(file) && isJsonObject(file["stdin"]) ? file["stdin"] : {};
  const payload = client === "opencode" ? pluginPayload(basename(name), stdin) : stdin;
  return { client, call: TRANSLATIONS[client].read(payload, {}) };
}

/** What our plugin makes of what OpenCode hands it. */
function pluginPayload(name: string, stdin: JsonObject): JsonObject {
  const { _output: output = {}, ...input } = stdin;
  const hook = name.replace(/^event\./, "").replace(/\.(?:edit|shell|mcp|other)$/, "");
  return { hook, cwd: "/repo", session: "ses_1", input, output };
}

const EDIT: Partial<ToolUse> = { kind: "edit", paths: ["/repo/made.txt"] };
const SHELL: Partial<ToolUse> = {
  kind: "shell",
  command: "echo hello-from-shell > shell.txt && pwd",
};
const SUB_SHELL: Partial<ToolUse> = { kind: "shell", command: "echo from-sub > sub.txt" };
const MCP: Partial<ToolUse> = { kind: "mcp", server: "toy", tool: "status" };
const READ: Partial<ToolUse> = { kind: "read" };

type Row = readonly [name: string, event: HookCall["event"], tool?: Partial<ToolUse>];

const ROWS: readonly Row[] = [
  ["claude/PreToolUse.edit", "before-tool", EDIT],
  ["claude/PreToolUse.shell", "before-tool", SHELL],
  ["claude/PreToolUse.shell.subagent", "before-tool", SUB_SHELL],
  ["claude/PreToolUse.mcp", "before-tool", MCP],
  ["claude/PreToolUse.mcp.subagent", "before-tool", MCP],
  ["claude/PreToolUse.other", "before-tool", READ],
  ["claude/PostToolUse.edit", "after-tool", EDIT],
  ["claude/PostToolUse.shell", "after-tool", SHELL],
  ["claude/PostToolUse.shell.subagent", "after-tool", SUB_SHELL],
  ["claude/PostToolUse.mcp", "after-tool", MCP],
  ["claude/PostToolUse.mcp.subagent", "after-tool", MCP],
  ["claude/PostToolUse.other", "after-tool", READ],
  ["claude/PostToolUseFailure", "after-tool", { kind: "mcp", server: "toy", tool: "sample" }],
  ["claude/PostToolBatch", "other"],
  ["claude/PostToolBatch.subagent", "other"],
  ["claude/PermissionRequest", "other", MCP],
  ["claude/SessionStart", "session-start"],
  ["claude/UserPromptSubmit", "prompt"],
  ["claude/SubagentStart.subagent", "agent-start"],
  ["claude/SubagentStop.subagent", "agent-end"],
  ["claude/Stop", "turn-end"],
  ["claude/ConfigChange", "settings"],
  ["claude/SessionEnd", "other"],
  ["claude/PreCompact", "other"],
  ["claude/PostCompact", "other"],
  ["claude/Notification", "other"],
  ["claude/Elicitation", "other"],
  ["claude/ElicitationResult", "other"],
  ["codex/PreToolUse.edit", "before-tool", EDIT],
  ["codex/PreToolUse.shell", "before-tool", SHELL],
  ["codex/PreToolUse.shell.subagent", "before-tool", SUB_SHELL],
  ["codex/PreToolUse.mcp", "before-tool", MCP],
  ["codex/PreToolUse.mcp.subagent", "before-tool", MCP],
  ["codex/PreToolUse.other", "before-tool", { kind: "agent", type: "builder" }],
  ["codex/PostToolUse.edit", "after-tool", EDIT],
  ["codex/PostToolUse.shell", "after-tool", SHELL],
  ["codex/PostToolUse.shell.subagent", "after-tool", SUB_SHELL],
  ["codex/PostToolUse.mcp", "after-tool", MCP],
  ["codex/PostToolUse.mcp.subagent", "after-tool", MCP],
  ["codex/PostToolUse.other", "after-tool", { kind: "agent" }],
  ["codex/PermissionRequest", "other", { kind: "mcp", server: "toy", tool: "advance" }],
  ["codex/SessionStart", "session-start"],
  ["codex/UserPromptSubmit", "prompt"],
  ["codex/SubagentStart.subagent", "agent-start"],
  ["codex/SubagentStop.subagent", "agent-end"],
  ["codex/Stop", "turn-end"],
  ["codex/SessionEnd", "other"],
  ["codex/notify", "other"],
  ["gemini/BeforeTool.edit", "before-tool", EDIT],
  ["gemini/BeforeTool.shell", "before-tool", SHELL],
  ["gemini/BeforeTool.mcp", "before-tool", MCP],
  ["gemini/BeforeTool.other", "before-tool", READ],
  ["gemini/AfterTool.edit", "after-tool", EDIT],
  ["gemini/AfterTool.shell", "after-tool", SHELL],
  ["gemini/AfterTool.mcp", "after-tool", MCP],
  ["gemini/AfterTool.other", "after-tool", READ],
  ["gemini/SessionStart", "session-start"],
  ["gemini/BeforeAgent", "prompt"],
  ["gemini/AfterAgent", "turn-end"],
  ["gemini/SessionEnd", "other"],
  ["gemini/PreCompress", "other"],
  ["copilot/preToolUse.edit", "before-tool", EDIT],
  ["copilot/preToolUse.shell", "before-tool", SHELL],
  ["copilot/preToolUse.shell.subagent", "before-tool", SUB_SHELL],
  ["copilot/preToolUse.mcp", "before-tool", MCP],
  ["copilot/preToolUse.mcp.subagent", "before-tool", MCP],
  ["copilot/preToolUse.other", "before-tool", READ],
  ["copilot/postToolUse.edit", "after-tool", EDIT],
  ["copilot/postToolUse.shell", "after-tool", SHELL],
  ["copilot/postToolUse.shell.subagent", "after-tool", SUB_SHELL],
  ["copilot/postToolUse.mcp", "after-tool", MCP],
  ["copilot/postToolUse.mcp.subagent", "after-tool", MCP],
  ["copilot/postToolUse.other", "after-tool", READ],
  ["copilot/postToolUseFailure", "after-tool", { kind: "mcp", server: "toy", tool: "sample" }],
  ["copilot/permissionRequest", "other", MCP],
  ["copilot/permissionRequest.subagent", "other", MCP],
  ["copilot/sessionStart", "session-start"],
  ["copilot/userPromptSubmitted", "prompt"],
  ["copilot/userPromptSubmitted.subagent", "agent-start"],
  ["copilot/subagentStart.subagent", "agent-start"],
  ["copilot/subagentStop.subagent", "agent-end"],
  ["copilot/agentStop", "turn-end"],
  ["copilot/agentStop.subagent", "other"],
  ["copilot/sessionEnd", "other"],
  ["copilot/notification", "other"],
  [
    "copilot-pascal/PreToolUse.edit",
    "before-tool",
    { kind: "edit", paths: ["/repo/protected.txt"] },
  ],
  ["copilot-pascal/PreToolUse.mcp", "before-tool", MCP],
  ["copilot-pascal/PreToolUse.other", "before-tool", READ],
  ["copilot-pascal/PostToolUse.mcp", "after-tool", MCP],
  ["copilot-pascal/PostToolUse.other", "after-tool", READ],
  ["copilot-pascal/SessionStart", "session-start"],
  ["copilot-pascal/SessionEnd", "other"],
  ["copilot-pascal/UserPromptSubmit", "prompt"],
  ["copilot-pascal/Stop", "turn-end"],
  ["opencode/tool.execute.before.edit", "before-tool", EDIT],
  ["opencode/tool.execute.before.shell", "before-tool", SHELL],
  ["opencode/tool.execute.before.mcp", "before-tool", MCP],
  ["opencode/tool.execute.before.other", "before-tool", READ],
  ["opencode/tool.execute.after", "after-tool", MCP],
  ["opencode/event.session.created", "session-start"],
  ["opencode/event.session.idle", "turn-end"],
  ["opencode/event.session.status", "other"],
  ["opencode/event.file.edited", "other"],
  ["opencode/event.permission.asked", "other"],
  ["opencode/event.permission.replied", "other"],
  ["opencode/chat.message", "prompt"],
  ["opencode/shell.env", "other"],
  ["opencode/plugin-init", "other"],
];

describe("payloads of the real clients", () => {
  test("each captured one is read", () => {
    const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${basename(parentPath)}/${name.replace(/\.json$/, "")}`);
    expect(ROWS.map(([name]) => name).toSorted()).toEqual(files.toSorted());
  });

  test.each(ROWS.map(([name, event, tool]) => ({ name, event, tool })))(
    "$name is $event",
    ({ name, event, tool }) => {
      const { client, call } = fixture(name);
      expect(call).toMatchObject({ client, event, ...(tool === undefined ? {} : { tool }) });
      expect(call.session === "").toBe(name.includes("notif") && client !== "claude");
      expect(call.tool === undefined).toBe(tool === undefined);
      const tells = /^claude|^codex|^copilot\//.test(name) && name.includes("subagent");
      expect(call.agent?.type).toBe(tells ? "builder" : undefined);
    },
  );

  test("the last words, the order and the file are kept", () => {
    expect(fixture("claude/SubagentStop.subagent").call).toMatchObject({ said: "Sub done." });
    expect(fixture("codex/Stop").call).toMatchObject({ said: "All done." });
    expect(fixture("copilot/subagentStop.subagent").call).toMatchObject({ said: "Sub done." });
    expect(fixture("gemini/AfterAgent").call.said).toContain("All done.");
    expect(fixture("claude/UserPromptSubmit").call.prompt).toContain("scripted work");
    expect(fixture("claude/ConfigChange").call.file).toBe("/repo/.claude/settings.local.json");
    expect(fixture("claude/PreToolUse.mcp").call.use).toBe("toolu_966ltgpozxmwidxx5p");
  });
});

const DENIAL: Denial = {
  code: "sealed",
  rule: "core",
  message: "a.md is sealed",
  fix: "leave it",
  lift: "a person says so",
};
const WORDS = "HOLD sealed (core): a.md is sealed\nInstead: leave it\nTo lift it: a person says so";

function call(client: Client, event: HookCall["event"], name = ""): HookCall {
  return { client, event, name, cwd: "/repo", session: "s" };
}

function told(client: Client, event: HookCall["event"], verdict: "deny" | "go-on"): unknown {
  const answer = TRANSLATIONS[client].write(call(client, event), {
    kind: verdict,
    reasons: [DENIAL],
  });
  return { ...answer, stdout: parseJson(answer.stdout) };
}

describe("answers in the client's own form", () => {
  const before = {
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision: "deny",
      permissionDecisionReason: WORDS,
    },
  };
  const block = { decision: "block", reason: WORDS };

  test.each([
    ["claude", before],
    ["codex", before],
    ["gemini", { decision: "deny", reason: WORDS }],
    ["copilot", { permissionDecision: "deny", permissionDecisionReason: WORDS }],
    ["opencode", { decision: "deny", reason: WORDS }],
  ] as const)(
    "%s is denied a tool by JSON, by words and by the exit code at once",
    (client, stdout) => {
      expect(told(client, "before-tool", "deny")).toEqual({ stdout, stderr: WORDS, exit: 2 });
    },
  );

  test.each([
    ["claude", { stdout: block, stderr: WORDS, exit: 2 }],
    ["codex", { stdout: block, stderr: WORDS, exit: 2 }],
    ["gemini", { stdout: { decision: "deny", reason: WORDS }, stderr: WORDS, exit: 2 }],
    ["copilot", { stdout: block, stderr: WORDS, exit: 0 }],
    ["opencode", { stdout: { decision: "go-on", reason: WORDS }, stderr: WORDS, exit: 2 }],
  ] as const)("%s is told to go on", (client, answer) => {
    expect(told(client, "turn-end", "go-on")).toEqual(answer);
  });

  test.each(CLIENTS)("%s hears nothing where nothing is to be said", (client) => {
    const { stdout, stderr, exit } = TRANSLATIONS[client].write(call(client, "before-tool"), {
      kind: "allow",
    });
    expect({ stderr, exit }).toEqual({ stderr: "", exit: 0 });
    expect(stdout).toBe(client === "opencode" ? '{"decision":"allow"}' : "");
  });

  test.each([
    ["claude", { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" } }],
    ["codex", { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" } }],
    ["gemini", { hookSpecificOutput: { hookEventName: "SessionStart", additionalContext: "x" } }],
    ["copilot", { additionalContext: "x" }],
    ["opencode", { decision: "allow", tell: "x" }],
  ] as const)("%s is told something", (client, stdout) => {
    const start = call(client, "session-start", "SessionStart");
    const answer = TRANSLATIONS[client].write(start, { kind: "allow", tell: "x" });
    expect(parseJson(answer.stdout)).toEqual(stdout);
  });
});
