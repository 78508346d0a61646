import { asked, blanks, guardUses, testUses, textsIn, use } from "./guard-uses.ts";
import type { Use } from "./guard-uses.ts";
import type {
  Consequence,
  Work,
  EffectRow,
  Machine,
  Move,
  NoteRow,
  Protocol,
  Question,
  RunRow,
  Counted,
  ValueRef,
} from "./protocol.ts";
import { listOf } from "../values/list.ts";

export type { Use } from "./guard-uses.ts";

/** Every name that the rows of a protocol use, and where. */
export function usesOf(protocol: Protocol): readonly Use[] {
  const { kinds, questions, work, open = {} } = protocol;
  return [
    ...Object.keys(open).map((name) => use("open", "variable", name)),
    ...Object.entries(kinds).flatMap(([kind, machine]) => machineUses(protocol, kind, machine)),
    ...Object.entries(questions).flatMap(([name, row]) => questionUses(protocol, name, row)),
    ...Object.entries(work).flatMap(([name, row]) => workUses(protocol, name, row)),
  ];
}

function machineUses(protocol: Protocol, kind: string, machine: Machine): readonly Use[] {
  const { start, ends, gates = {}, starts = [], moves } = machine;
  return [
    ...[start, ...ends, ...Object.keys(gates)].map((state) => use(kind, "state", state, kind)),
    ...moves.flatMap((move) => moveUses(protocol, kind, move)),
    ...Object.values(gates).map((gate) => asked(`${kind} gate`, gate)),
    ...starts.flatMap((row) => [
      ...(row.from ?? []).map((state) => use(`${kind} starts`, "state", state, protocol.root)),
      ...rowUses(protocol, kind, `${kind} starts`, { ...row, from: [], to: row.to ?? start }),
    ]),
  ];
}

function moveUses(protocol: Protocol, kind: string, move: Move): readonly Use[] {
  return rowUses(protocol, kind, `${kind}.${move.id}`, move);
}

function rowUses(protocol: Protocol, kind: string, where: string, move: Move): readonly Use[] {
  const { from, to, ask, within, voids = [], sows, closes } = move;
  const states = [...from, ...(to === "@back" ? [] : [to])];
  return [
    ...states.map((state) => use(where, "state", state, kind)),
    ...testUses(protocol, where, move.when),
    ...guardUses(protocol, where, move.needs),
    ...(ask === undefined ? [] : [asked(where, ask)]),
    ...(move.send ?? []).map((name) => use(where, "work", name)),
    ...withinUses(where, within),
    ...voids.map((name) => use(where, "question", name)),
    ...blanks(where, ...(move.seals ?? []), ...(move.unseals ?? [])),
    ...(sows === undefined ? [] : [use(where, "kind", sows.kind), ...factUses(where, sows.fact)]),
    ...(closes === undefined || closes === "@unit" ? [] : [use(where, "kind", closes)]),
    ...effectUses(protocol, where, move.effects),
    ...setUses(where, move.set),
    ...noteUses(where, move.notes),
    ...runUses(where, move.runs),
  ];
}

function questionUses(protocol: Protocol, name: string, question: Question): readonly Use[] {
  const { prompt, options, binds = [], grant = [], via, within, menu } = question;
  return [
    ...blanks(name, prompt, ...options.map((option) => option.label)),
    ...factUses(name, ...binds, ...(menu === undefined ? [] : [menu])),
    ...grant.map((one) => use(name, "variable", one)),
    ...(via === undefined ? [] : [use(name, "move", via, protocol.root)]),
    ...guardUses(protocol, name, question.needs),
    ...blanks(name, within?.budget ?? "", question.id ?? ""),
    ...consequenceUses(protocol, name, within?.else),
    ...options.flatMap(({ id, does }) => consequenceUses(protocol, `${name}.${id}`, does)),
  ];
}

function workUses(protocol: Protocol, name: string, spec: Work): readonly Use[] {
  const kind = spec.unit === "root" ? protocol.root : spec.unit;
  return [
    use(name, "kind", kind),
    ...blanks(name, spec.role, spec.order ?? ""),
    ...spec.in.map((state) => use(name, "state", state, kind)),
    ...(spec.rootIn ?? []).map((state) => use(name, "state", state, protocol.root)),
    ...testUses(protocol, name, spec.when),
    ...guardUses(protocol, name, spec.needs),
    ...guardUses(protocol, name, spec.accepts),
    ...factUses(name, ...(spec.baseline ?? [])),
    ...withinUses(name, spec.within),
    ...consequenceUses(protocol, name, spec.sent),
    ...Object.entries(spec.outcomes).flatMap(([outcome, does]) =>
      consequenceUses(protocol, `${name}.${outcome}`, does),
    ),
  ];
}

function consequenceUses(
  protocol: Protocol,
  where: string,
  thens: readonly Consequence[] = [],
): readonly Use[] {
  return thens.flatMap((then): readonly Use[] => {
    if ("move" in then) return [use(where, "move", then.move)];
    if ("open" in then) return [use(where, "kind", then.open), ...blanks(where, then.unit)];
    if ("send" in then) return listOf(then.send).map((name) => use(where, "work", name));
    if ("ask" in then) return [asked(where, then.ask)];
    if ("within" in then)
      return [
        ...blanks(where, then.within.budget),
        ...consequenceUses(protocol, where, then.within.else),
      ];
    if ("finding" in then)
      return [...valueUses(where, then.value), ...factUses(where, ...(then.binds ?? []))];
    if ("set" in then) return setUses(where, then.set);
    if ("reset" in then) return blanks(where, then.reset);
    if ("effect" in then) return effectUses(protocol, where, [then.effect]);
    return noteUses(where, [then.note]);
  });
}

function effectUses(
  protocol: Protocol,
  where: string,
  effects: readonly EffectRow[] = [],
): readonly Use[] {
  return effects.flatMap(({ kind, args, when, otherwise, failed }) => [
    use(where, "effect", kind),
    ...blanks(where, ...Object.values(args).flatMap(textsIn)),
    ...testUses(protocol, where, when),
    ...blanks(where, otherwise ?? ""),
    ...(failed === undefined ? [] : [asked(where, failed)]),
  ]);
}

function withinUses(where: string, spend: Counted | undefined): readonly Use[] {
  if (spend === undefined) return [];
  const { budget, times, else: out } = spend;
  const size = typeof times === "number" ? [] : [use(where, "variable", times)];
  return [...blanks(where, budget), ...size, asked(where, out)];
}

function setUses(where: string, set: Readonly<Record<string, ValueRef>> = {}): readonly Use[] {
  return Object.entries(set).flatMap(([name, ref]) => [
    use(where, "variable", name),
    ...valueUses(where, ref),
  ]);
}

function valueUses(where: string, ref: ValueRef): readonly Use[] {
  return "fact" in ref ? factUses(where, ref.fact) : [];
}

function runUses(where: string, runs: readonly RunRow[] = []): readonly Use[] {
  return runs.flatMap(({ binds }) => factUses(where, ...binds));
}

function noteUses(where: string, notes: readonly NoteRow[] = []): readonly Use[] {
  return notes.flatMap(({ tag, text }) => blanks(where, tag, text));
}

function factUses(where: string, ...keys: readonly string[]): readonly Use[] {
  return keys.flatMap((key) => [use(where, "fact", key), ...blanks(where, key)]);
}
