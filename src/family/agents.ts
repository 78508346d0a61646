import { remedy } from "../core/table/remedy.ts";
import type { Protocol } from "../core/table/protocol.ts";
import type { AgentRole, ShortCommand } from "../ports/family.ts";

/** The roles that the table gives work to. If the unit itself is the agent, only the family knows the names. */
export function agentsByTable({ title, work }: Protocol): readonly AgentRole[] {
  const roles = new Set(Object.values(work).map(({ role }) => role));
  return [...roles]
    .filter((role) => !role.includes("{"))
    .map((role) => ({ role, name: kebab(role), about: `Works as ${role} (${title})` }));
}

/** `SpecAgent` and `spec agent` as a file name: `spec-agent`. */
export function kebab(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

/** Short commands: to start, to continue, and one for each piece of work that can be asked for by name. */
export function commandsByTable(protocol: Protocol): Readonly<Record<string, ShortCommand>> {
  const { name, title, work } = protocol;
  const works = Object.keys(work).map((spec) => [kebab(spec), handOut(spec)] as const);
  return {
    ...Object.fromEntries(works),
    [kebab(name)]: {
      about: `Begin: ${title}`,
      act: remedy("start", { workflow: "<workflow>", protocol: name }),
    },
    ...GOING_ON,
  };
}

/** Takes a step by its name, or by a word that users have for it. */
export function handOut(step: string, about = `Hand out ${step}`): ShortCommand {
  return { about, act: remedy("advance", { workflow: "<workflow>", step }) };
}

/** Commands that every family has. */
export const GOING_ON: Readonly<Record<string, ShortCommand>> = {
  continue: {
    about: "Go on where the workflow stands",
    act: remedy("advance", { workflow: "<workflow>" }),
  },
  reconcile: {
    about: "Bring files and journal back together",
    act: remedy("reconcile", { workflow: "<workflow>" }),
  },
};
