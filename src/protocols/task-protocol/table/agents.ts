/** The agents a task may have: their names, their other names, and who wins a conflict. */

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

/** The one name an agent is stored under. A name nobody knows stays as it is. */
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

/** Normalise a list somebody chose: aliases resolved, doubles dropped, the rest refused by name. */
export function selectAgents(names: readonly string[]): Selected {
  const agents = [...new Set(names.filter(isSelectable).map(canonicalAgent))];
  return { agents, refused: names.filter((name) => !isSelectable(name)) };
}

/** Whether a plan's phases give an agent something to do; where they name nobody, everybody has a part. */
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

/** Requirements that contradict each other are decided by tier; between equals the architect decides. */
export function decidesConflict(said: string): string {
  const named = (said.toLowerCase().match(/[a-z]+/g) ?? []).map(canonicalAgent);
  const sides = [...new Set(named.filter(isSelectable))];
  const tier = Math.min(...sides.map((agent) => TIERS[agent] ?? Infinity));
  const [winner, ...equals] = sides.filter((agent) => TIERS[agent] === tier);
  if (winner === undefined || sides.length < 2 || equals.length > 0) return "the architect decides";
  return `${winner} decides, being of tier ${tier}`;
}
