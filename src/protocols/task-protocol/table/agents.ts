/** The agents that a task may have: names, aliases, and who decides a conflict. */

export const STAKEHOLDERS: readonly string[] = [
  "architect",
  "quality",
  "style",
  "test",
  "build",
  "security",
  "performance",
  "usability",
];

const ALIASES: Readonly<Record<string, string>> = {
  engineer: "quality",
  formatter: "style",
  tester: "test",
  builder: "build",
  hacker: "security",
  optimizer: "performance",
  designer: "usability",
  configurator: "config",
};

/** The name under which an agent is stored. An unknown name stays as it is. */
export function canonicalAgent(name: string): string {
  const lower = name.trim().toLowerCase();
  return ALIASES[lower] ?? lower;
}

/** Agents that configure or audit are never part of a task. */
export function isSelectable(name: string): boolean {
  return STAKEHOLDERS.includes(canonicalAgent(name));
}

export interface Selected {
  readonly agents: readonly string[];
  readonly refused: readonly string[];
}

/** Cleans up a chosen list: aliases are resolved, duplicates dropped, and the rest refused by name. */
export function selectAgents(names: readonly string[]): Selected {
  const agents = [...new Set(names.filter(isSelectable).map(canonicalAgent))];
  return { agents, refused: names.filter((name) => !isSelectable(name)) };
}

/** Whether a plan's phases give this agent work. If they name nobody, everybody has a part. */
export function hasPart(agent: string, phases: readonly string[]): boolean {
  const names = new Set(phases.flatMap((line) => line.toLowerCase().match(/[a-z]+/g) ?? []));
  const named = [...names].map(canonicalAgent).filter(isSelectable);
  return named.length === 0 || named.includes(canonicalAgent(agent.replace(/-\d+$/, "")));
}

const TIERS: Readonly<Record<string, number>> = {
  architect: 1,
  quality: 2,
  security: 2,
  build: 3,
  style: 3,
  performance: 3,
  test: 3,
  usability: 3,
};

/** Contradictory requirements are decided by the higher tier; between equals, by the architect. */
export function decidesConflict(said: string): string {
  const named = (said.toLowerCase().match(/[a-z]+/g) ?? []).map(canonicalAgent);
  const sides = [...new Set(named.filter(isSelectable))];
  const tier = Math.min(...sides.map((agent) => TIERS[agent] ?? Infinity));
  const [winner, ...equals] = sides.filter((agent) => TIERS[agent] === tier);
  if (winner === undefined || sides.length < 2 || equals.length > 0) return "the architect decides";
  return `${winner} decides, being of tier ${tier}`;
}
