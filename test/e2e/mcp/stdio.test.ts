/** The MCP server over standard input and output, driven by hand: every revision, and whatever a client may get wrong. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { BIN, NO_CHECKS, bareDirectory } from "../cli.ts";
import { McpClient } from "../mcp.ts";
import type { Era } from "../mcp.ts";
import { NAME, changeSetting, doWork, pluginAt, reportText, writeIdeas } from "../plugin.ts";
import * as team from "../team.ts";

const ERAS: readonly Era[] = ["2026-07-28", "2025-11-25", "2025-06-18"];
const SURFACE_BYTES_MAX = 4_096;

describe.each(ERAS)("revision %s", (era) => {
  test("tools are listed in 4 kB and called; a refusal is an answer, not an error", async () => {
    const client = new McpClient(pluginAt("p0"), { era });
    await client.begin();
    const { result } = await client.ask("tools/list");
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(SURFACE_BYTES_MAX);
    expect(await client.call("next")).toContain("subagent research-planning-agent on W-1");
    const refused = await client.result("report", { text: "{}" });
    expect(refused.result?.isError).toBeUndefined();
    expect(refused.result?.content?.[0]?.text).toMatch(/^Refused:\n- .*Fix: /);
    expect(await client.end()).toBe(0);
    expect(client.stderr).toBe("");
  });

  test("what makes no sense is told, and the next call is answered", async () => {
    const client = await new McpClient(pluginAt("p0"), { era }).begin();
    client.write('{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"na');
    client.write("\u0000\u0001 nonsense");
    client.write("[]");
    expect((await client.result("answer", { workflow: NAME, choice: "1" })).error?.code).toBe(
      -32602,
    );
    expect((await client.ask("no/such/method")).error?.code).toBe(-32601);
    for (const [tool, args] of WRONG) {
      const { result } = await client.result(tool, args);
      expect(result?.content?.[0]?.text).toMatch(/^(?:Failed|Refused):/);
    }
    const text = await client.result("report", { text: "x".repeat(5_000_000) });
    expect(text.result?.content?.[0]?.text).toContain("at most 4194304 bytes");
    expect(await client.call("next")).toContain("W-1");
  });
});

const WRONG = [
  ["next", { workflow: 7 }],
  ["next", { workflow: "../../etc" }],
  ["advance", { workflow: NAME, take: true }],
  ["advance", { workflow: NAME, input: "text" }],
  ["next", { look: "answer" }],
  ["next", { look: "show", workflow: NAME, id: "constructor" }],
  ["order", { workflow: NAME, dispatch: "W-9" }],
  ["start", { protocol: "none" }],
] as const;

test("20 MB in one line are answered with an error, not kept, and the server goes on", async () => {
  const client = await new McpClient(pluginAt("p0")).begin();
  const params = { name: "report", arguments: { text: "x".repeat(20 * 1024 * 1024) } };
  client.write(JSON.stringify({ method: "tools/call", params, jsonrpc: "2.0", id: "big" }));
  client.write(`[${"1,".repeat(10 * 1024 * 1024)}1]`);
  expect(await client.call("next")).toContain("W-1");
  expect(client.heard.map(({ id }) => id)).toEqual(["big", null]);
  expect(client.heard[0]?.error?.message).toContain("at most 8388608 bytes");
});

test("a cancelled call that is over is ignored", async () => {
  const client = await new McpClient(pluginAt("p0")).begin();
  await client.call("next");
  client.notify("notifications/cancelled", { requestId: 3, reason: "done" });
  client.notify("notifications/cancelled", { requestId: 99_999 });
  expect(await client.call("next")).toContain("W-1");
});

test("where only a person leads on, an agent is told so, and not to take the step itself", async () => {
  const session = team.sessionAt("loop");
  session.send("code", "T-001");
  session.report(team.agentReply({ status: "FAIL", summary: "the disk is gone" }));
  const client = await new McpClient(session.repo).begin();
  for (const said of [await client.call("next"), await client.call("advance")]) {
    expect(said).toMatch(/a person, not you: holdpoint advance \S+ unblock --reason/);
    expect(said).not.toMatch(/advance \{/);
  }
  const typed = session.run("advance", []);
  expect(typed.json.refusals?.[0]).toMatchObject({
    fix: expect.stringContaining("a person, not you: "),
    remedy: { operation: "advance", by: "person" },
  });
  const seen = session.repo.hold(["advance", session.id]).json.refusals?.[0];
  expect(JSON.stringify(seen)).toContain("unblock");
  expect(JSON.stringify(seen)).not.toContain("not you");
});

test("only one of two clients gets a report in, and each sees what the other and the command line did", async () => {
  const scratch = pluginAt("p0");
  const [one, two] = await Promise.all([
    new McpClient(scratch).begin(),
    new McpClient(scratch, { era: "2026-07-28", client: "codex-mcp-client" }).begin(),
  ]);
  doWork(scratch, "0");
  const said = await Promise.all(
    [one, two].map((each) => each.call("report", { text: reportText("0") })),
  );
  expect(said.filter((text) => text.startsWith("Done."))).toHaveLength(1);
  expect(said.filter((text) => /^(?:Refused|Held):/.test(text))).toHaveLength(1);
  expect(await one.call("next")).toBe(await two.call("next"));
  expect(scratch.hold(["answer", NAME, "1"]).exit).toBe(0);
  expect(await one.call("next")).toContain("foundation-shell-agent on W-2");
  // Which of several is meant is asked, and each is found by its name.
  scratch.hold(["start", "Other", "--protocol", "plugin-workflow"]);
  expect(await two.call("order")).toContain("Say which workflow: TapeDelay, Other");
  expect(await two.call("next", { workflow: NAME })).toContain("on W-2 of TapeDelay");
});

test("without a repository it starts and says what is there; a repository made later is used", async () => {
  const scratch = bareDirectory();
  const client = await new McpClient(scratch).begin();
  expect(await client.call("next")).toBe("no workflows");
  expect(scratch.has(".holdpoint")).toBe(false);
  scratch.git("init", "--quiet", "--initial-branch=main");
  const said = await client.call("start", { workflow: NAME, protocol: "plugin-workflow" });
  expect(said).toContain("still lacks");
  expect(scratch.has(".git/holdpoint/journals")).toBe(true);
  writeIdeas(scratch);
  expect(await client.call("advance")).toContain("research-planning-agent on W-1");
});

test("a directory that is gone is a clear error, and no crash; once it is back, so is the server", async () => {
  const scratch = pluginAt("p0");
  const client = await new McpClient(scratch).begin();
  renameSync(scratch.top, `${scratch.top}-away`);
  const { result } = await client.result("next");
  expect(result?.isError).toBe(true);
  expect(result?.content?.[0]?.text).toContain("There is no directory");
  renameSync(`${scratch.top}-away`, scratch.top);
  expect(await client.call("next")).toContain("W-1");
  const gone = join(dirname(scratch.top), "gone");
  mkdirSync(gone);
  const other = new McpClient(scratch, { cwd: gone });
  rmSync(gone, { recursive: true });
  await other.begin();
  expect(await other.call("next")).toContain("There is no directory");
});

test("a server killed in mid-call leaves nothing that the next one does not finish", async () => {
  const scratch = pluginAt("p0");
  doWork(scratch, "0");
  const first = await new McpClient(scratch, { env: { HOLDPOINT_DIE_AT: "appended" } }).begin();
  await expect(first.call("report", { text: reportText("0") })).rejects.toThrow("the server ended");
  const second = await new McpClient(scratch).begin();
  const again = await second.call("report", { text: reportText("0") });
  expect(again).toMatch(/Held: a person must answer|never handed out|no work that is still open/);
  expect(await second.call("next")).toContain(
    "Held: a person must answer: Research & planning complete",
  );
  expect(scratch.hold(["verify", NAME]).exit).toBe(0);
});

test("a call that is long in coming says so, to whoever wants to hear it", async () => {
  const client = await new McpClient(slowPlugin()).begin();
  await client.call("report", { text: reportText("3") }, { progressToken: "p1" });
  const heard = client.heard.filter((one) => one.method === "notifications/progress");
  expect(heard.length).toBeGreaterThan(0);
  expect(heard[0]?.params).toMatchObject({ progressToken: "p1" });
  expect(heard[0]?.params?.["message"]).toMatch(/^\d+ s$/);
}, 60_000);

/** A plugin whose tests take their time. */
function slowPlugin(seconds = "5"): ReturnType<typeof pluginAt> {
  const scratch = pluginAt("p3");
  const checks = { ...NO_CHECKS, tests: { run: ["sleep", seconds] } };
  changeSetting(scratch, "holdpoint.config.json", { checks });
  doWork(scratch, "3");
  return scratch;
}

