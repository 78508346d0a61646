/** A story played through the MCP server alone: what an orchestrating model reads and writes, without a client. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { McpClient } from "../e2e/mcp.ts";
import type { Op } from "./model/script.ts";
import { Lead, agentSteps } from "./stories/story.ts";
import type { Out, Story } from "./stories/story.ts";

/** Far more than the longest story takes. */
const TURNS_MAX = 80;

export interface Spent {
  readonly tokens: number;
  readonly definitions: number;
  readonly calls: number;
  /** What was written and read, call by call. */
  readonly log: readonly string[];
}

export async function playDirectly(
  story: Story,
  tokensOf: (text: string) => number,
): Promise<Spent> {
  story.prepare?.();
  const lead = new Lead(story);
  const server = await new McpClient(story.scratch).begin();
  const others = await new McpClient(story.scratch).begin();
  const log: string[] = [];
  const definitions = server.tokens;
  let tokens = definitions;
  const spend = (text: string): void => {
    tokens += tokensOf(text);
    log.push(`${tokensOf(text)} ${text}`);
  };
  let heard = "";
  try {
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      const turn = lead.turn(heard);
      if (turn.kind === "over") return { tokens, definitions, calls: server.calls, log };
      if (turn.kind === "person") story.person();
      if (turn.kind === "agents") {
        heard = "";
        for (const out of turn.out) {
          const said = await playAgent(others, out, story);
          // The orchestrator writes who is to start on what, and reads the agent's last words.
          spend(`${out.role} ${out.dispatch}`);
          spend(said);
          heard = `${heard}${said}\n`;
        }
        continue;
      }
      heard = "";
      for (const op of turn.kind === "person" ? [turn.after] : turn.ops) {
        const said = await perform(server, op);
        if ("mcp" in op) {
          spend(`${op.mcp} ${JSON.stringify(op.args ?? {})}`);
          spend(said);
        }
        heard = `${heard}${said}\n`;
      }
    }
    throw new Error(`${story.name} does not end; it heard last:\n${heard}`);
  } finally {
    await Promise.all([server.end(), others.end()]);
  }
}

async function playAgent(server: McpClient, out: Out, story: Story): Promise<string> {
  const step = agentSteps(out, story.work);
  let heard = "";
  for (let index = 0; index < TURNS_MAX; index += 1) {
    const turn = step(heard, index);
    if ("say" in turn) return turn.say;
    heard = "";
    for (const op of turn.calls) heard = `${heard}${await perform(server, op)}`;
  }
  throw new Error(`${out.role} on ${out.dispatch} does not end`);
}

/** A call that fails is no call that was paid for: nothing is counted then. */
async function perform(server: McpClient, op: Op): Promise<string> {
  if ("mcp" in op) {
    const { result, error } = await server.result(op.mcp, { ...op.args });
    const text = result?.content?.map((one) => one.text).join("\n") ?? "";
    if (error !== undefined || result?.isError === true)
      throw new Error(`${op.mcp} ${JSON.stringify(op.args)} failed: ${error?.message ?? text}`);
    return text;
  }
  if ("shell" in op) execFileSync("sh", ["-c", op.shell], { stdio: "pipe" });
  if ("write" in op) {
    mkdirSync(dirname(op.write[0]), { recursive: true });
    writeFileSync(op.write[0], op.write[1]);
  }
  return "";
}
