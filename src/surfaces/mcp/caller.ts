/** Who is behind a tool call. */
import { isJsonObject } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import type { Caller } from "../../engine/engine.ts";

/** Clients by the names under which they are known elsewhere; the first that fits counts. */
const CLIENTS: readonly (readonly [RegExp, string])[] = [
  [/claude/i, "claude-code"],
  [/codex/i, "codex"],
  [/gemini/i, "gemini"],
  [/copilot/i, "copilot"],
  [/opencode/i, "opencode"],
];

/**
 * Whoever calls a tool is an agent, whatever it says of itself. Its session is what the client tells with the call, and
 * where it tells none, the one that its shells are given too.
 */
export function callerOfCall(
  meta: JsonObject,
  client: string,
  env: Readonly<Record<string, string | undefined>>,
): Caller {
  const [, known] = CLIENTS.find(([pattern]) => pattern.test(client)) ?? [];
  const name = known ?? (client.replaceAll(/[^\w.+-]/g, "-").slice(0, 64) || "unknown");
  const session = env["HOLDPOINT_SESSION"] ?? "";
  const told = sessionIn(meta) ?? env["CLAUDE_CODE_SESSION_ID"] ?? "";
  return {
    actor: { kind: "agent", name },
    session: session === "" ? `${name}:${told === "" ? "unnamed" : told}` : session,
  };
}

function sessionIn(meta: JsonObject): string | undefined {
  const turn = meta["x-codex-turn-metadata"];
  return plain(meta["sessionId"]) ?? (isJsonObject(turn) ? plain(turn["session_id"]) : undefined);
}

/** What stands in the journal and in file names is short and has no control characters. */
function plain(value: Json | undefined): string | undefined {
  return typeof value === "string" && /^[\w:.@-]{1,128}$/.test(value) ? value : undefined;
}
