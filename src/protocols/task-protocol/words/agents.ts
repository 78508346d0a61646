import { remedy } from "../../../core/table/remedy.ts";
import { GOING_ON } from "../../../family/agents.ts";
import type { AgentRole, ShortCommand } from "../../../ports/family.ts";
import { STAKEHOLDERS } from "../table/agents.ts";

/** The agents that a task may select. Each is a unit of its task, and its name is its role. */
export const AGENTS: readonly AgentRole[] = STAKEHOLDERS.map((name) => ({
  role: name,
  name,
  about: "Task agent",
}));

export const COMMANDS: Readonly<Record<string, ShortCommand>> = {
  task: {
    about: "Take a task from the list",
    act: remedy("start", { workflow: "<workflow>", protocol: "task-protocol" }),
  },
  ...GOING_ON,
};
