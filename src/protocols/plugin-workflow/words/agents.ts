import { GOING_ON, handOut } from "../../../family/agents.ts";
import type { AgentRole, ShortCommand } from "../../../ports/family.ts";

/** One agent for each stage that is sent out. Validation is done by the orchestrator itself. */
export const AGENTS: readonly AgentRole[] = [
  agent("research-planning-agent", "Plugin stage 0"),
  agent("foundation-shell-agent", "Plugin stage 2"),
  agent("dsp-agent", "Plugin stage 3"),
  agent("gui-agent", "Plugin stage 4"),
];

function agent(name: string, about: string): AgentRole {
  return { role: name, name, about };
}

/** The short commands that users of this workflow know. */
export const COMMANDS: Readonly<Record<string, ShortCommand>> = {
  plan: handOut("plan", "Research and plan a plugin"),
  implement: handOut("implement", "Build a planned plugin, stage by stage"),
  improve: handOut("improve", "Change a plugin that works"),
  "install-plugin": handOut("install", "Install a plugin that works"),
  ...GOING_ON,
};
