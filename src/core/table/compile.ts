import type {
  Definition,
  Effect,
  Leads,
  MachineRow,
  MoveRow,
  Need,
  OptionRow,
  QuestionRow,
  StartRow,
  Then,
  Within,
  WorkRow,
} from "./authoring.ts";
import type {
  Consequence,
  DispatchSpec,
  EffectRow,
  GuardRow,
  Machine,
  Move,
  Option,
  Protocol,
  Question,
  RunRow,
  Spend,
  Start,
} from "./protocol.ts";

/** The table that is decided by, from how its author wrote it: names from keys, and what was left out filled in. */
export function compile(definition: Definition): Protocol {
  const { states = [], start = "", ends = [], moves = {}, starts, gates } = definition;
  const machines = definition.kinds ?? {
    [definition.name]: {
      states,
      start,
      ends,
      moves,
      ...(starts === undefined ? {} : { starts }),
      ...(gates === undefined ? {} : { gates }),
    },
  };
  const [root = definition.name] = Object.keys(machines);
  const from: From = { rule: definition.name, root, machines, definition };
  const { name, version, title, questions = {}, work = {} } = definition;
  const { vars = {}, open = {}, guards = {}, looks = [], lease = "dispatch" } = definition;
  const { effects, signs, rules, stateFile } = definition;
  return {
    name,
    version,
    ...(definition.migrate === undefined ? {} : { migrate: definition.migrate }),
    title,
    root,
    vars,
    guards,
    looks,
    lease,
    open: mapped(open, (row) => ({ ...row, rule: row.rule ?? name })),
    kinds: mapped(machines, (machine) => toMachine(from, machine)),
    questions: mapped(questions, (row, question) => toQuestion(from, question, row)),
    dispatches: mapped(work, (row, spec) => toWork(from, spec, row)),
    ...(effects === undefined ? {} : { effects }),
    ...(signs === undefined ? {} : { signs }),
    ...(rules === undefined ? {} : { rules }),
    ...(stateFile === undefined ? {} : { stateFile }),
  };
}

interface From {
  /** What rows without a rule of their own cite. */
  readonly rule: string;
  readonly root: string;
  readonly machines: Readonly<Record<string, MachineRow>>;
  readonly definition: Definition;
}

function toMachine(from: From, machine: MachineRow): Machine {
  const { states, start, ends, moves, starts, gates = {} } = machine;
  const rows = Object.entries(moves).flatMap(([id, row]) =>
    listOf(row).flatMap((one) => toMoves(from, id, one)),
  );
  const asked = Object.entries(gates).flatMap(([state, question]) =>
    question === undefined ? [] : [[state, question] as const],
  );
  return {
    states,
    start,
    ends,
    moves: rows,
    ...(starts === undefined ? {} : { starts: starts.map((row) => toStart(from, row)) }),
    ...(asked.length === 0 ? {} : { gates: Object.fromEntries(asked) }),
  };
}

function toStart(from: From, { needs = [], ...row }: StartRow): Start {
  const guards = needs.map((need) => toGuard(from, need));
  return { ...row, id: "start", rule: row.rule ?? from.rule, guards };
}

/** One row, or one for each state where it is a step inside its state. */
function toMoves(from: From, id: string, row: MoveRow): readonly Move[] {
  const { from: starts, to, needs, ask, send, within, runs, effects, ...rest } = row;
  const move = {
    ...rest,
    id,
    rule: row.rule ?? from.rule,
    ...(needs === undefined ? {} : { guards: needs.map((need) => toGuard(from, need)) }),
    ...(ask === undefined ? {} : { asks: ask }),
    ...(send === undefined ? {} : { sends: listOf(send) }),
    ...(within === undefined ? {} : { spends: toSpend(id, within) }),
    ...(runs === undefined ? {} : { runs: runs.map(toRun) }),
    ...(effects === undefined ? {} : { effects: effects.map(toEffect) }),
  };
  if (to !== undefined) return [{ ...move, from: listOf(starts), to }];
  return listOf(starts).map((state) => ({ ...move, from: [state], to: state, inside: true }));
}

function toRun(run: string | RunRow): RunRow {
  return typeof run === "string" ? { check: run, binds: ["tree:."] } : run;
}

function toGuard({ rule }: From, { ask, ...need }: Need): GuardRow {
  return { rule, ...need, ...(ask === undefined ? {} : { asks: ask }) };
}

function toSpend(name: string, { budget, times, else: out }: Within): Spend {
  return { budget: budget ?? ownBudget(name), max: times, out };
}

/** A row without a budget of its own counts for itself, and anew for each unit. */
function ownBudget(name: string): string {
  return `${name}/{unit}`;
}

function toEffect(effect: Effect): EffectRow {
  return effect;
}

