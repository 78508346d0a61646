import type {
  Consequence,
  Definition,
  Leads,
  MachineRow,
  MoveRow,
  OptionRow,
  QuestionRow,
  StartRow,
  WorkRow,
} from "./authoring.ts";
import type { Machine, Move, Option, Protocol, Question, Start, Work } from "./protocol.ts";
import type { Counted, Need, RuledNeed, RunRow, Within } from "./row.ts";
import { listOf } from "../values/list.ts";

/** The fields were already checked against their shape; this only tells the compiler. */
export function isDefinition(value: unknown): value is Definition {
  return typeof value === "object" && value !== null && "name" in value && "version" in value;
}

/**
 * Turns the table as its author wrote it into the one that `decide` uses: names are taken from keys, and defaults
 * are filled in.
 */
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
    work: mapped(work, (row, spec) => toWork(from, spec, row)),
    ...(effects === undefined ? {} : { effects }),
    ...(signs === undefined ? {} : { signs }),
    ...(rules === undefined ? {} : { rules }),
    ...(stateFile === undefined ? {} : { stateFile }),
  };
}

interface From {
  /** The requirement cited by rows that name none. */
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
  return { ...row, id: "start", rule: row.rule ?? from.rule, needs: toNeeds(from, needs) };
}

/** One row, or one for each state if the step stays in its state. */
function toMoves(from: From, id: string, row: MoveRow): readonly Move[] {
  const { from: starts, to, needs, send, within, runs, ...rest } = row;
  const move = {
    ...rest,
    id,
    rule: row.rule ?? from.rule,
    ...(needs === undefined ? {} : { needs: toNeeds(from, needs) }),
    ...(send === undefined ? {} : { send: listOf(send) }),
    ...(within === undefined ? {} : { within: counted(id, within) }),
    ...(runs === undefined ? {} : { runs: runs.map(toRun) }),
  };
  if (to !== undefined) return [{ ...move, from: listOf(starts), to }];
  return listOf(starts).map((state) => ({ ...move, from: [state], to: state, inside: true }));
}

function toRun(run: string | RunRow): RunRow {
  return typeof run === "string" ? { check: run, binds: ["tree:."] } : run;
}

function toNeeds({ rule }: From, needs: readonly Need[]): readonly RuledNeed[] {
  return needs.map((need) => ({ rule, ...need }));
}

function counted(name: string, { budget = ownBudget(name), ...within }: Within): Counted {
  return { ...within, budget };
}

/** A row without a named budget has its own, counted for each unit. */
function ownBudget(name: string): string {
  return `${name}/{unit}`;
}

function toQuestion(from: From, name: string, row: QuestionRow): Question {
  const { options, binds, needs, ...rest } = row;
  const resets = budgetsOf(from, name).map((budget): Consequence => ({ reset: budget }));
  return {
    ...rest,
    rule: row.rule ?? from.rule,
    options: Object.entries(options).map(([id, option]) => toOption(from, id, option, resets)),
    ...(binds === undefined ? {} : { binds: binds.map((key) => toFact(from, key)) }),
    ...(needs === undefined ? {} : { needs: toNeeds(from, needs) }),
  };
}

/** A bound path stands for its digest. */
function toFact({ definition: { looks = [] } }: From, key: string): string {
  return key.includes(":") || looks.includes(key) ? key : `digest:${key}`;
}

/** Budgets that belong to one row only. Answering the question asked when one runs out resets it. */
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
  if (typeof leads !== "string") return leads;
  return [{ move: leads, ...(on === undefined ? {} : { on }) }];
}

function toWork(from: From, name: string, row: WorkRow): Work {
  const { done, outcomes = {}, in: places, needs, accepts = [], within, ...rest } = row;
  const { unit = "root", makes } = row;
  const on = unit === "root" ? undefined : "unit";
  const made = makes === undefined ? [] : madeRows(from, makes);
  return {
    ...rest,
    unit,
    rule: row.rule ?? from.rule,
    in: places === undefined ? placesOf(from, unit, done) : listOf(places),
    accepts: [...toNeeds(from, accepts), ...made],
    outcomes: {
      success: done === undefined ? [] : toConsequences(from, done, on),
      failure: [],
      ...mapped(outcomes, (leads) => toConsequences(from, leads, on)),
    },
    ...(needs === undefined ? {} : { needs: toNeeds(from, needs) }),
    ...(within === undefined ? {} : { within: counted(name, within) }),
  };
}

/**
 * Work must have changed something, and only within the role's paths. A report of failure need not have changed
 * anything.
 */
function madeRows({ rule }: From, paths: readonly string[]): readonly RuledNeed[] {
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
      guard: "unhidden",
      args: { paths },
      code: "work-hidden",
      fix: "Take the rule away, or the files, then report again.",
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

/**
 * Where work may be sent out: where its success move starts, or, without one, in every state the unit can leave.
 */
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

function mapped<A, B>(
  record: Readonly<Record<string, A>>,
  change: (value: A, name: string) => B,
): Readonly<Record<string, B>> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  );
}
