/** Answers one hook of any client, for the command and for the server. */
import { resolve } from "node:path";
import { isJsonObject, parseJson } from "../../core/values/json.ts";
import type { JsonObject } from "../../core/values/json.ts";
import { ALLOWED } from "../../watch/call.ts";
import type { Client, HookAnswer, HookCall, HookEvent, Verdict } from "../../watch/call.ts";
import { isWorthAsking } from "./after.ts";
import type { Env } from "./clients/client.ts";
import { TRANSLATIONS } from "./clients/index.ts";
import { verdictOnNothing, verdictOnTool } from "./held.ts";
import { isNoted } from "./noted.ts";
import { verdictOnReading } from "./reading.ts";

/** Events that may get words in return, and are answered by the engine. */
const TOLD: readonly HookEvent[] = [
  "session-start",
  "prompt",
  "after-tool",
  "agent-start",
  "agent-end",
  "turn-end",
];

/**
 * The verdict on a payload, in the client's own form. `cwd` is where the hook runs, for clients that do not say
 * where the agent works.
 */
export async function answerHook(
  client: Client,
  payloadText: string,
  env: Env,
  cwd: string,
): Promise<HookAnswer> {
  const payload = parseJson(payloadText);
  if (!isJsonObject(payload)) return await answerUnreadable(client, env, cwd);
  const speaks = speakerOf(client, payload, env);
  const { read, write } = TRANSLATIONS[speaks];
  const call = withCwd(read(payload, env), cwd);
  // A client that also reads another client's files runs both hooks; only its own hook speaks.
  if (speaks !== client && TOLD.includes(call.event)) return write(call, ALLOWED);
  return spoken(call, write(call, await verdictOn(call, env)));
}

/** A yes is stated explicitly: an empty answer may come from a broken hook and counts as a no. */
function spoken({ event }: HookCall, answer: HookAnswer): HookAnswer {
  return !TOLD.includes(event) && answer.stdout === "" && answer.exit === 0
    ? { ...answer, stdout: "{}" }
    : answer;
}

async function verdictOn(call: HookCall, env: Env): Promise<Verdict> {
  if (call.event === "settings") return await verdictOnTool(call, env);
  if (call.event === "before-tool") return await verdictBefore(call, env);
  if (!TOLD.includes(call.event)) return ALLOWED;
  if (call.event === "after-tool" && !isWorthAsking(call, env)) return ALLOWED;
  const { answerEvent } = await import("./slow.ts");
  return await answerEvent(call, env);
}

async function verdictBefore(call: HookCall, env: Env): Promise<Verdict> {
  const judged = await verdictOnTool(call, env);
  const verdict = judged.kind === "allow" ? verdictOnReading(call, env) : judged;
  if (verdict.kind === "allow" && isNoted(call)) {
    const { noteBefore } = await import("./slow.ts");
    await noteBefore(call, env);
  }
  return verdict;
}

/** Copilot also runs the hooks in Claude Code's files. Its payloads have a timestamp; Claude Code's do not. */
function speakerOf(client: Client, payload: JsonObject, env: Env): Client {
  const copilot = client === "claude" && env["COPILOT_CLI"] === "1" && "timestamp" in payload;
  return copilot ? "copilot" : client;
}

/** A relative directory is resolved from where the hook runs. Without either, the directory is unknown. */
function withCwd(call: HookCall, cwd: string): HookCall {
  if (call.cwd.startsWith("/") || cwd === "") return call;
  return { ...call, cwd: resolve(cwd, call.cwd) };
}

async function answerUnreadable(client: Client, env: Env, cwd: string): Promise<HookAnswer> {
  const call: HookCall = { client, event: "before-tool", name: "", cwd, session: "" };
  const why = "the client's payload is no JSON object";
  return spoken(call, TRANSLATIONS[client].write(call, await verdictOnNothing(cwd, env, why)));
}
