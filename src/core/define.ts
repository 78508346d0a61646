import { LIBRARY } from "./guard.ts";
import type {
  DispatchSpec,
  GuardRow,
  Machine,
  Move,
  Protocol,
  Question,
  Consequence,
} from "./protocol.ts";

/** The public way to write a protocol: the table, checked. A table that contradicts itself is a bug. */
export function defineProtocol(protocol: Protocol): Protocol {
  const mistakes = protocolMistakes(protocol);
  if (mistakes.length > 0) {
    throw new TypeError(`Cannot use protocol "${protocol.name}": ${mistakes.join("; ")}`);
  }
  return protocol;
}

/** Everything wrong with a table, as sentences. */
export function protocolMistakes(protocol: Protocol): readonly string[] {
  const { kinds, questions, dispatches, root } = protocol;
  return [
    ...(kinds[root] === undefined ? [`root kind "${root}" is not defined`] : []),
    ...guardMistakes(protocol, "starts", protocol.starts?.guards),
    ...Object.entries(kinds).flatMap(([kind, machine]) => machineMistakes(protocol, kind, machine)),
    ...Object.entries(questions).flatMap(([name, question]) =>
      questionMistakes(protocol, name, question),
    ),
    ...Object.entries(dispatches).flatMap(([name, spec]) => dispatchMistakes(protocol, name, spec)),
  ];
}

function machineMistakes(protocol: Protocol, kind: string, machine: Machine): readonly string[] {
  const known = new Set(machine.states);
  const named = [machine.start, ...machine.ends, ...Object.keys(machine.gates ?? {})];
  return [
    ...named.filter((state) => !known.has(state)).map((state) => `${kind}: no state "${state}"`),
    ...machine.moves.flatMap((move) => moveMistakes(protocol, kind, move, known)),
    ...deadEnds(kind, machine),
    ...Object.values(machine.gates ?? {}).flatMap((gate) => [
      ...askMistakes(protocol, `${kind} gate`, gate.ask),
      ...guardMistakes(protocol, `${kind} gate`, gate.guards),
    ]),
    ...guardMistakes(protocol, `${kind} opens`, machine.opens?.guards),
  ];
}

function moveMistakes(
  protocol: Protocol,
  kind: string,
  move: Move,
  known: ReadonlySet<string>,
): readonly string[] {
  const where = `${kind}.${move.id}`;
  const targets = [...move.from, ...(move.to === "@back" ? [] : [move.to])];
  return [
    ...targets.filter((state) => !known.has(state)).map((state) => `${where}: no state "${state}"`),
    ...guardMistakes(protocol, where, move.guards),
    ...askMistakes(protocol, where, move.asks),
    ...askMistakes(protocol, where, move.spends?.out),
    ...(move.voids ?? []).flatMap((question) => askMistakes(protocol, where, question)),
    ...(move.effects ?? []).flatMap((effect) => askMistakes(protocol, where, effect.failed)),
  ];
}

/** A state that is no end and has no way out would hold a workflow for ever. */
function deadEnds(kind: string, machine: Machine): readonly string[] {
  return machine.states
    .filter((state) => !machine.ends.includes(state))
    .filter((state) => !machine.moves.some((move) => move.from.includes(state)))
    .map((state) => `${kind}: no way out of "${state}"`);
}

function questionMistakes(protocol: Protocol, name: string, question: Question): readonly string[] {
  const ids = question.options.map((option) => option.id);
  return [
    ...(ids.length === 0 ? [`${name}: no options`] : []),
    ...(new Set(ids).size < ids.length ? [`${name}: an option occurs twice`] : []),
    ...(question.options.every((option) => option.again === true)
      ? [`${name}: no option leads on`]
      : []),
    ...question.options.flatMap((option) =>
      consequenceMistakes(protocol, `${name}.${option.id}`, option.does),
    ),
    ...consequenceMistakes(protocol, name, question.invalid?.does ?? []),
    ...viaMistakes(protocol, name, question),
    ...guardMistakes(protocol, name, question.guards),
  ];
}

function viaMistakes(protocol: Protocol, name: string, { via }: Question): readonly string[] {
  const known = protocol.kinds[protocol.root]?.moves.some((move) => move.id === via) === true;
  return via === undefined || known ? [] : [`${name}: no move "${via}" of the root`];
}

function dispatchMistakes(protocol: Protocol, name: string, spec: DispatchSpec): readonly string[] {
  const kind = protocol.kinds[spec.unit === "root" ? protocol.root : spec.unit];
  return [
    ...(kind === undefined ? [`${name}: no kind "${spec.unit}"`] : []),
    ...spec.in
      .filter((state) => kind?.states.includes(state) === false)
      .map((state) => `${name}: no state "${state}"`),
    ...guardMistakes(protocol, name, spec.guards),
    ...guardMistakes(protocol, name, spec.accepts),
    ...askMistakes(protocol, name, spec.tries?.out),
    ...consequenceMistakes(protocol, name, spec.sent ?? []),
    ...Object.entries(spec.outcomes).flatMap(([outcome, thens]) =>
      consequenceMistakes(protocol, `${name}.${outcome}`, thens),
    ),
  ];
}

function consequenceMistakes(
  protocol: Protocol,
  where: string,
  thens: readonly Consequence[],
): readonly string[] {
  return thens.flatMap((then) => {
    switch (then.do) {
      case "move":
        return Object.values(protocol.kinds).some((kind) =>
          kind.moves.some((move) => move.id === then.move),
        )
          ? []
          : [`${where}: no move "${then.move}"`];
      case "open":
        return then.kind in protocol.kinds ? [] : [`${where}: no kind "${then.kind}"`];
      case "dispatch":
        return then.specs
          .filter((spec) => !(spec in protocol.dispatches))
          .map((spec) => `${where}: no dispatch "${spec}"`);
      case "ask":
        return askMistakes(protocol, where, then.question);
      case "within":
        return consequenceMistakes(protocol, where, then.otherwise);
      case "close":
      case "finding":
      case "repeat":
      case "resubmit":
      case "fail":
      case "set":
      case "reset":
      case "reseal":
      case "effect":
      case "settle":
      case "release-lease":
      case "note":
        return [];
    }
  });
}

function askMistakes(
  protocol: Protocol,
  where: string,
  question: string | undefined,
): readonly string[] {
  return question === undefined || question in protocol.questions
    ? []
    : [`${where}: no question "${question}"`];
}

function guardMistakes(
  protocol: Protocol,
  where: string,
  rows: readonly GuardRow[] = [],
): readonly string[] {
  return rows.flatMap((row) => [
    ...(row.any === undefined && !(row.guard in protocol.guards) && !(row.guard in LIBRARY)
      ? [`${where}: no guard "${row.guard}"`]
      : []),
    ...askMistakes(protocol, where, row.asks),
    ...guardMistakes(protocol, where, row.any),
  ]);
}
