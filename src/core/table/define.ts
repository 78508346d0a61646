import type { Definition, MachineRow } from "./authoring.ts";
import { compile, isDefinition } from "./compile.ts";
import { COMMON_EFFECTS, COMMON_LOOKS } from "./common.ts";
import { SOURCES } from "../decide/draft.ts";
import { argMistakes } from "../guards/guard-args.ts";
import { LIBRARY } from "../guards/library.ts";
import type { Machine, Move, Protocol, Question } from "./protocol.ts";
import { startsOf } from "./draw.ts";
import { nameMistakes } from "./names.ts";
import { readPlain } from "./plain.ts";
import { FILLED_PROTOCOL, SINGLE, WITH_KINDS } from "./shapes.ts";
import { usesOf } from "./uses.ts";
import type { Use } from "./uses.ts";

/**
 * The public way to write a protocol. The compiler checks every name that is used. What it cannot see (facts,
 * blanks, variables, dead ends) is checked here, and all mistakes are thrown together.
 */
export function defineProtocol<
  const S extends string = string,
  const M extends string = string,
  const Q extends string = never,
  const W extends string = never,
>(definition: Definition<S, M, Q, W>): Protocol {
  const shape = isWithKinds(definition) ? WITH_KINDS : SINGLE;
  const { value, mistakes } = readPlain(definition, shape);
  if (mistakes.length > 0 || !isDefinition(value)) throw unusable(value, mistakes);
  return checkedProtocol(compile(value));
}

function isWithKinds(given: unknown): boolean {
  return typeof given === "object" && given !== null && Object.hasOwn(given, "kinds");
}

function unusable(given: unknown, mistakes: readonly string[]): TypeError {
  const name = isDefinition(given) && given.name !== "" ? ` "${given.name}"` : "";
  const told = mistakes.slice(0, MISTAKES_MAX);
  const more = mistakes.length - told.length;
  const rest = more === 0 ? "" : `; and ${more} more`;
  return new TypeError(`Cannot use protocol${name}: ${told.join("; ")}${rest}`);
}

/** More mistakes than that are not listed; nobody fixes so many at once. */
const MISTAKES_MAX = 50;

/** One kind of unit in a protocol with several. */
export function machine<const S extends string, const M extends string>(
  row: MachineRow<S, M>,
): MachineRow {
  return row;
}

/** Throws if the table contradicts itself, which is a bug of its author. */
export function checkedProtocol(protocol: Protocol): Protocol {
  const mistakes = protocolMistakes(protocol);
  if (mistakes.length > 0) throw unusable(protocol, mistakes);
  return protocol;
}

/** Everything wrong with a table, in sentences. */
export function protocolMistakes(protocol: Protocol): readonly string[] {
  const misfits = readPlain(protocol, FILLED_PROTOCOL).mistakes;
  // A protocol of the wrong shape cannot be examined further.
  if (misfits.length > 0) return misfits;
  const large = sizeMistakes(protocol);
  if (large.length > 0) return large;
  const { kinds, questions, root } = protocol;
  const uses = usesOf(protocol);
  return [
    ...nameMistakes(protocol),
    ...(Object.hasOwn(kinds, root) ? [] : [`root kind "${root}" is not defined`]),
    ...new Set(uses.flatMap((use) => useMistakes(protocol, use))),
    ...uses.flatMap(({ where, test }) =>
      test === undefined ? [] : argMistakes(protocol, where, test),
    ),
    ...Object.entries(kinds).flatMap(([kind, machine]) => machineMistakes(kind, machine)),
    ...Object.entries(questions).flatMap(([name, question]) => questionMistakes(name, question)),
    ...unasked(protocol, uses),
  ];
}

/** Larger than anybody draws or checks. Looked at first: comparing ten thousand states takes a minute. */
const STATES_MAX = 1_000;
const MOVES_MAX = 10_000;

function sizeMistakes({ kinds }: Protocol): readonly string[] {
  const machines = Object.values(kinds);
  const states = machines.reduce((sum, one) => sum + one.states.length, 0);
  const moves = machines.reduce((sum, one) => sum + one.moves.length, 0);
  if (states > STATES_MAX) return [`it has ${states} states, and ${STATES_MAX} is the limit`];
  return moves > MOVES_MAX ? [`it has ${moves} moves, and ${MOVES_MAX} is the limit`] : [];
}

