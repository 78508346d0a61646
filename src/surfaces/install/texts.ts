/**
 * Texts that agents read because Holdpoint is installed. Every word costs tokens in each session, so there are
 * few.
 */
import type { Act } from "../../core/decide/answer.ts";
import type { AgentRole, Family, ShortCommand } from "../../ports/family.ts";
import { commandLine } from "../cli/text/phrase.ts";
import { reconcileVerb } from "../cli/verbs/reconcile.ts";
import { advanceVerb, startVerb } from "../cli/verbs/taken.ts";

const DOORS = { start: startVerb, advance: advanceVerb, reconcile: reconcileVerb };

/** The text of an agent's file, the same in every protocol. Its order says the rest. */
export const AGENT_TEXT: readonly string[] = [
  "You were given a dispatch. Get its order: call the `order` tool of the MCP server holdpoint with it,",
  "or run `holdpoint order <workflow> <dispatch>`. Do what the order says and nothing else.",
  "Your last message is the report, in the form the order asks for; or send it with the `report` tool.",
];

/** Agents of the same name in several protocols are one agent, because its text is the same. */
export function agentsOf(families: readonly Family[]): readonly AgentRole[] {
  const named = new Map<string, AgentRole>();
  for (const agent of families.flatMap(({ words }) => words.agents)) {
    const known = named.get(agent.name);
    const about = known === undefined ? agent.about : `${known.about}. ${agent.about}`;
    if (isFileName(agent.name)) named.set(agent.name, { ...agent, about: oneLine(about) });
  }
  return [...named.values()];
}

export interface NamedCommand extends ShortCommand {
  readonly name: string;
}

/**
 * Commands that mean the same in two protocols become one. If they differ, the second gets its protocol's name.
 */
export function commandsOf(families: readonly Family[]): readonly NamedCommand[] {
  const named = new Map<string, NamedCommand>();
  for (const { protocol, words } of families)
    for (const [short, command] of Object.entries(words.commands)) {
      const known = named.get(short);
      const isSame =
        known === undefined || JSON.stringify(known.act) === JSON.stringify(command.act);
      const name = isSame ? short : `${protocol.name}-${short}`;
      if (isFileName(name)) named.set(name, { ...command, name, about: oneLine(command.about) });
    }
  return [...named.values()];
}

/** What a short command tells the agent; `typed` stands for what the user types after it. */
export function commandText(
  { act }: ShortCommand,
  typed: string,
  tools: readonly string[],
): string {
  const { operation, input } = act;
  // A workflow's name is one word; any other input may be several, so it is quoted.
  const line = commandLine(DOORS, act).replaceAll(/<([\w -]+)>/g, (_, name) =>
    name === "workflow" ? typed : `"${typed}"`,
  );
  if (!tools.includes(operation))
    return plain(`Run \`${line}\`, then do only what its answer says.`);
  const given = Object.entries(input)
    .map(([name, value]) => `${name} ${filled(value, typed)}`)
    .join(", ");
  return plain(
    `Call the \`${operation}\` tool of the MCP server holdpoint with ${given} (or run \`${line}\`). Then do only what its answer says.`,
  );
}

function filled(value: Act["input"][string], typed: string): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replaceAll(/<[\w -]+>/g, typed);
}

/** The section in AGENTS.md, for clients that do not pass on the MCP server's instructions. */
export function sectionLines(
  families: readonly Family[],
  tools: readonly string[],
): readonly string[] {
  return [
    "## Holdpoint",
    "",
    `Call \`mcp__holdpoint__next\` (also ${tools.filter((one) => one !== "next").join(", ")}; or run \`holdpoint next\`) and do only what it says.`,
    "Start each subagent with its dispatch id alone: it calls order, works, reports; its last words say what is next.",
    "A question for a person is theirs (`holdpoint answer`): show it and stop; afterwards call advance.",
    ...(families.length === 0 ? [] : [`Protocols: ${families.map(nameIn).join(", ")}.`]),
  ];
}

function nameIn({ protocol }: Family): string {
  return oneLine(protocol.name);
}

function isFileName(name: string): boolean {
  return /^[a-z\d][a-z\d-]{0,63}$/.test(name);
}

/** Tables may come from a repository; their text must not break out of its line. */
function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{Cc}"\\]+/gu, " ")
    .trim()
    .slice(0, 200);
}

function plain(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}