function toQuestion(from: From, name: string, row: QuestionRow): Question {
  const { options, binds, needs, ...rest } = row;
  const resets = budgetsOf(from, name).map((budget): Consequence => ({ do: "reset", budget }));
  return {
    ...rest,
    rule: row.rule ?? from.rule,
    options: Object.entries(options).map(([id, option]) => toOption(from, id, option, resets)),
    ...(binds === undefined ? {} : { binds: binds.map((key) => toFact(from, key)) }),
    ...(needs === undefined ? {} : { guards: needs.map((need) => toGuard(from, need)) }),
  };
}

/** A bound path stands for its digest. */
function toFact({ definition: { looks = [] } }: From, key: string): string {
  return key.includes(":") || looks.includes(key) ? key : `digest:${key}`;
}

/** The budgets that count for a row alone: whoever answers what was asked at their end lets them begin anew. */
function budgetsOf({ machines, definition }: From, question: string): readonly string[] {
  const rows = [
    ...Object.values(machines).flatMap(({ moves }) => Object.entries(moves)),
    ...Object.entries(definition.work ?? {}),
  ];
  return rows.flatMap(([name, row]) =>
    listOf(row).flatMap(({ within }) =>
      within?.else === question && within.budget === undefined ? [ownBudget(name)] : [],
    ),
  );
}

function toOption(
  from: From,
  id: string,
  { does = [], ...row }: OptionRow,
  resets: readonly Consequence[],
): Option {
  return { ...row, id, does: [...resets, ...toConsequences(from, does)] };
}

function toConsequences(
  from: From,
  leads: Leads<string, string, string>,
  on?: "unit",
): readonly Consequence[] {
  if (typeof leads !== "string") return leads.map((then) => toConsequence(then));
  const here = on === undefined ? {} : { on };
  return [{ do: "move", move: leads, ...here }];
}

function toConsequence(then: Then): Consequence {
  if ("move" in then) return { do: "move", ...then };
  if ("ask" in then) {
    const { ask: question, ...rest } = then;
    return { do: "ask", question, ...rest };
  }
  if ("send" in then) return { do: "dispatch", specs: listOf(then.send) };
  if ("set" in then) return { do: "set", set: then.set };
  if ("reset" in then) return { do: "reset", budget: then.reset };
  if ("note" in then) return { do: "note", note: then.note };
  if ("effect" in then) return { do: "effect", effect: toEffect(then.effect) };
  const { finding: kind, value, on, binds } = then;
  const where = on === undefined ? {} : { on };
  return { do: "finding", kind, value, ...where, ...(binds === undefined ? {} : { binds }) };
}

function toWork(from: From, name: string, row: WorkRow): DispatchSpec {
  const { done, outcomes = {}, in: places, needs, accepts = [], within, ...rest } = row;
  const { unit = "root", makes } = row;
  const on = unit === "root" ? undefined : "unit";
  const made = makes === undefined ? [] : madeRows(from, makes);
  return {
    ...rest,
    unit,
    rule: row.rule ?? from.rule,
    in: places === undefined ? placesOf(from, unit, done) : listOf(places),
    accepts: [...accepts.map((need) => toGuard(from, need)), ...made],
    outcomes: {
      success: done === undefined ? [] : toConsequences(from, done, on),
      failure: [],
      ...mapped(outcomes, (leads) => toConsequences(from, leads, on)),
    },
    ...(needs === undefined ? {} : { guards: needs.map((need) => toGuard(from, need)) }),
    ...(within === undefined ? {} : { tries: toSpend(name, within) }),
  };
}

/** No measured work, no step; and a role keeps to its paths. A report of failure need not have made anything. */
function madeRows({ rule }: From, paths: readonly string[]): readonly GuardRow[] {
  const when = [{ guard: "claim", args: { field: "outcome", in: ["success"] } }];
  return [
    {
      guard: "worked",
      args: { paths },
      code: "work-not-measured",
      fix: `Change ${paths.join(", ")}, then report again; or report a failure and say why there is nothing to do.`,
      rule,
      when,
    },
    {
      guard: "kept",
      args: { paths },
      code: "work-outside",
      fix: `Take back what is outside of ${paths.join(", ")}, then report again.`,
      rule,
      when,
    },
    {
      guard: "claimed-changed",
      args: { field: "files" },
      code: "claimed-not-changed",
      fix: "",
      rule,
      soft: true,
      when,
    },
  ];
}

/** Work is handed out where the move of its success starts; without one, wherever the unit can still move. */
function placesOf(
  { machines, root }: From,
  unit: string,
  done: string | undefined,
): readonly string[] {
  const machine = machines[unit === "root" ? root : unit];
  const row = done === undefined ? undefined : machine?.moves[done];
  if (row !== undefined) return [...new Set(listOf(row).flatMap(({ from }) => listOf(from)))];
  return (machine?.states ?? []).filter((state) => machine?.ends.includes(state) !== true);
}

function listOf<T>(value: T | readonly T[]): readonly T[] {
  return isList(value) ? value : [value];
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function mapped<A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A, name: string) => B,
): Readonly<Record<string, B>> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  );
}
