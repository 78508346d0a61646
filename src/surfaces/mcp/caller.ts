/** Who is behind a tool call. */
import { isJsonObject } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { agentCaller } from "../../engine/caller.ts";
import type { Caller } from "../../engine/caller.ts";
import { CLIENTS } from "../../watch/call.ts";
import type { Memory } from "../hook/memory.ts";
import { sessionAlone, whoCalls } from "../hook/who.ts";

export interface ToolCall {
  /** What the client calls itself. */
  readonly client: string;
  /** What it says besides the arguments; an agent cannot write it. */
  readonly meta: JsonObject;
  readonly tool: string;
  readonly input: JsonObject;
}

/**
 * Whoever calls a tool is an agent, whatever it says of itself. Codex tells with the call which one; of the others it is
 * the one whose hook was seen before this very call. Where nobody can be told, it is an agent of that client, and no more.
 */
export function callerOfCall(
  { client, meta, tool, input }: ToolCall,
  env: Readonly<Record<string, string | undefined>>,
  memory?: Memory,
): Caller {
  const name = CLIENTS.find((one) => client.toLowerCase().includes(one)) ?? client;
  const use = plain(meta["claudecode/toolUseId"]) ?? plain(meta["callId"]);
  const call = { client: name, tool, input, ...(use === undefined ? {} : { use }) };
  const seen = memory === undefined ? undefined : whoCalls(memory, call);
  const caller = threadOf(name, meta) ?? seen ?? someAgent(name, env);
  const session = env["HOLDPOINT_SESSION"] ?? "";
  return session === "" ? caller : { ...caller, session };
}

/** The one agent of a conversation that a server was started for; without a conversation nobody is known. */
export function agentIn(caller: Caller, agent: string): Caller {
  const { actor, session } = caller;
  return session.endsWith(":unnamed")
    ? caller
    : { ...caller, actor: { ...actor, agent: `${session}/${agent}` } };
}

/** Codex: the conversation, and which of its threads. */
function threadOf(client: string, meta: JsonObject): Caller | undefined {
  const turn = meta["x-codex-turn-metadata"];
  const session =
    plain(meta["sessionId"]) ?? (isJsonObject(turn) ? plain(turn["session_id"]) : undefined);
  const thread = plain(meta["threadId"]);
  if (session === undefined) return undefined;
  return agentCaller({
    client,
    session,
    ...(thread === undefined || thread === session ? {} : { agent: thread }),
  });
}

/** Its session is the one that its shells are given; which agent of it calls is not known. */
function someAgent(client: string, env: Readonly<Record<string, string | undefined>>): Caller {
  const told = client === "claude" ? (env["CLAUDE_CODE_SESSION_ID"] ?? "") : "";
  return sessionAlone(agentCaller({ client: client === "" ? "unknown" : client, session: told }));
}

function plain(value: Json | undefined): string | undefined {
  return typeof value === "string" && /^[\w:.@-]{1,128}$/.test(value) ? value : undefined;
}
