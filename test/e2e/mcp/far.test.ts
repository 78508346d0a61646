/** A report through MCP goes on until somebody must act, and says nothing twice. */
import { expect, test } from "vitest";
import { McpClient } from "../mcp.ts";
import { NAME, doWork, pluginAt, reportText } from "../plugin.ts";
import * as team from "../team.ts";

test("a report hands out what comes next, once it is taken", async () => {
  const session = team.startTeam();
  const lead = await new McpClient(session.repo).begin();
  expect(await lead.call("advance")).toContain("spec-agent on W-1");
  const sub = await new McpClient(session.repo).begin();
  expect(await sub.call("report", { text: team.agentReply() })).toMatch(/^Refused:/);
  const text = session.play("SpecAgent");
  expect(await sub.call("report", { dispatch: "W-1", text })).toBe(
    "Done.\nOrchestrator: Start subagent architect on W-2.",
  );
  expect(await lead.call("next")).toContain("architect on W-2");
});

test("whoever wants to go on while an agent is at work is told who it is, and nothing is refused on record", async () => {
  const scratch = pluginAt("p0");
  const client = await new McpClient(scratch).begin();
  const before = scratch.hold(`audit ${NAME}`).stdout;
  for (const tool of ["advance", "next"])
    expect(await client.call(tool)).toBe(
      "Start, unless it runs: subagent research-planning-agent on W-1.",
    );
  expect(scratch.hold(`audit ${NAME}`).stdout).toBe(before);
});

test("that a check runs nowhere is told to a conversation once", async () => {
  const scratch = pluginAt("p2");
  const lead = await new McpClient(scratch).begin();
  doWork(scratch, "2");
  const first = await lead.call("report", { text: reportText("2") });
  scratch.hold(`answer ${NAME} 1`);
  doWork(scratch, "3");
  const second = await lead.call("report", { text: reportText("3") });
  const said = [first, second].join("\n").match(/did not run/g) ?? [];
  expect(said.length).toBeLessThanOrEqual(1);
  expect(second).toContain("a person must answer");
});

test("a server that is one agent's own speaks for it, and has its orders alone", async () => {
  const scratch = pluginAt("p0");
  const env = { HOLDPOINT_SESSION: "gemini:s1" };
  const as = async (...args: readonly string[]): Promise<McpClient> =>
    await new McpClient(scratch, { client: "gemini-cli", env, args }).begin();
  const one = await as("--agent", "research-planning-agent");
  const other = await as("--agent", "dsp-agent");
  const order = { workflow: NAME, dispatch: "W-1" };
  expect(await one.call("order", order)).toContain("W-1");
  expect(await other.call("next")).toContain("no tool next");
  doWork(scratch, "0");
  const report = { ...order, text: reportText("0") };
  expect(await other.call("report", report)).toContain("gemini:s1/research-planning-agent");
  const lead = await as("--lead");
  expect(await lead.call("report", report)).toContain("no tool report");
  expect(await one.call("report", report)).toMatch(/^Done\.\nOrchestrator: Held/);
  expect(await lead.call("next")).toContain("a person must answer");
});

test.each([
  ["--agent"],
  ["--agent", "../x"],
  ["--agent", "x", "--lead"],
  ["--agent", "x", "--http"],
])("mcp %s %s is a usage error", (...args) => {
  expect(pluginAt("p0").hold(["mcp", ...args]).exit).toBe(2);
});
