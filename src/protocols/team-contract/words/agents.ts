import { remedy } from "../../../core/table/remedy.ts";
import { GOING_ON } from "../../../family/agents.ts";
import type { AgentRole, ShortCommand } from "../../../ports/family.ts";
import { AGENT_FILES } from "../files/names.ts";
import type { Worker } from "../files/names.ts";

/** Everybody but the orchestrator, who is the one that starts them. */
export const WORKERS: readonly AgentRole[] = [
  worker("SpecAgent", "specification and acceptance criteria"),
  worker("Architect", "architecture"),
  worker("Planner", "tasks and their order"),
  worker("Designer", "design of the interface"),
  worker("Researcher", "research on a question"),
  worker("Coder", "implements one task"),
  worker("Reviewer", "reviews changes"),
  worker("QA", "tests changes"),
  worker("Security", "security review"),
  worker("Integrator", "builds and integrates"),
  worker("Docs", "documentation and report"),
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
