/** Rules of the protocols that only hooks in the agents' clients can keep while something happens. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isJsonObject, parseJson } from "../../../src/core/values/json.ts";
import type { JsonObject } from "../../../src/core/values/json.ts";
import { answerHook } from "../../../src/surfaces/hook/answer.ts";
import { openDesk } from "../../../src/surfaces/mcp/call.ts";
import { askedBy } from "../../../src/surfaces/mcp/tools.ts";
import type { Client, HookAnswer } from "../../../src/watch/call.ts";
import type { Scratch } from "../cli.ts";
import { codesOf, ideas, pluginAt } from "../plugin.ts";
import { SCOPES, classified, handOut, reportFor, started, taskRepository } from "../task.ts";
import { sessionAt } from "../team.ts";

const FIXTURES = join(import.meta.dirname, "../../fixtures/hooks");

/** A payload that the real client sent, about another file. */
function recorded(name: string, { top }: Scratch, path: string): JsonObject {
  const text = readFileSync(join(FIXTURES, `${name}.json`), "utf8");
  const file = join(top, path);
  const moved = text.replaceAll("/repo/made.txt", file).replaceAll('"/repo"', JSON.stringify(top));
  const parsed = parseJson(moved);
  const stdin = isJsonObject(parsed) && isJsonObject(parsed["stdin"]) ? parsed["stdin"] : {};
  if (!name.startsWith("opencode")) return stdin;
  const { _output: output = {}, ...input } = stdin;
  return { hook: "tool.execute.before", cwd: top, session: "ses_1", input, output };
}

const EDITS: readonly (readonly [Client, string])[] = [
  ["claude", "claude/PreToolUse.edit"],
  ["codex", "codex/PreToolUse.edit"],
  ["gemini", "gemini/BeforeTool.edit"],
  ["copilot", "copilot/preToolUse.edit"],
  ["opencode", "opencode/tool.execute.before.edit"],
];

/** What each client does with an answer, as it was measured: two of these stop a tool in all of them. */
function stops(client: Client, { stdout, exit }: HookAnswer): boolean {
  if (client === "opencode") return !stdout.includes('"decision":"allow"');
  return exit === 2 && stdout !== "";
}

/** The client with its hook: it writes the file, unless it is stopped. */
async function clientEdits(client: Client, scratch: Scratch, payload: string, path: string) {
  const answer = await answerHook(client, payload, scratch.env, scratch.top);
  if (!stops(client, answer)) writeFileSync(join(scratch.top, path), "CHANGED\n");
  return answer;
}

describe("an edit of a sealed contract", () => {
  const contract = ideas("architecture.md");

  test.each(EDITS)(
    "[PW-313] [TP-227] %s: it does not happen, and the reason says why",
    async (client, name) => {
      const scratch = pluginAt("p2");
      const was = scratch.read(contract);
      const payload = JSON.stringify(recorded(name, scratch, contract));
      expect(payload).toContain(contract);
      const { stdout } = await clientEdits(client, scratch, payload, contract);
      expect(scratch.read(contract)).toBe(was);
      expect(stdout).toContain("sealed");
      expect(stdout).toContain("Instead:");
      // Where nothing is held the same edit goes through.
      const free = pluginAt("installed");
      const open = JSON.stringify(recorded(name, free, "notes.txt"));
      await clientEdits(client, free, open, "notes.txt");
      expect(free.read("notes.txt")).toBe("CHANGED\n");
    },
  );

  test.each(EDITS)(
    "[TP-226] %s: a payload that is cut, empty or of no known form stops it and says so",
    async (client, name) => {
      const scratch = pluginAt("p2");
      const was = scratch.read(contract);
      const whole = JSON.stringify(recorded(name, scratch, contract));
      for (const payload of [whole.slice(0, -7), "", "null", "[1]"]) {
        const { stdout } = await clientEdits(client, scratch, payload, contract);
        expect(stdout, payload).toContain("internal_error");
      }
      expect(scratch.read(contract)).toBe(was);
    },
  );

  test("[PW-313] one that slipped past is told at once after the tool, once, and denies nothing", async () => {
    const scratch = pluginAt("p2");
    const after = async (session = "s1"): Promise<string> => {
      const payload = {
        session_id: session,
        cwd: scratch.top,
        hook_event_name: "PostToolUse",
        tool_name: "Bash",
        tool_input: { command: "make" },
        tool_response: {},
      };
      const told = await answerHook("claude", JSON.stringify(payload), scratch.env, scratch.top);
      expect(told.exit).toBe(0);
      return told.stdout;
    };
    expect(await after()).toBe("");
    scratch.write(contract, "changed by a script\n");
    expect(await after()).toContain("sealed-artifact (PW-313)");
    expect(await after()).toBe("");
    scratch.write(contract, "changed again\n");
    expect(await after()).toContain("architecture.md");
    expect(await after("s2")).toContain("architecture.md");
  });
});

