import { remedy } from "../../../core/table/remedy.ts";
import { GOING_ON } from "../../../family/agents.ts";
import type { AgentRole, ShortCommand } from "../../../ports/family.ts";
import { AGENT_FILES } from "../files/names.ts";
import type { Worker } from "../files/names.ts";

/** All agents except the orchestrator, who starts them. */
export const WORKERS: readonly AgentRole[] = [
  worker("SpecAgent", "specification"),
  worker("Architect", "architecture"),
  worker("Planner", "tasks"),
  worker("Designer", "design"),
  worker("Researcher", "research"),
  worker("Coder", "code"),
  worker("Reviewer", "review"),
  worker("QA", "tests"),
  worker("Security", "security"),
  worker("Integrator", "integration"),
  worker("Docs", "documentation"),
];

function worker(role: Worker, about: string): AgentRole {
  return { role, name: AGENT_FILES[role].name, about: `Team: ${about}` };
}

export const COMMANDS: Readonly<Record<string, ShortCommand>> = {
  session: {
    about: "Begin a team session for a goal",
    act: remedy("start", { protocol: "team-contract", options: { goal: "<goal>" } }),
  },
  ...GOING_ON,
};
