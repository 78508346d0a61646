import { member } from "../core/values/json.ts";
import type { Confirm } from "./release/confirm.ts";
import type { Holder } from "../core/state/ousted.ts";
import type { Actor } from "../core/state/commands.ts";

/** Who is asking, and for which session. */
export interface Caller {
  readonly actor: Actor;
  readonly session: string;
  readonly fence?: number;
  /** The command's id, if the caller may have to ask again: the same one again answers what it answered before. */
  readonly id?: string;
  /** Asks the person who sits there to prove what they say, where the policy wants it. */
  readonly confirm?: Confirm;
}

/** Who records what came of an effect, a check or a policy: nobody has asked for it. */
export const ENGINE: Actor = { kind: "engine", name: "holdpoint" };

/** The same caller with something else than what was asked for: the id belongs to that alone, and so does a proof. */
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

/** An agent that its client speaks for: in which conversation, and which of the agents in it. */
export interface Vouched {
  readonly client: string;
  readonly session: string;
  /** The subagent; without it, the main agent. */
  readonly agent?: string;
  /** The role it was started in, where its client says so. */
  readonly role?: string;
}

/** Who that is. A subagent's name begins with its main agent's, and that is the session's. */
export function agentCaller({ client, session, agent, role }: Vouched): Caller {
  const name = member(NAMES, client) ?? plain(client);
  const main = `${name}:${plain(session) || "unnamed"}`;
  // Without a conversation nobody is known: two of them would be taken for one.
  const known = plain(session) === "" ? {} : { agent: below(main, agent) };
  return {
    actor: { kind: "agent", name, ...known, ...(role === undefined ? {} : { role }) },
    session: main,
  };
}

function below(main: string, agent: string | undefined): string {
  return agent === undefined || agent === "" ? main : `${main}/${plain(agent)}`;
}

/** What the agents' shells are called by. */
const NAMES: Readonly<Record<string, string>> = { claude: "claude-code" };

const NAME_CHARS_MAX = 100;

/** No separator of ours, no line and no control character may come in with a name. */
function plain(name: string): string {
  return name.slice(0, NAME_CHARS_MAX).replaceAll(/[^\w.@+-]/g, "_");
}

/**
 * Whose deed an edit is: the file's. Nobody knows who wrote it, and whoever happens to run the next command does not
 * sign it, so it has an agent's rights and not a person's.
 */
export function fileActor(path: string): Actor {
  return { kind: "agent", name: `file:${path}` };
}
