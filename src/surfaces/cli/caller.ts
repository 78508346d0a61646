import { userInfo } from "node:os";
import type { Caller } from "../../engine/engine.ts";

/**
 * Who is at the keyboard. An agent's shell is recognised by variables that its client sets; anybody else counts
 * as a person. A determined program can hide those, which is why a policy can ask for more.
 */
export function callerOf(
  env: NodeJS.ProcessEnv,
  flags: {
    readonly as?: string | undefined;
    readonly session?: string | undefined;
    readonly fence?: string | undefined;
  },
): Caller | string {
  const number = flags.fence ?? env["HOLDPOINT_FENCE"] ?? "";
  if (!/^\d{0,15}$/.test(number)) return `"${number}" is not the number of a lease`;
  const fence = number === "" ? {} : { fence: Number(number) };
  const named = flags.as ?? env["HOLDPOINT_ACTOR"];
  const client = CLIENTS.find((one) => one.marks.some((mark) => (env[mark] ?? "") !== ""));
  const session = flags.session ?? env["HOLDPOINT_SESSION"] ?? clientSession(env, client);
  if (named === undefined || named === "") {
    const actor =
      client === undefined
        ? ({ kind: "person", name: userName() } as const)
        : ({ kind: "agent", name: client.name } as const);
    return { actor, session, ...fence };
  }
  const match = /^(person|agent):([\w@.+-]{1,64})(?:\/([\w-]{1,64}))?$/.exec(named);
  if (match === null) return `"${named}" is not an actor; write person:<name> or agent:<name>`;
  const [, kind, name = "", role] = match;
  // In an agent's shell, giving a person's name does not make the caller a person.
  const person = kind === "person" && client === undefined;
  return {
    actor: { kind: person ? "person" : "agent", name, ...(role === undefined ? {} : { role }) },
    session,
    ...fence,
  };
}

interface Client {
  readonly name: string;
  readonly marks: readonly string[];
  readonly session: readonly string[];
}

const CLIENTS: readonly Client[] = [
  {
    name: "claude-code",
    marks: ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID"],
    session: ["CLAUDE_CODE_SESSION_ID"],
  },
  {
    name: "codex",
    marks: ["CODEX_SESSION_ID", "CODEX_THREAD_ID", "CODEX_TOOL_CALL_ID", "CODEX_SANDBOX"],
    session: ["CODEX_SESSION_ID", "CODEX_THREAD_ID"],
  },
  { name: "gemini", marks: ["GEMINI_CLI"], session: [] },
  {
    name: "copilot",
    marks: ["COPILOT_AGENT_SESSION_ID", "COPILOT_CLI"],
    session: ["COPILOT_AGENT_SESSION_ID"],
  },
  {
    name: "opencode",
    marks: ["OPENCODE", "OPENCODE_SESSION_ID"],
    session: ["OPENCODE_SESSION_ID"],
  },
  // Clients that Holdpoint has no installer for. Commands in their shells are still an agent's.
  { name: "cursor", marks: ["CURSOR_AGENT"], session: [] },
  { name: "cline", marks: ["CLINE_ACTIVE"], session: [] },
  { name: "unnamed", marks: ["AI_AGENT"], session: [] },
];

function clientSession(env: NodeJS.ProcessEnv, client: Client | undefined): string {
  const found = client?.session
    .map((name) => env[name])
    .find((value) => value !== undefined && value !== "");
  if (client !== undefined) return `${client.name}:${found ?? "unnamed"}`;
  return `human:${userName()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}
