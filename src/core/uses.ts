import { BLANK } from "./draft.ts";
import { argKinds } from "./guard-args.ts";
import { isJsonArray, isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type {
  ArgKind,
  Condition,
  Consequence,
  DispatchSpec,
  EffectRow,
  GuardRow,
  Machine,
  Move,
  NoteRow,
  Protocol,
  Question,
  RunRow,
  Spend,
  ValueRef,
} from "./protocol.ts";

/** A place of the table that names something. Every name a row uses must be one the protocol has. */
export interface Use {
  readonly where: string;
  readonly what:
    | "guard"
    | "question"
    | "kind"
    | "state"
    | "move"
    | "dispatch"
    | "variable"
    | "fact"
    | "effect"
    | "blank"
    | "option";
  readonly name: string;
  /** Whose state, move or option it is: a kind or a question. Without it, anybody's. */
  readonly of?: string;
  /** A question that is asked here, and not only named. */
  readonly asks?: true;
}

/** Every name the rows of a protocol use, with the place where. */
export function usesOf(protocol: Protocol): readonly Use[] {
  const { kinds, questions, dispatches, starts, begins, open = {}, root } = protocol;
  return [
    ...guardUses(protocol, "starts", starts?.guards),
    ...effectUses("starts", starts?.effects),
    ...(starts?.at ?? []).flatMap(({ state, when }) => [
      use("starts", "state", state, root),
      ...conditionUses("starts", when),
    ]),
    ...noteUses("begins", begins),
    ...Object.keys(open).map((name) => use("open", "variable", name)),
    ...Object.entries(kinds).flatMap(([kind, machine]) => machineUses(protocol, kind, machine)),
    ...Object.entries(questions).flatMap(([name, row]) => questionUses(protocol, name, row)),
    ...Object.entries(dispatches).flatMap(([name, row]) => dispatchUses(protocol, name, row)),
  ];
}

function machineUses(protocol: Protocol, kind: string, machine: Machine): readonly Use[] {
  const { start, ends, gates = {}, opens, moves } = machine;
  const opening = `${kind} opens`;
  return [
    ...[start, ...ends, ...Object.keys(gates)].map((state) => use(kind, "state", state, kind)),
    ...moves.flatMap((move) => moveUses(protocol, kind, move)),
    ...Object.values(gates).flatMap((gate) => [
      asked(`${kind} gate`, gate.ask),
      ...guardUses(protocol, `${kind} gate`, gate.guards),
    ]),
    ...(opens?.in ?? []).map((state) => use(opening, "state", state, protocol.root)),
    ...guardUses(protocol, opening, opens?.guards),
    ...effectUses(opening, opens?.effects),
    ...(opens?.voids ?? []).map((name) => use(opening, "question", name)),
  ];
}

function moveUses(protocol: Protocol, kind: string, move: Move): readonly Use[] {
  const where = `${kind}.${move.id}`;
  const { from, to, asks, spends, voids = [], sows, closes } = move;
  const states = [...from, ...(to === "@back" ? [] : [to])];
  return [
    ...states.map((state) => use(where, "state", state, kind)),
    ...conditionUses(where, move.when),
    ...guardUses(protocol, where, move.guards),
    ...(asks === undefined ? [] : [asked(where, asks)]),
    ...spendUses(where, spends),
    ...voids.map((name) => use(where, "question", name)),
    ...blanks(where, ...(move.seals ?? []), ...(move.unseals ?? [])),
    ...(sows === undefined ? [] : [use(where, "kind", sows.kind), ...factUses(where, sows.fact)]),
    ...(closes === undefined ? [] : [use(where, "kind", closes)]),
    ...effectUses(where, move.effects),
    ...setUses(where, move.set),
    ...noteUses(where, move.notes),
    ...runUses(where, move.runs),
  ];
}

function questionUses(protocol: Protocol, name: string, question: Question): readonly Use[] {
  const { prompt, options, binds = [], grant = [], via, invalid, menu } = question;
  return [
    ...blanks(name, prompt, ...options.map((option) => option.label)),
    ...factUses(name, ...binds, ...(menu === undefined ? [] : [menu])),
    ...grant.map((one) => use(name, "variable", one)),
    ...(via === undefined ? [] : [use(name, "move", via, protocol.root)]),
    ...guardUses(protocol, name, question.guards),
    ...blanks(name, invalid?.budget ?? "", question.id ?? ""),
    ...consequenceUses(name, invalid?.does),
    ...options.flatMap(({ id, does }) => consequenceUses(`${name}.${id}`, does)),
  ];
}

function dispatchUses(protocol: Protocol, name: string, spec: DispatchSpec): readonly Use[] {
  const kind = spec.unit === "root" ? protocol.root : spec.unit;
  return [
    use(name, "kind", kind),
    ...blanks(name, spec.role, spec.order ?? ""),
    ...spec.in.map((state) => use(name, "state", state, kind)),
    ...(spec.rootIn ?? []).map((state) => use(name, "state", state, protocol.root)),
    ...conditionUses(name, spec.when),
    ...guardUses(protocol, name, spec.guards),
    ...guardUses(protocol, name, spec.accepts),
    ...factUses(name, ...(spec.baseline ?? [])),
    ...spendUses(name, spec.tries),
    ...runUses(name, spec.runs),
    ...consequenceUses(name, spec.sent),
    ...Object.entries(spec.outcomes).flatMap(([outcome, does]) =>
      consequenceUses(`${name}.${outcome}`, does),
    ),
  ];
}

function consequenceUses(where: string, thens: readonly Consequence[] = []): readonly Use[] {
  return thens.flatMap((then): readonly Use[] => {
    switch (then.do) {
      case "move":
        return [use(where, "move", then.move)];
      case "open":
        return [use(where, "kind", then.kind), ...blanks(where, then.unit)];
      case "dispatch":
        return then.specs.map((name) => use(where, "dispatch", name));
      case "ask":
        return [asked(where, then.question)];
      case "within":
        return [...blanks(where, then.budget), ...consequenceUses(where, then.otherwise)];
      case "finding":
        return [...valueUses(where, then.value), ...factUses(where, ...(then.binds ?? []))];
      case "set":
        return setUses(where, then.set);
      case "reset":
        return blanks(where, then.budget);
      case "effect":
        return effectUses(where, [then.effect]);
      case "note":
        return noteUses(where, [then.note]);
      case "close":
      case "repeat":
      case "resubmit":
      case "fail":
      case "reseal":
      case "settle":
      case "release-lease":
        return [];
    }
  });
}

function guardUses(
  protocol: Protocol,
  where: string,
  rows: readonly GuardRow[] = [],
): readonly Use[] {
  return rows.flatMap((row) => [
    ...(row.any === undefined ? [use(where, "guard", row.guard)] : []),
    ...(row.any === undefined ? argUses(protocol, where, row) : []),
    ...(row.asks === undefined ? [] : [asked(where, row.asks)]),
    ...blanks(where, row.fix),
    ...conditionUses(where, row.when),
    ...guardUses(protocol, where, row.any),
  ]);
}

function argUses(protocol: Protocol, where: string, row: GuardRow): readonly Use[] {
  const { args = {}, guard } = row;
  const kinds = argKinds(protocol, guard);
  return Object.entries(args).flatMap(([name, value]) => [
    ...blanks(where, ...textsIn(value)),
    ...namedUses(protocol, where, { kind: kinds?.[name]?.replace("?", ""), value, args, guard }),
  ]);
}

interface NamedArg {
  readonly kind: string | undefined;
  readonly value: Json;
  readonly args: JsonObject;
  readonly guard: string;
}

const NAMED: Readonly<Partial<Record<ArgKind, Use["what"]>>> = {
  fact: "fact",
  facts: "fact",
  variable: "variable",
  kind: "kind",
  state: "state",
  question: "question",
  questions: "question",
};

function namedUses(
  { root }: Protocol,
  where: string,
  { kind, value, args, guard }: NamedArg,
): readonly Use[] {
  const texts = textsIn(value);
  const what = kind === undefined ? undefined : Object.entries(NAMED).find(([of]) => of === kind);
  if (what !== undefined)
    return texts.map((text) => use(where, what[1], text, what[0] === "state" ? root : undefined));
  if (guard === "units" && args["in"] === value)
    return texts.map((text) => use(where, "state", text, textsIn(args["kind"])[0]));
  if (guard === "released" && args["options"] === value)
    return texts.map((text) => use(where, "option", text, textsIn(args["question"])[0]));
  return kind === "states" ? texts.map((text) => use(where, "state", text)) : [];
}

function conditionUses(where: string, conditions: readonly Condition[] = []): readonly Use[] {
  return conditions.flatMap((one): readonly Use[] => {
    if ("var" in one) return [use(where, "variable", one.var)];
    if ("fact" in one) return factUses(where, one.fact);
    if ("unitIs" in one) return [use(where, "variable", one.unitIs)];
    if ("no" in one) return [use(where, "kind", one.no)];
    return "some" in one ? [use(where, "kind", one.some)] : [];
  });
}

function effectUses(where: string, effects: readonly EffectRow[] = []): readonly Use[] {
  return effects.flatMap(({ kind, args, when, otherwise, failed }) => [
    use(where, "effect", kind),
    ...blanks(where, ...Object.values(args).flatMap(textsIn)),
    ...conditionUses(where, when),
    ...blanks(where, otherwise ?? ""),
    ...(failed === undefined ? [] : [asked(where, failed)]),
  ]);
}

function spendUses(where: string, spend: Spend | undefined): readonly Use[] {
  if (spend === undefined) return [];
  const { budget, maxVar, out } = spend;
  const size = maxVar === undefined ? [] : [use(where, "variable", maxVar)];
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

function blanks(where: string, ...texts: readonly string[]): readonly Use[] {
  return texts.flatMap((text) =>
    [...text.matchAll(BLANK)].map(([, name = "", part]) =>
      use(where, "blank", part === undefined ? name : `${name}.${part}`),
    ),
  );
}

function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (isJsonArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

function use(where: string, what: Use["what"], name: string, of?: string): Use {
  return { where, what, name, ...(of === undefined ? {} : { of }) };
}

function asked(where: string, name: string): Use {
  return { where, what: "question", name, asks: true };
}
