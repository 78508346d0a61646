/** Who acts: which role and which session a use of a tool belongs to. Unknown is least trusted. */
import type { Client, HookCall } from "./call.ts";
import { MAIN_AGENT } from "./watch.ts";
import type { Watch, WatchRule } from "./watch.ts";

export interface Who {
  /** The agent's role; undefined for one that cannot be told apart, who may be any of them. */
  readonly role: string | undefined;
  /** Names under which the engine may know this session. */
  readonly sessions: readonly string[];
}

/** How the engine names the sessions of each client. */
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
  // A shell that does not know its session has this name instead.
  const sessions = [...own, `${prefix}:${plain(call.session)}`, `${prefix}:unnamed`];
  return { role: roleOf(roles, call), sessions };
}

function roleOf(roles: readonly string[], { client, agent }: HookCall): string | undefined {
  // This client does not say which agent acts.
  if (client === "gemini") return undefined;
  if (agent === undefined) return MAIN_AGENT;
  return agent.type !== undefined && roles.includes(agent.type) ? agent.type : undefined;
}

/** Whether a rule is for whoever acts. Who cannot be told apart may do what any of them may, and no more. */
export function isFor({ roles, session }: WatchRule, who: Who): boolean {
  const isRole = roles === undefined || who.role === undefined || roles.includes(who.role);
  return isRole && (session === undefined || who.sessions.includes(session));
}

/** As the engine writes names that come from outside. */
function plain(name: string): string {
  return name.slice(0, 100).replaceAll(/[^\w.@+-]/g, "_");
}