function useMistakes(protocol: Protocol, use: Use): readonly string[] {
  const { where, what, name } = use;
  return isKnown(protocol, use) ? [] : [`${where}: ${SAYS[what] ?? `no ${what}`} "${name}"`];
}

const SAYS: Readonly<Partial<Record<Use["what"], string>>> = {
  fact: "nothing looks up",
  blank: "nothing fills",
  says: "no code and fix for guard",
};

const BLANKS: readonly string[] = ["id", "unit", "lease"];

function isKnown(protocol: Protocol, { what, name, of }: Use): boolean {
  const { kinds, questions, work, guards, vars, looks, effects = [] } = protocol;
  const machines = of === undefined ? Object.values(kinds) : [kinds[of]];
  switch (what) {
    case "guard":
      return Object.hasOwn(guards, name) || Object.hasOwn(LIBRARY, name);
    case "says":
      return false;
    case "question":
      return Object.hasOwn(questions, name);
    case "option":
      return questions[of ?? ""]?.options.some(({ id }) => id === name) ?? true;
    case "kind":
      return Object.hasOwn(kinds, name);
    case "work":
      return Object.hasOwn(work, name);
    case "state":
      return machines.some((machine) => machine?.states.includes(name) ?? true);
    case "move":
      return machines.some((machine) => machine?.moves.some(({ id }) => id === name) ?? true);
    case "variable":
      return Object.hasOwn(vars, name);
    case "fact": {
      const word = name.split(":")[0] ?? "";
      return [...looks, ...COMMON_LOOKS].includes(word);
    }
    case "effect":
      return [...effects, ...COMMON_EFFECTS].includes(name);
    case "blank": {
      const [source = "", part] = name.split(".");
      if (part !== undefined) return SOURCES.includes(source);
      return BLANKS.includes(name) || Object.hasOwn(vars, name);
    }
  }
}

function machineMistakes(kind: string, machine: Machine): readonly string[] {
  const { states, ends, moves } = machine;
  const leaves = (state: string): boolean => moves.some((move) => move.from.includes(state));
  const reached = reachable(machine);
  return [
    ...states
      .filter((state, index) => states.indexOf(state) < index)
      .map((state) => `${kind}: state "${state}" occurs twice`),
    // A state that is not an end and has no way out would hold a workflow forever.
    ...states
      .filter((state) => !ends.includes(state) && !leaves(state))
      .map((state) => `${kind}: no way out of "${state}"`),
    ...states
      .filter((state) => !reached.has(state))
      .map((state) => `${kind}: no way leads to "${state}"`),
    ...moves
      .filter((move, index) => isShadowed(move, moves.slice(0, index)))
      .map((move) => `${kind}.${move.id}: an earlier row is always taken instead`),
  ];
}

function reachable(machine: Machine): ReadonlySet<string> {
  const reached = new Set(startsOf(machine));
  // The set grows while it is walked, so newly reached states are walked as well.
  for (const state of reached)
    for (const { from, to } of machine.moves)
      if (from.includes(state) && machine.states.includes(to)) reached.add(to);
  return reached;
}

/** Rows of one name are alternatives: after a row without conditions, later ones are never taken. */
function isShadowed(move: Move, earlier: readonly Move[]): boolean {
  const same = earlier.filter(({ id, auto }) => id === move.id && auto === move.auto);
  return move.from.every((state) =>
    same.some(
      ({ from, when, auto, needs }) =>
        from.includes(state) &&
        (JSON.stringify(when ?? []) === JSON.stringify(move.when ?? []) || when === undefined) &&
        (auto !== true || needs === undefined),
    ),
  );
}

function questionMistakes(name: string, { options }: Question): readonly string[] {
  const ids = options.map((option) => option.id);
  return [
    ...(ids.length === 0 ? [`${name}: no options`] : []),
    ...(new Set(ids).size < ids.length ? [`${name}: an option occurs twice`] : []),
    ...(options.every((option) => option.leaves === "open") ? [`${name}: no option leads on`] : []),
  ];
}

/** Questions that no row asks and nobody may ask. */
function unasked({ questions }: Protocol, uses: readonly Use[]): readonly string[] {
  const asked = new Set(uses.flatMap(({ name, asks }) => (asks === true ? [name] : [])));
  return Object.entries(questions)
    .filter(([name, { by = [] }]) => !asked.has(name) && by.length === 0)
    .map(([name]) => `${name}: nobody asks it`);
}
