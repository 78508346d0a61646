/** Which agent is behind a hook, and behind a tool call or a new agent of which a hook has told before. */
import { canonicalJson, parseJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { agentCaller } from "../../engine/caller.ts";
import type { Caller } from "../../engine/caller.ts";
import type { HookCall } from "../../watch/call.ts";
import type { Memory } from "./memory.ts";
import { isNoted } from "./noted.ts";

/** Whoever acts: the subagent, or the main agent where the client names none. */
export function callerOfHook({ client, session, agent }: HookCall): Caller {
  return agentCaller({ client, session, ...(agent === undefined ? {} : { agent: agent.id }) });
}

export function mainOfHook({ client, session }: HookCall): Caller {
  return agentCaller({ client, session });
}

export function noteUse(memory: Memory, call: HookCall): void {
  const { client, session, agent, tool, use } = call;
  if (!isNoted(call) || session === "") return;
  const who = { session, below: agent?.id ?? "" };
  if (tool?.kind === "agent") {
    const prompt = tool.prompt.slice(0, PROMPT_CHARS_MAX);
    noteOnce(memory, "start", startKey(call, tool.type), { ...who, prompt });
  }
  if (tool?.kind !== "mcp") return;
  if (use !== undefined) memory.write("use", `${client} ${use}`, who);
  noteOnce(memory, "call", callKey(client, tool.tool, parseJson(tool.input) ?? {}), who);
}

const PROMPT_CHARS_MAX = 8_000;
const RECENT_MS = 10 * 60 * 1000;

/** Two that say different things under one name at the same time cannot be told apart. */
function noteOnce(memory: Memory, kind: string, key: string, note: JsonObject): void {
  const before = recent(memory, kind, key);
  const { at: _, several = false, ...said } = before ?? {};
  const differs = before !== undefined && canonicalJson(said) !== canonicalJson(note);
  memory.write(kind, key, { ...note, at: Date.now(), several: several === true || differs });
}

function recent(memory: Memory, kind: string, key: string): JsonObject | undefined {
  const note = memory.read(kind, key);
  const at = note?.["at"];
  return typeof at === "number" && Math.abs(Date.now() - at) < RECENT_MS ? note : undefined;
}

export interface ToolCall {
  readonly client: string;
  /** The client's id of the use, where the call carries it. */
  readonly use?: string;
  readonly tool: string;
  readonly input: Json;
}

/** The agent that a hook saw before this very call; undefined where none did, or two did. */
export function whoCalls(memory: Memory, call: ToolCall): Caller | undefined {
  const { client, use, tool, input } = call;
  const note =
    use === undefined
      ? recent(memory, "call", callKey(client, tool, input))
      : memory.read("use", `${client} ${use}`);
  const { session, below, several } = note ?? {};
  if (typeof session !== "string" || several === true) return undefined;
  return agentCaller({ client, session, ...(typeof below === "string" ? { agent: below } : {}) });
}

function callKey(client: string, tool: string, input: Json): string {
  return `${client} ${tool} ${canonicalJson(input)}`;
}

/** What a new agent was told: its own client says so, or the use of the tool that started it did. */
export function promptOf(memory: Memory, call: HookCall): string | undefined {
  if (call.prompt !== undefined) return call.prompt;
  const key = startKey(call, call.agent?.type ?? "");
  const note = recent(memory, "start", key);
  memory.forget("start", key);
  const prompt = note?.["prompt"];
  return note?.["several"] === true || typeof prompt !== "string" ? undefined : prompt;
}

function startKey({ client, session }: HookCall, type: string): string {
  return `${client} ${session} ${type}`;
}