describe("the Orchestrator of a team", () => {
  test("[TC-167] edits no source itself; its Coder does while it has the work", async () => {
    const team = sessionAt("loop");
    team.send("code", "T-001");
    const edits = async (more: JsonObject): Promise<string> => {
      const payload = {
        session_id: "s1",
        cwd: team.repo.top,
        hook_event_name: "PreToolUse",
        tool_name: "Write",
        tool_input: { file_path: join(team.repo.top, "app.js"), content: "x" },
        tool_use_id: "t1",
        ...more,
      };
      const text = JSON.stringify(payload);
      return (await answerHook("claude", text, team.repo.env, team.repo.top)).stdout;
    };
    expect(await edits({})).toContain("TC-167");
    expect(await edits({ agent_id: "a1", agent_type: "coder" })).toBe("{}");
  });
});

describe("work that is claimed and not done", () => {
  test("[TP-229] is refused for the same reason by every way in", async () => {
    const scratch = taskRepository({ one: SCOPES.MEDIUM });
    const task = classified(started(scratch, "one"), SCOPES.MEDIUM);
    task.step(["advance", "one", "gather"]);
    const dispatch = handOut(task, "requirements", "architect");
    const claim = '{"status": "COMPLETE"}';
    // The command line.
    expect(codesOf(reportFor(task, dispatch, claim))).toContain("report-missing");
    // A command that was left because the store could not be written.
    const input = { workflow: "one", dispatch, text: claim };
    const by = { name: "coordinator", session: "s-one" };
    const entry = { format: 1, operation: "report", input, by };
    scratch.write(".holdpoint/inbox/entry-0001.json", JSON.stringify(entry));
    task.run(["reconcile", "one"]);
    expect(scratch.read(".holdpoint/inbox/entry-0001.answer.json")).toContain("report-missing");
    // A tool call.
    process.env["HOLDPOINT_SESSION"] = "s-one";
    const asked = askedBy("report", input);
    if (asked === undefined) throw new Error("there is no report");
    const from = { client: "claude-code", tool: "report", input, meta: {} };
    const { text } = await openDesk(scratch.top).call({ asked, from, progress: () => undefined });
    delete process.env["HOLDPOINT_SESSION"];
    expect(text).toContain("requirements.md");
    // A file that says so.
    const status = { ...JSON.parse(scratch.read(`${task.dir}/agents/architect/status.json`)) };
    const said = { ...status, status: "COMPLETE" };
    scratch.write(`${task.dir}/agents/architect/status.json`, JSON.stringify(said));
    task.run(["advance", "one", "synthesize"]);
    const refused = scratch.hold(["audit", "one"]).json.refusals ?? [];
    const codes = refused.map((one) => JSON.stringify(one));
    expect(codes.filter((one) => one.includes("report-missing")).length).toBeGreaterThanOrEqual(4);
    expect(codes.some((one) => one.includes("file:edit"))).toBe(true);
  });
});
