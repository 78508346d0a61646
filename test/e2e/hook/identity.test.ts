/** A tool call is its agent's: what a hook saw before it says whose it is, and nothing that an agent writes does. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { answerHook } from "../../../src/surfaces/hook/answer.ts";
import { openDesk } from "../../../src/surfaces/mcp/call.ts";
import { askedBy } from "../../../src/surfaces/mcp/tools.ts";
import type { Client } from "../../../src/watch/call.ts";
import { BIN } from "../cli.ts";
import type { Scratch } from "../cli.ts";
import { NAME, doWork, pluginAt, reportText } from "../plugin.ts";

async function tell(scratch: Scratch, client: Client, payload: JsonObject): Promise<string> {
  const text = JSON.stringify({ cwd: scratch.top, ...payload });
  return (await answerHook(client, text, scratch.env, scratch.top)).stdout;
}

/** A call of one of our tools, as the client sends it: the model writes the input, the client the rest. */
async function call(
  scratch: Scratch,
  tool: string,
  input: JsonObject,
  {
    client = "claude-code",
    meta = {},
  }: { readonly client?: string; readonly meta?: JsonObject } = {},
): Promise<string> {
  const asked = askedBy(tool, input);
  if (asked === undefined) throw new Error(`there is no ${tool}`);
  const from = { client, tool, input, meta };
  return (await openDesk(scratch.top).call({ asked, from, progress: () => undefined })).text;
}

const S = "s1";
const before = (use: string, agent: string | undefined, tool: string, input: JsonObject) => ({
  session_id: S,
  hook_event_name: "PreToolUse",
  tool_name: `mcp__holdpoint__${tool}`,
  tool_input: input,
  tool_use_id: use,
  ...(agent === undefined ? {} : { agent_id: agent, agent_type: "builder" }),
});
const use = (id: string) => ({ meta: { "claudecode/toolUseId": id } });

function holder(scratch: Scratch): string | undefined {
  const { entries = [] } = scratch.hold(`audit ${NAME}`).json;
  const taken = entries.flatMap((one) => one.events).findLast((one) => /^W-\d+ taken by/.test(one));
  return taken?.replace(/^.*taken by /, "");
}

const order = { workflow: NAME };

describe("Claude Code", () => {
  test("the hook's id of the use says which agent fetched the order; another cannot report", async () => {
    const scratch = pluginAt("p0");
    await tell(scratch, "claude", before("t1", "a1", "order", order));
    expect(await call(scratch, "order", order, use("t1"))).toContain("research-planning");
    expect(holder(scratch)).toBe("claude-code:s1/a1");
    doWork(scratch, "0");
    const report = { workflow: NAME, text: reportText("0") };
    await tell(scratch, "claude", before("t2", "a2", "report", report));
    expect(await call(scratch, "report", report, use("t2"))).toContain("claude-code:s1/a1");
    // A use that no hook has seen is nobody's, and so is one that is not named.
    expect(await call(scratch, "report", report, use("t9"))).toContain("claude-code:s1/a1");
    expect(await call(scratch, "report", report)).toContain("claude-code:s1/a1");
    // Whatever the model writes into its arguments names nobody.
    const forged = { ...report, "claudecode/toolUseId": "t1", agent: "a1" };
    await tell(scratch, "claude", before("t3", "a2", "report", forged));
    await call(scratch, "report", forged, use("t3"));
    expect(scratch.hold(`status ${NAME}`).json.held).toEqual([]);
    await tell(scratch, "claude", before("t4", "a1", "report", report));
    await call(scratch, "report", report, use("t4"));
    expect(scratch.hold(`status ${NAME}`).json.held).not.toEqual([]);
  });

  test("a main agent that looks at an order its subagent has leaves it there", async () => {
    const scratch = pluginAt("p0");
    await tell(scratch, "claude", before("t1", "a1", "order", order));
    await call(scratch, "order", order, use("t1"));
    await tell(scratch, "claude", before("t2", undefined, "order", order));
    await call(scratch, "order", order, use("t2"));
    expect(holder(scratch)).toBe("claude-code:s1/a1");
  });
});

describe("a subagent", () => {
  test("hands nobody's work to an agent that it starts itself", async () => {
    const scratch = pluginAt("p0");
    await tell(scratch, "claude", before("t1", "a1", "order", order));
    await call(scratch, "order", order, use("t1"));
    const start = { tool_name: "Agent", tool_input: { subagent_type: "x", prompt: "W-1" } };
    const said = { session_id: S, hook_event_name: "PreToolUse", tool_use_id: "t2", ...start };
    await tell(scratch, "claude", { ...said, agent_id: "a2", agent_type: "builder" });
    const begun = {
      session_id: S,
      hook_event_name: "SubagentStart",
      agent_id: "n1",
      agent_type: "x",
    };
    await tell(scratch, "claude", begun);
    expect(holder(scratch)).toBe("claude-code:s1/a1");
    // The main agent may give it to another one.
    await tell(scratch, "claude", said);
    await tell(scratch, "claude", { ...begun, agent_id: "n2" });
    expect(holder(scratch)).toBe("claude-code:s1/n2");
  });

  test("what hooks keep is not kept or removed behind a link", async () => {
    const scratch = pluginAt("p0");
    const outside = join(scratch.top, "../outside");
    mkdirSync(outside);
    for (let count = 0; count < 600; count += 1) writeFileSync(join(outside, `f${count}`), "");
    symlinkSync(outside, join(scratch.top, ".git/holdpoint/agents"));
    await tell(scratch, "claude", before("t1", "a1", "order", order));
    await tell(scratch, "claude", { session_id: S, hook_event_name: "UserPromptSubmit" });
    await call(scratch, "order", order, use("t1"));
    expect(readdirSync(outside)).toHaveLength(600);
    expect(holder(scratch)).toBeUndefined();
  });
});

