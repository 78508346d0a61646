import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { operations } from "../../operations/index.ts";
import { inputProblem } from "../../operations/index.ts";
import { memoryIn } from "../hook/memory.ts";
import { noteUse } from "../hook/who.ts";
import { callerOfCall } from "./caller.ts";
import { TOOLS, askedBy, toolsFor } from "./tools.ts";

const SURFACE_BYTES_MAX = 4_096;
const DEFINITION_TOKENS_MAX = 300;

describe("tools", () => {
  test("the whole surface is small", () => {
    const listed = JSON.stringify({ tools: TOOLS });
    expect(Buffer.byteLength(listed)).toBeLessThanOrEqual(SURFACE_BYTES_MAX);
    const given = TOOLS.map(({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, input_schema: inputSchema }),
    );
    const tokens = given.map((one) => encode(one).length).reduce((sum, one) => sum + one, 0);
    expect(tokens).toBeLessThanOrEqual(DEFINITION_TOKENS_MAX);
  });

  test("no tool answers, approves, adopts, reconciles, locks or takes a lease, whatever it is given", () => {
    const people = ["answer", "approve", "hold", "adopt", "policy", "reconcile", "lock"];
    const names = TOOLS.map((one) => one.name);
    expect(names).toEqual(["next", "advance", "order", "report", "start"]);
    for (const name of [...names, ...people, "constructor", "__proto__", ""])
      for (const look of [undefined, ...people, "constructor"]) {
        const asked = askedBy(name, look === undefined ? {} : { look });
        expect(people).not.toContain(asked?.operation.name);
        expect(asked === undefined).toBe(!names.includes(name));
      }
    for (const input of [{ take: true }, { set: { express: true } }, { choice: "1" }]) {
      const { operation, input: given } = askedBy("advance", input) ?? {};
      expect(operation && inputProblem(operation, { workflow: "X", ...given })).toBeDefined();
    }
    for (const look of ["status", "show", "verify", "audit"]) {
      const given = { look, workflow: "X", id: "d1", add: "Y", all: true, reason: "z" };
      const { operation, input = {} } = askedBy("next", given) ?? {};
      expect(operation?.name).toBe(look);
      expect(operation?.readOnly?.(input)).toBe(true);
      expect(Object.keys(input).filter((one) => !["workflow", "id"].includes(one))).toEqual([]);
    }
  });

  test("each is an operation by its own name and takes what that takes", () => {
    for (const { name, inputSchema } of TOOLS) {
      const operation = operations.find((one) => one.name === name);
      const properties = Object.keys(Object(inputSchema["properties"]) as object).filter(
        (one) => !["look", "id", "question"].includes(one),
      );
      expect(Object.keys(operation?.input.properties ?? {})).toEqual(
        expect.arrayContaining(properties),
      );
    }
  });

  test("a question is asked, whatever else is given, and takes no step", () => {
    const { operation, input } = askedBy("advance", { question: "Why?", workflow: "X" }) ?? {};
    expect([operation?.name, input]).toEqual(["ask", { question: "Why?", workflow: "X" }]);
    const both = askedBy("advance", { question: "Why?", workflow: "X", step: "implement" });
    expect(both && inputProblem(both.operation, both.input)).toBeDefined();
  });

  test("whoever has agents with servers of their own has no orders, and they have nothing else", () => {
    const names = (flags: Parameters<typeof toolsFor>[0]): readonly string[] =>
      toolsFor(flags).map((one) => one.name);
    expect(names({ lead: true })).toEqual(["next", "advance", "start"]);
    expect(names({ lead: false, agent: "spec-agent" })).toEqual(["order", "report"]);
    expect(toolsFor({ lead: false })).toBe(TOOLS);
  });

  test("advance and report go as far as they can, unless a step turns aside", () => {
    expect(askedBy("report", { text: "{}" })?.input).toEqual({ text: "{}", far: true });
    expect(askedBy("advance", {})?.input).toEqual({ far: true });
    expect(askedBy("advance", { step: "implement" })?.input).toMatchObject({ far: true });
    expect(askedBy("advance", { step: "cancel" })?.input).not.toHaveProperty("far");
    expect(askedBy("advance", { step: "block", reason: "x" })?.input).not.toHaveProperty("far");
  });
});

describe("who calls", () => {
  const call = { tool: "next", input: {}, meta: {} };

  test.each([
    ["claude-code", {}, { CLAUDE_CODE_SESSION_ID: "s1" }, "claude-code:s1", undefined],
    ["codex-mcp-client", { sessionId: "t1", threadId: "t2" }, {}, "codex:t1", "codex:t1/t2"],
    ["codex-mcp-client", { sessionId: "t1", threadId: "t1" }, {}, "codex:t1", "codex:t1"],
    ["codex", { "x-codex-turn-metadata": { session_id: "t3" } }, {}, "codex:t3", "codex:t3"],
    ["gemini-cli-mcp-client", {}, {}, "gemini:unnamed", undefined],
    ["opencode", { sessionId: "a b\n" }, {}, "opencode:unnamed", undefined],
    ["github-copilot", {}, { HOLDPOINT_SESSION: "mine" }, "mine", undefined],
    ["", {}, {}, "unknown:unnamed", undefined],
    ["someone/else:1", {}, {}, "someone_else_1:unnamed", undefined],
  ])("%s %j %j: %s", (...[client, meta, env, session, agent]) => {
    const caller = callerOfCall({ ...call, client, meta }, env);
    expect(caller.session).toBe(session);
    expect(caller.actor.kind).toBe("agent");
    expect(caller.actor.role).toBeUndefined();
    expect(caller.actor.agent).toBe(agent);
  });

  test("is an agent, whatever the call or the environment says", () => {
    const env = { HOLDPOINT_ACTOR: "person:ada", USER: "ada" };
    const meta = { actor: { kind: "person", name: "ada" }, person: true };
    const { actor } = callerOfCall({ ...call, client: "person:ada", meta }, env);
    expect(actor).toEqual({ kind: "agent", name: "person_ada" });
  });

  test("is the agent whose hook came before the call, where its client has hooks", () => {
    const memory = memoryIn(mkdtempSync(join(tmpdir(), "holdpoint-mcp-")));
    const hook = {
      client: "claude",
      event: "before-tool",
      name: "",
      cwd: "/",
      session: "s1",
    } as const;
    const tool = {
      kind: "mcp",
      name: "x",
      server: "holdpoint",
      tool: "order",
      input: "{}",
    } as const;
    noteUse(memory, { ...hook, use: "toolu_1", agent: { id: "a1" }, tool });
    const from = { client: "claude-code", tool: "order", input: {} };
    const seen = callerOfCall({ ...from, meta: { "claudecode/toolUseId": "toolu_1" } }, {}, memory);
    expect(seen).toMatchObject({
      session: "claude-code:s1",
      actor: { agent: "claude-code:s1/a1" },
    });
    const other = callerOfCall(
      { ...from, meta: { "claudecode/toolUseId": "toolu_2" } },
      {},
      memory,
    );
    expect(other.actor.agent).toBeUndefined();
  });
});
