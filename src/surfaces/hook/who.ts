/** Identifies the agent behind a hook, and behind a tool call or a new agent that an earlier hook announced. */
import { canonicalJson, parseJson } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { agentCaller } from "../../engine/caller.ts";
import type { Caller } from "../../engine/caller.ts";
import type { HookCall } from "../../watch/call.ts";
import type { Memory } from "./memory.ts";
import { isNoted } from "./noted.ts";

/** The agent that acts: the subagent, or the main agent if the client names none. */
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

/** If two uses of the same key at the same time say different things, they cannot be told apart. */
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
  /** The client's id of this use, if the call carries it. */
  readonly use?: string;
  readonly tool: string;
  readonly input: Json;
}

/** The agent whose hook announced this very call; undefined if none did, or two did. */
export function whoCalls(memory: Memory, call: ToolCall): Caller | undefined {
  const { client, use, tool, input } = call;
  const key = callKey(client, tool, input);
  const note =
    use === undefined ? recent(memory, "call", key) : memory.read("use", `${client} ${use}`);
  // The note is used up: if the same call comes again, it has a hook of its own.
  memory.forget("call", key);
  const { session, below, several } = note ?? {};
  if (typeof session !== "string" || several === true) return undefined;
  if (client === "gemini") return sessionAlone(agentCaller({ client, session }));
  return agentCaller({ client, session, ...(typeof below === "string" ? { agent: below } : {}) });
}

/** Some agent of that session, without saying which. */
export function sessionAlone({ actor: { kind, name }, session }: Caller): Caller {
  return { actor: { kind, name }, session };
}

function callKey(client: string, tool: string, input: Json): string {
  return `${client} ${tool} ${canonicalJson(input)}`;
}

export interface Started {
  /** The new agent's prompt, if known. */
  readonly prompt?: string;
  /** Whether the main agent started it. A subagent cannot pass work on. */
  readonly byMain: boolean;
}

/** Said by the new agent's own client, or by the use of the tool that started it. */
export function startOf(memory: Memory, call: HookCall): Started {
  if (call.prompt !== undefined) return { prompt: call.prompt, byMain: true };
  const key = startKey(call, call.agent?.type ?? "");
  const { prompt, several, below = "" } = recent(memory, "start", key) ?? {};
  memory.forget("start", key);
  const clear = several !== true && typeof prompt === "string";
  return { ...(clear ? { prompt } : {}), byMain: below === "" };
}

function startKey({ client, session }: HookCall, type: string): string {
  return `${client} ${session} ${type}`;
}