describe("clients whose calls carry nothing", () => {
  const used = (agent: string, input: JsonObject): JsonObject => ({
    sessionId: agent,
    agentId: agent,
    agentType: "builder",
    parentAgentId: "p1",
    toolName: "holdpoint-order",
    toolArgs: input,
  });

  test("the same call was seen by a hook just before: it is that agent's", async () => {
    const scratch = pluginAt("p0");
    await tell(scratch, "copilot", used("a1", order));
    await call(scratch, "order", order, { client: "copilot" });
    expect(holder(scratch)).toBe("copilot:p1/a1");
  });

  test("two agents that ask the same at once are nobody", async () => {
    const scratch = pluginAt("p0");
    await tell(scratch, "copilot", used("a1", order));
    await tell(scratch, "copilot", used("a2", order));
    await call(scratch, "order", order, { client: "copilot" });
    expect(holder(scratch)).toBeUndefined();
  });

  test("a subagent's prompt binds it to the work it names", async () => {
    const scratch = pluginAt("p0");
    const prompt = `Do W-1 of ${NAME}: holdpoint order ${NAME} --dispatch W-1`;
    await tell(scratch, "copilot", { sessionId: "a1", agentId: "a1", parentAgentId: "p1", prompt });
    expect(holder(scratch)).toBe("copilot:p1/a1");
  });

  test("OpenCode: its plugin tells parent and prompt", async () => {
    const scratch = pluginAt("p0");
    const agent = { id: "ses_2", type: "builder", parent: "ses_1" };
    await tell(scratch, "opencode", {
      hook: "chat.message",
      session: "ses_2",
      agent,
      prompt: "Go: W-1",
    });
    expect(holder(scratch)).toBe("opencode:ses_1/ses_2");
    doWork(scratch, "0");
    const idle = { hook: "session.idle", session: "ses_2", agent, said: reportText("0") };
    await tell(scratch, "opencode", idle);
    expect(scratch.hold(`status ${NAME}`).json.held).not.toEqual([]);
  });

  const geminiUse = (tool: string): JsonObject => ({
    session_id: "g1",
    hook_event_name: "BeforeTool",
    tool_name: `mcp_holdpoint_${tool}`,
    tool_input: order,
    mcp_context: { server_name: "holdpoint", tool_name: tool },
  });

  test("Gemini: nobody is known, and work stays anybody's", async () => {
    const scratch = pluginAt("p0");
    await tell(scratch, "gemini", geminiUse("order"));
    await call(scratch, "order", order, { client: "gemini-cli" });
    expect(holder(scratch)).toBeUndefined();
  });

  test("Gemini: its session is known, so that its turn does not end with work that is out", async () => {
    const scratch = pluginAt("new");
    await tell(scratch, "gemini", geminiUse("advance"));
    await call(scratch, "advance", order, { client: "gemini-cli" });
    const end = async (session: string): Promise<string> =>
      await tell(scratch, "gemini", { session_id: session, hook_event_name: "AfterAgent" });
    expect(await end("g1")).toContain("work-unreported");
    expect(await end("g2")).toBe("");
  });
});

describe("through the built program", () => {
  test("a subagent's end is its report, and the answer is alone on standard output", () => {
    const scratch = pluginAt("p0");
    const hook = (
      payload: JsonObject,
    ): { readonly stdout: string; readonly exit: number | null } => {
      const { stdout, status } = spawnSync(process.execPath, [BIN, "hook", "claude"], {
        cwd: scratch.top,
        env: scratch.env,
        input: JSON.stringify({ cwd: scratch.top, session_id: S, ...payload }),
        encoding: "utf8",
      });
      return { stdout, exit: status };
    };
    const told = hook({ hook_event_name: "SessionStart", source: "compact" });
    expect(JSON.parse(told.stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: "SessionStart" },
    });
    const agent = { agent_id: "a1", agent_type: "builder" };
    hook({
      hook_event_name: "PreToolUse",
      tool_name: "Agent",
      tool_input: { subagent_type: "builder", prompt: "holdpoint order W-1" },
      tool_use_id: "t1",
    });
    hook({ hook_event_name: "SubagentStart", ...agent });
    expect(holder(scratch)).toBe("claude-code:s1/a1");
    const end = { hook_event_name: "SubagentStop", ...agent };
    const refused = hook({ ...end, last_assistant_message: "done" });
    expect(refused.exit).toBe(2);
    expect(JSON.parse(refused.stdout)).toMatchObject({ decision: "block" });
    doWork(scratch, "0");
    expect(hook({ ...end, last_assistant_message: reportText("0") })).toEqual({
      stdout: "",
      exit: 0,
    });
    expect(scratch.hold(`status ${NAME}`).json.held).not.toEqual([]);
  });
});

describe("the server", () => {
  test("takes in what was left, before it answers", async () => {
    const scratch = pluginAt("p0");
    doWork(scratch, "0");
    const inbox = join(scratch.top, ".holdpoint/inbox");
    mkdirSync(inbox, { recursive: true });
    const input = { workflow: NAME, text: reportText("0") };
    const by = { name: "codex", session: "codex:s1" };
    const entry = { format: 1, operation: "report", input, by };
    writeFileSync(join(inbox, "entry-0001.json"), JSON.stringify(entry));
    await call(scratch, "next", {});
    expect(readdirSync(inbox)).toEqual(["entry-0001.answer.json"]);
    expect(scratch.hold(`status ${NAME}`).json.held).not.toEqual([]);
  });
});
