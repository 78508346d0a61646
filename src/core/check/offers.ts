import type { Actor, Command } from "../state/commands.ts";
import type { JsonObject } from "../values/json.ts";
import type { Work, Move, Option, Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import type { Abstract } from "./abstract.ts";
import type { Unit, Workflow } from "../state/state.ts";

/** Something that somebody could do next. */
export interface Offer {
  readonly command: Command;
  readonly actor: Actor;
  /** Names for the reader of a counterexample. */
  readonly by: string;
  readonly does: string;
  /** Only a person can do it. */
  readonly person: boolean;
  /** A person waives the rules here and must give a reason. */
  readonly waives: boolean;
  /** The option chosen, if this is an answer. */
  readonly option?: { readonly question: string; readonly id: string };
}

const PERSON: Actor = { kind: "person", name: "person" };
const AGENT: Actor = { kind: "agent", name: "agent" };
const ENGINE: Actor = { kind: "engine", name: "holdpoint" };
const REASON = "because";

/** The rows of a table by the state they start from, so that each step does not search the whole table. */
export interface Index {
  readonly protocol: Protocol;
  readonly moves: ReadonlyMap<string, readonly Move[]>;
  readonly specs: ReadonlyMap<string, readonly (readonly [string, Work])[]>;
  /** Roles that work is given to. A template stands for any role. */
  readonly roles: ReadonlySet<string>;
  readonly names: Abstract["names"];
}

export function indexOf({ protocol, names }: Abstract): Index {
  const moves = new Map<string, Move[]>();
  const specs = new Map<string, (readonly [string, Work])[]>();
  for (const [kind, machine] of Object.entries(protocol.kinds))
    for (const move of machine.moves.filter((one) => one.auto !== true && one.by?.length !== 0))
      for (const state of move.from) listIn(moves, `${kind} ${state}`).push(move);
  for (const [name, spec] of Object.entries(protocol.work))
    for (const state of spec.in)
      listIn(specs, `${spec.unit === "root" ? protocol.root : spec.unit} ${state}`).push([
        name,
        spec,
      ]);
  const roles = new Set(Object.values(protocol.work).map((spec) => spec.role));
  return { protocol, moves, specs, roles, names };
}

function listIn<T>(map: Map<string, T[]>, key: string): T[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

/** Everything somebody could ask for here; `decide` then says whether it is allowed. */
export function offersAt(index: Index, state: Workflow): readonly Offer[] {
  const open = Object.values(state.decisions).filter((one) => one.status === "open");
  const out = Object.values(state.dispatches).filter((one) => one.status === "open");
  const units = Object.values(state.units);
  return [
    ...open.flatMap((one) => answers(index.protocol, one.id, one.question)),
    ...out.flatMap((one) => reports(index, one)),
    ...(out.length > 0 ? [] : units.flatMap((unit) => sends(index, unit))),
    ...units.flatMap((unit) => moves(index, unit)),
    ...opens(index.protocol, state),
    ...(open.length > 0 ? [] : asks(index.protocol)),
  ];
}

/** The ways the first wanted effect can end. Nothing else happens until that is known. */
export function settlementsOf(state: Workflow, after: Offer): readonly Offer[] {
  const wanted = Object.values(state.effects).find((one) => one.status === "wanted");
  if (wanted === undefined) return [];
  return (["done", "failed"] as const).map((status) => ({
    ...after,
    command: { type: "effect.settle", effect: wanted.id, status, detail: {} },
    actor: ENGINE,
    does: status === "done" ? after.does : `${after.does}, but ${wanted.kind} fails`,
  }));
}

function answers({ questions }: Protocol, decision: string, name: string): readonly Offer[] {
  const question = questions[name];
  const answer = (text: string, does: string, option?: Option): Offer => ({
    command: { type: "decision.answer", decision, text, reason: REASON },
    actor: PERSON,
    by: "person",
    does,
    person: true,
    waives: option?.why !== undefined,
    ...(option === undefined ? {} : { option: { question: name, id: option.id } }),
  });
  const options = (question?.options ?? []).flatMap((option, index) =>
    option.leaves === "open"
      ? []
      : [answer(String(index + 1), `answers ${name} with ${option.id}`, option)],
  );
  return question?.within === undefined
    ? options
    : [...options, answer("~", `gives no valid answer to ${name}`)];
}

function reports(index: Index, out: Workflow["dispatches"][string]): readonly Offer[] {
  const { id, spec, role, unit } = out;
  const { work } = index.protocol;
  const said = [...index.names].map(([field, root]) => [field, unit === ROOT ? root : unit]);
  const named: JsonObject = Object.fromEntries(said);
  const base = { by: role, person: false, waives: false } as const;
  return [
    ...Object.keys(work[spec]?.outcomes ?? {}).map((outcome): Offer => ({
      ...base,
      command: { type: "dispatch.report", dispatch: id, claim: { ...named, agent: role, outcome } },
      actor: { ...AGENT, role },
      does: `reports ${outcome} of ${spec}`,
    })),
    {
      command: { type: "dispatch.cancel", dispatch: id, reason: REASON },
      actor: PERSON,
      by: "person",
      does: `cancels ${spec}`,
      person: true,
      waives: false,
    },
  ];
}

function sends({ specs }: Index, unit: Unit): readonly Offer[] {
  return (specs.get(`${unit.kind} ${unit.at}`) ?? []).map(([spec, { role }]) => ({
    command: { type: "dispatch.send", spec, unit: unit.id },
    actor: AGENT,
    by: "agent",
    does: `hands ${spec}${about(unit)} to ${role}`,
    person: false,
    waives: false,
  }));
}

function moves(index: Index, unit: Unit): readonly Offer[] {
  const rows = index.moves.get(`${unit.kind} ${unit.at}`) ?? [];
  const offers = rows.flatMap((row): readonly Offer[] => {
    const found = whoMoves(row.by, index.roles);
    if (found === undefined) return [];
    const { actor, by } = found;
    const command: Command = { type: "unit.move", unit: unit.id, move: row.id, reason: REASON };
    const person = actor.kind !== "agent";
    const waives = actor.kind === "person" && row.why === true;
    return [{ command, actor, by, does: `moves ${row.id}${about(unit)}`, person, waives }];
  });
  // Rows of the same name are alternatives, and `decide` picks the one whose conditions hold, so one offer is
  // enough.
  return offers.filter(
    (one, at) => offers.findIndex((other) => other.does === one.does && other.by === one.by) === at,
  );
}

/** Who takes a row if several may: an agent before the engine, the engine before a person. */
export function whoMoves(
  by: Move["by"],
  roles: ReadonlySet<string>,
): { readonly actor: Actor; readonly by: string } | undefined {
  if (by === undefined || by.includes("agent")) return { actor: AGENT, by: "agent" };
  const role = by
    .filter((one) => one.startsWith("role:"))
    .map((one) => one.slice("role:".length))
    .find((one) => roles.has(one) || [...roles].some((known) => known.includes("{")));
  if (role !== undefined) return { actor: { ...AGENT, role }, by: role };
  if (by.includes("person")) return { actor: PERSON, by: "person" };
  return by.includes("engine") ? { actor: ENGINE, by: "holdpoint" } : undefined;
}

function opens({ kinds, root }: Protocol, state: Workflow): readonly Offer[] {
  const at = state.units[ROOT]?.at ?? "";
  return Object.entries(kinds)
    .filter(
      ([kind, { starts = [] }]) =>
        kind !== root &&
        starts.some(({ from = [] }) => from.includes(at)) &&
        !(`${kind}-1` in state.units),
    )
    .map(([kind]) => ({
      command: { type: "unit.open", kind, unit: `${kind}-1`, data: {}, reason: REASON },
      actor: AGENT,
      by: "agent",
      does: `adds a ${kind}`,
      person: false,
      waives: false,
    }));
}

function asks({ questions }: Protocol): readonly Offer[] {
  return Object.entries(questions).flatMap(([question, { by = [] }]): readonly Offer[] => {
    const actor = by.includes("agent") ? AGENT : by.includes("person") ? PERSON : undefined;
    if (actor === undefined) return [];
    const command: Command = { type: "decision.ask", question, unit: ROOT, about: {} };
    const person = actor.kind === "person";
    return [{ command, actor, by: actor.kind, does: `asks ${question}`, person, waives: false }];
  });
}

function about({ id }: Unit): string {
  return id === ROOT ? "" : ` (${id})`;
}