test("told to stop during a check, it leaves neither the check nor the report behind", async () => {
  const mark = "3600.5";
  const scratch = slowPlugin(mark);
  const client = await new McpClient(scratch).begin();
  const reported = client.call("report", { text: reportText("3") });
  await expect.poll(() => runningWith(mark), { timeout: 20_000 }).toBe(true);
  client.child.kill("SIGTERM");
  await expect(reported).rejects.toThrow("the server ended (0)");
  await expect.poll(() => runningWith(mark)).toBe(false);
  expect(await (await new McpClient(scratch).begin()).call("next")).toContain("dsp-agent on W-3");
}, 60_000);

/** Whether a process has that argument. */
function runningWith(argument: string): boolean {
  const all = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
  return all.split("\n").some((line) => line === `sleep ${argument}`);
}

test("SIGTERM ends it in good order", async () => {
  const client = await new McpClient(pluginAt("p0")).begin();
  client.child.kill("SIGTERM");
  expect(await client.ended).toBe(0);
  expect(client.stderr).toBe("");
});

test("a question may be shown at the client, and whatever is typed there releases nothing", async () => {
  const session = team.sessionAt("design");
  const env = { HOLDPOINT_SESSION: "human:" + userInfo().username };
  const capabilities = { elicitation: { form: {} } };
  const client = await new McpClient(session.repo, {
    era: "2026-07-28",
    capabilities,
    env,
  }).begin();
  const asked = {
    name: "advance",
    arguments: { workflow: session.id, question: "Shall it follow the system?" },
  };
  const first = await client.ask("tools/call", asked);
  const text = JSON.stringify(first.result);
  expect(first.result?.["resultType"]).toBe("input_required");
  expect(text).toContain("Shall it follow the system?");
  expect(text).toContain("answered with: holdpoint answer");
  const inputResponses = { shown: { action: "accept", content: { seen: true, answer: "yes" } } };
  const second = await client.ask("tools/call", { ...asked, inputResponses });
  expect(second.result?.content?.[0]?.text).toContain(
    "Held: a person must answer: Shall it follow the system?",
  );
  const { held } = session.repo.hold(["status", session.id]).json;
  expect(held).toHaveLength(1);
});

test("each verb but mcp starts without what it needs", () => {
  const scratch = pluginAt("p0");
  writeFileSync(join(scratch.top, "spy.cjs"), SPY);
  const env = { NODE_OPTIONS: `--require "${join(scratch.top, "spy.cjs")}"`, SPY: "1" };
  const { stderr } = scratch.say(["list"], { env: { ...scratch.env, ...env } });
  const read = stderr.split("\n").filter((line) => line.startsWith("read "));
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter((line) => line.startsWith("read true"))).toEqual([]);
  const home = join(dirname(BIN), "../dist/bin");
  const parts = readdirSync(home).filter((name) => name.endsWith(".cjs"));
  const withSdk = parts.filter((name) => readFileSync(join(home, name), "utf8").includes(SDK));
  expect(withSdk).toHaveLength(1);
});

const SDK = "io.modelcontextprotocol";

/** Notes which parts of the program are read, and whether the MCP SDK is in one. */
const SPY = `
const fs = require("node:fs");
const read = fs.readFileSync;
fs.readFileSync = (file, ...rest) => {
  const text = read(file, ...rest);
  if (String(file).endsWith(".cjs")) process.stderr.write("read " + text.includes("${SDK}") + " " + file + "\\n");
  return text;
};`;
