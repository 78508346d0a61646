/** Who acts: the role and session behind the use of a tool. An unknown agent is trusted least. */
import type { Client, HookCall } from "./call.ts";
import { MAIN_AGENT } from "./watch.ts";
import type { Watch, WatchRule } from "./watch.ts";

export interface Who {
  /** The agent's role; undefined if it cannot be told apart, so that it may be any of them. */
  readonly role: string | undefined;
  /** Names under which the engine may know this session. */
  readonly sessions: readonly string[];
}

/** The prefix of each client's session names. */
const PREFIXES: Readonly<Record<Client, string>> = {
  claude: "claude-code",
  codex: "codex",
  gemini: "gemini",
  opencode: "opencode",
  copilot: "copilot",
};

export function whoActs({ roles }: Watch, call: HookCall, told: string | undefined): Who {
  const prefix = PREFIXES[call.client];
  const own = told === undefined || told === "" ? [] : [told];
  // A shell that does not know its session uses this name.
  const sessions = [...own, `${prefix}:${plain(call.session)}`, `${prefix}:unnamed`];
  return { role: roleOf(roles, call), sessions };
}

function roleOf(roles: readonly string[], { client, agent }: HookCall): string | undefined {
  // This client does not say which agent acts.
  if (client === "gemini") return undefined;
  if (agent === undefined) return MAIN_AGENT;
  return agent.type !== undefined && roles.includes(agent.type) ? agent.type : undefined;
}

/**
 * Whether a rule applies to whoever acts. To an agent that cannot be told apart, the rules of every role apply.
 */
export function isFor({ roles, session }: WatchRule, who: Who): boolean {
  const isRole = roles === undefined || who.role === undefined || roles.includes(who.role);
  return isRole && (session === undefined || who.sessions.includes(session));
}

/** The same replacement as the engine's for names from outside. */
function plain(name: string): string {
  return name.slice(0, 100).replaceAll(/[^\w.@+-]/g, "_");
}
