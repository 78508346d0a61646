import type { Machine, Move, Protocol } from "./protocol.ts";

/** Steps that start from more states than this are not drawn: their arrows would hide all others. */
const FROM_MAX = 4;

/**
 * Draws one machine as a Mermaid state diagram. Steps back, and steps possible from nearly everywhere, appear
 * only in the list of steps.
 */
export function drawMachine(protocol: Protocol, kind: string, here?: string): string {
  const machine = protocol.kinds[kind];
  if (machine === undefined) throw new Error(`Cannot draw "${kind}": ${protocol.name} has none`);
  const name = (state: string): string => `s${machine.states.indexOf(state)}`;
  const held = machine.states.filter((state) => asksAt(machine, state));
  return [
    "stateDiagram-v2",
    ...machine.states.map((state) => `  state "${state}" as ${name(state)}`),
    ...startsOf(machine).map((state) => `  [*] --> ${name(state)}`),
    ...edgesOf(machine).map(({ from, to, ids }) => `  ${name(from)} --> ${name(to)}: ${ids}`),
    ...machine.ends.map((state) => `  ${name(state)} --> [*]`),
    ...marked("hold", "stroke-width:3px,stroke:#b58900", held.map(name)),
    ...marked("here", "fill:#2aa198,color:#fff", here === undefined ? [] : [name(here)]),
    "",
  ].join("\n");
}

/** Every state in which a unit of this kind may begin. */
export function startsOf({ start, starts = [] }: Machine): readonly string[] {
  return [...new Set([start, ...starts.flatMap(({ to }) => to ?? [])])];
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly ids: string;
}

function edgesOf({ moves, states }: Machine): readonly Edge[] {
  const sources = new Map<string, Set<string>>();
  for (const { id, from } of moves) sources.set(id, new Set([...(sources.get(id) ?? []), ...from]));
  const pairs = new Map<string, { from: string; to: string; ids: Set<string> }>();
  for (const { id, from: all, to } of moves) {
    if ((sources.get(id)?.size ?? 0) > FROM_MAX || !states.includes(to)) continue;
    for (const from of all.filter((state) => state !== to)) {
      const pair = pairs.get(`${from} ${to}`) ?? { from, to, ids: new Set() };
      pairs.set(`${from} ${to}`, pair);
      pair.ids.add(id);
    }
  }
  return [...pairs.values()].map((pair) => ({ ...pair, ids: [...pair.ids].join(", ") }));
}

/** Every step of a machine, one row each, including those the diagram leaves out. */
export function listMoves(protocol: Protocol, kind: string): readonly (readonly string[])[] {
  return (protocol.kinds[kind]?.moves ?? []).map((move) => [
    move.id,
    move.from.join(", "),
    move.to,
    whoMoves(move),
    (move.needs ?? []).map(({ code }) => code).join(", "),
    move.rule,
  ]);
}

function whoMoves({ by, auto, optional }: Move): string {
  if (auto === true) return "by itself";
  if (by?.length === 0) return "follows from a report or an answer";
  const who = by === undefined ? "anyone with the lease" : by.join(", ");
  return optional === true ? `${who}, by name only` : who;
}

function asksAt(machine: Machine, state: string): boolean {
  return (
    machine.gates?.[state] !== undefined ||
    machine.moves.some(({ to, ask }) => to === state && ask !== undefined)
  );
}

function marked(name: string, looks: string, states: readonly string[]): readonly string[] {
  return states.length === 0
    ? []
    : [`  classDef ${name} ${looks}`, `  class ${states.join(",")} ${name}`];
}
