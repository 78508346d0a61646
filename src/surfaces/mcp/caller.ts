/** Identifies the caller of a tool. */
import { isJsonObject } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { agentCaller } from "../../engine/caller.ts";
import type { Caller } from "../../engine/caller.ts";
import { CLIENTS } from "../../watch/call.ts";
import type { Memory } from "../hook/memory.ts";
import { sessionAlone, whoCalls } from "../hook/who.ts";

export interface ToolCall {
  /** The client's name for itself. */
  readonly client: string;
  /** Metadata beside the arguments, which an agent cannot write. */
  readonly meta: JsonObject;
  readonly tool: string;
  readonly input: JsonObject;
}

/**
 * The caller of a tool is always an agent, whatever it says about itself. Codex states in the call which one. For
 * other clients it is the agent whose hook announced this very call. Otherwise it is some agent of that client.
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

/** The agent that a server was started for. Without a conversation id it stays unidentified. */
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

/** The session that the client gives to its shells; which of its agents calls is not known. */
function someAgent(client: string, env: Readonly<Record<string, string | undefined>>): Caller {
  const told = client === "claude" ? (env["CLAUDE_CODE_SESSION_ID"] ?? "") : "";
  return sessionAlone(agentCaller({ client: client === "" ? "unknown" : client, session: told }));
}

function plain(value: Json | undefined): string | undefined {
  return typeof value === "string" && /^[\w:.@-]{1,128}$/.test(value) ? value : undefined;
}
