import { member } from "../core/values/json.ts";
import type { Confirm } from "./release/confirm.ts";
import type { Holder } from "../core/state/ousted.ts";
import type { Actor } from "../core/state/commands.ts";

/** Who is asking, and for which session. */
export interface Caller {
  readonly actor: Actor;
  readonly session: string;
  readonly fence?: number;
  /** The command's id, for callers that may retry: the same id again returns the first answer. */
  readonly id?: string;
  /** Asks the person at the terminal to prove their word, if the policy requires it. */
  readonly confirm?: Confirm;
}

/** Records the outcome of effects, checks and policy changes, which nobody asked for by command. */
export const ENGINE: Actor = { kind: "engine", name: "holdpoint" };

/**
 * The same caller for another command. The id and the ability to prove a word belong to the original command
 * only.
 */
export function aside(caller: Caller): Caller {
  const { id: _, confirm: _confirm, ...same } = caller;
  return same;
}

/** A session in the clone it works in. */
export function holderIn(
  { processes: { place } }: { readonly processes: { readonly place?: string } },
  { session }: Pick<Caller, "session">,
): Holder {
  return { session, ...(place === undefined ? {} : { place }) };
}

/** An agent whose identity its client states: the conversation, and which agent in it. */
export interface Vouched {
  readonly client: string;
  readonly session: string;
  /** The subagent; undefined for the main agent. */
  readonly agent?: string;
  /** The role it was started in, if the client says so. */
  readonly role?: string;
}

/**
 * The caller for such an agent. A subagent's name begins with its main agent's name, which is also the session's.
 */
export function agentCaller({ client, session, agent, role }: Vouched): Caller {
  const name = member(NAMES, client) ?? plain(client);
  const main = `${name}:${plain(session) || "unnamed"}`;
  // Without a conversation id the agent stays unidentified: two agents would otherwise get the same identity.
  const known = plain(session) === "" ? {} : { agent: below(main, agent) };
  return {
    actor: { kind: "agent", name, ...known, ...(role === undefined ? {} : { role }) },
    session: main,
  };
}

function below(main: string, agent: string | undefined): string {
  return agent === undefined || agent === "" ? main : `${main}/${plain(agent)}`;
}

/** The name of each client's shell agent, if it differs from the client's. */
const NAMES: Readonly<Record<string, string>> = { claude: "claude-code" };

const NAME_CHARS_MAX = 100;

/** Removes separators, line breaks and control characters from a name that came from outside. */
function plain(name: string): string {
  return name.slice(0, NAME_CHARS_MAX).replaceAll(/[^\w.@+-]/g, "_");
}

/**
 * The actor for an edit of a file. Nobody knows who wrote it, and it is not necessarily whoever runs the next
 * command, so it gets an agent's rights and not a person's.
 */
export function fileActor(path: string): Actor {
  return { kind: "agent", name: `file:${path}` };
}
