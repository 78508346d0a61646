import { isJsonArray } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { object, text } from "../values/json-read.ts";
import type { Consequence, RuledNeed, Move, Protocol, Test, ValueRef } from "../table/protocol.ts";
import { conditionOf } from "./condition.ts";
import type { Condition } from "./condition.ts";

/** Library guards that read nothing but the workflow itself, so that exploring can decide them exactly. */
const DECIDED: readonly string[] = ["units", "var", "quiet"];

/** How many kinds of children one table of conditions tells apart; more are explored together only. */
const SEEDS_MAX = 6;

/** Any value that no condition names. */
export const OTHER = "~other";

/** What the rows of a protocol tell apart: the values that variables, facts and children can usefully have. */
export interface Domains {
  readonly vars: ReadonlyMap<string, readonly Json[]>;
  readonly facts: ReadonlyMap<string, readonly Json[]>;
  /** Fields of reports that name the unit the work was for, and what they say where it was for the root. */
  readonly names: ReadonlyMap<string, Json>;
  /** By kind: what a fact may list for it to be sown from. */
  readonly seeds: ReadonlyMap<string, readonly (readonly JsonObject[])[]>;
}

/** The questions a guard is about, by its arguments: it passes once one of them was answered. */
export function questionsOf({ args }: Test): readonly string[] {
  return [...textsOf(args?.["question"]), ...textsOf(args?.["questions"])];
}

/** The options that release a question where a guard names none: the first, which a grant would choose. */
export function releasing({ questions }: Protocol, question: string, row: Test): readonly string[] {
  const named = textsOf(row.args?.["options"]);
  return named.length > 0
    ? named
    : (questions[question]?.options ?? []).slice(0, 1).map(({ id }) => id);
}

/** Rows that can only refuse are taken to pass: what is refused happens later, or not at all. */
export function isKept(protocol: Protocol, row: RuledNeed): boolean {
  return row.soft !== true && (row.ask !== undefined || isDecided(protocol, row));
}

/** Whether a guard's answer follows from the workflow alone; all others are open to either answer. */
export function isDecided(protocol: Protocol, row: Test): boolean {
  if (row.any !== undefined) return row.any.every((one) => isDecided(protocol, one));
  if (questionsOf(row).length > 0) return true;
  return DECIDED.includes(row.guard) && !Object.hasOwn(protocol.guards, row.guard);
}

export function domainsOf(protocol: Protocol): Domains {
  const conditions = conditionsOf(protocol);
  const seeds = new Map(
    Object.keys(protocol.kinds)
      .filter((kind) => kind !== protocol.root)
      .map((kind) => [kind, seedsOf(protocol, kind, conditions)]),
  );
  const ids = [...seeds.values()].flat(2).map((seed) => seed["id"] ?? null);
  const vars = varsOf(protocol, conditions, ids);
  return { vars, names: namesOf(protocol, conditions, vars), facts: factsOf(conditions), seeds };
}

/** A report says whom it is about: where a variable that names a unit is set from it, it names that unit. */
function namesOf(
  protocol: Protocol,
  conditions: readonly Placed[],
  vars: Domains["vars"],
): ReadonlyMap<string, Json> {
  const naming = new Set(
    conditions.flatMap(({ condition }) => ("unitIs" in condition ? [condition.unitIs] : [])),
  );
  const others = (name: string): readonly Json[] =>
    conditions.flatMap(({ condition }) =>
      "var" in condition && condition.var === name ? condition.in : [],
    );
  return new Map(
    setsOf(protocol).flatMap(([name, ref]) =>
      naming.has(name) && "claim" in ref
        ? [[ref.claim, others(name)[0] ?? vars.get(name)?.[0] ?? null] as const]
        : [],
    ),
  );
}

/** When a row counts. One that may fall either way needs no fact to say so. */
export function whenOf(protocol: Protocol, row: RuledNeed): readonly Test[] {
  const when = row.when ?? [];
  return isDecided(protocol, row) ? when : when.filter((one) => choiceOf(one) === undefined);
}

/** The name under which a fact of this template, or a field of a claim, is chosen. */
export function choiceOf(test: Test): string | undefined {
  const condition = conditionOf(test);
  return condition === undefined ? undefined : choiceIn(condition);
}

function choiceIn(condition: Condition): string | undefined {
  if ("fact" in condition) return `fact:${bare(condition.fact)}`;
  if ("claim" in condition && condition.claim !== "outcome") return `claim:${condition.claim}`;
  return undefined;
}

/** Braces would be filled; what is chosen is chosen once for all units. */
function bare(template: string): string {
  return template.replaceAll(/[{}]/g, "");
}

interface Placed {
  readonly condition: Condition;
  /** The kind of unit it is about. */
  readonly kind: string;
}

function conditionsOf(protocol: Protocol): readonly Placed[] {
  const { root, kinds, work } = protocol;
  const placed = (kind: string, tests: readonly Test[] = []): readonly Placed[] =>
    tests.flatMap((test) => {
      const condition = conditionOf(test);
      return condition === undefined ? [] : [{ condition, kind }];
    });
  const ofRows = (kind: string, rows: readonly RuledNeed[] = []): readonly Placed[] =>
    rows
      .filter((row) => isKept(protocol, row))
      .flatMap((row) => placed(kind, whenOf(protocol, row)));
  return [
    ...Object.values(kinds).flatMap(({ starts = [] }) =>
      starts.flatMap(({ when }) => placed(root, when)),
    ),
    ...Object.entries(kinds).flatMap(([kind, { moves }]) =>
      moves.flatMap(({ when, needs }) => [...placed(kind, when), ...ofRows(kind, needs)]),
    ),
    ...Object.values(work).flatMap(({ unit, when, needs, accepts }) => {
      const kind = unit === "root" ? root : unit;
      return [...placed(kind, when), ...ofRows(kind, needs), ...ofRows(kind, accepts)];
    }),
  ];
}

function factsOf(conditions: readonly Placed[]): ReadonlyMap<string, readonly Json[]> {
  const lists = new Map<string, (readonly Json[])[]>();
  for (const { condition } of conditions) {
    const name = choiceIn(condition);
    if (name === undefined || !("in" in condition)) continue;
    lists.set(name, [...(lists.get(name) ?? []), condition.in]);
  }
  return new Map(
    [...lists].map(([name, some]) => [name, toldApart([...some.flat(), OTHER], some)]),
  );
}

/** Variables that some row looks at, with one value for each that the rows tell apart. */
function varsOf(
  protocol: Protocol,
  conditions: readonly Placed[],
  ids: readonly Json[],
): ReadonlyMap<string, readonly Json[]> {
  const lists = new Map<string, (readonly Json[])[]>();
  const add = (name: string, ...some: readonly (readonly Json[])[]): void => {
    lists.set(name, [...(lists.get(name) ?? []), ...some]);
  };
  for (const { condition } of conditions) {
    if ("var" in condition) add(condition.var, condition.in);
    if ("unitIs" in condition) add(condition.unitIs, ...ids.map((id) => [id]));
  }
  for (const row of guardRows(protocol).filter((one) => isDecided(protocol, one)))
    if (row.guard === "var") add(text(row.args?.["name"]), listOf(row.args?.["in"]));
  return new Map(
    [...lists].map(([name, some]) => [
      name,
      toldApart([protocol.vars[name] ?? null, ...some.flat(), OTHER], some),
    ]),
  );
}

/** The first value of each class: two values that stand in the same lists make no difference. */
function toldApart(values: readonly Json[], lists: readonly (readonly Json[])[]): readonly Json[] {
  const texts = lists.map((list) => list.map((value) => JSON.stringify(value)));
  const classes = new Map<string, Json>();
  for (const value of values) {
    const stands = texts.map((list) => list.includes(JSON.stringify(value))).join();
    if (!classes.has(stands)) classes.set(stands, value);
  }
  return [...classes.values()];
}

/**
 * One child for each combination of data that some row tells apart; where a row asks whether there are any,
 * also none of them, and each alone.
 */
function seedsOf(
  protocol: Protocol,
  kind: string,
  conditions: readonly Placed[],
): readonly (readonly JsonObject[])[] {
  const fields = new Map<string, readonly Json[]>();
  const add = (where: JsonObject): void => {
    for (const [name, value] of Object.entries(where))
      if (name !== "at")
        fields.set(name, distinct([...(fields.get(name) ?? []), ...listOf(value)]));
  };
  for (const { condition, kind: of } of conditions) {
    if ("unit" in condition && of === kind) add({ [condition.unit]: condition.in });
    if ("some" in condition && condition.some === kind) add(condition.where);
    if ("no" in condition && condition.no === kind) add(condition.where);
  }
  for (const { guard, args } of guardRows(protocol))
    if (guard === "units" && args?.["kind"] === kind) add(object(args["where"]));
  let data: readonly JsonObject[] = [{}];
  for (const [name, values] of fields)
    data = data.flatMap((one) => values.map((value) => ({ ...one, [name]: value })));
  const seeds = data
    .slice(0, SEEDS_MAX)
    .map((one, index) => ({ ...one, id: `${kind}-${index + 1}` }));
  const absent = conditions.some(
    ({ condition: one }) =>
      ("no" in one && one.no === kind) || ("some" in one && one.some === kind),
  );
  return [
    seeds,
    ...(absent ? [[]] : []),
    ...(absent && seeds.length > 1 ? seeds.map((seed) => [seed]) : []),
  ];
}

/** Every guard row of what follows the start, alternatives included. */
export function guardRows(protocol: Protocol): readonly Test[] {
  const { kinds, work, questions } = protocol;
  const rows = [
    ...Object.values(kinds).flatMap(({ moves, starts = [] }) => [
      ...moves.map((move) => move.needs),
      ...starts.map((row) => row.needs),
    ]),
    ...Object.values(work).flatMap(({ needs, accepts }) => [needs, accepts]),
    ...Object.values(questions).map((question) => question.needs),
  ].flatMap((some) => some ?? []);
  return rows.flatMap((row) => [row, ...(row.any ?? [])]);
}

/** Answers that some guard asks for: question and option. */
export function answersOf(protocol: Protocol): readonly string[] {
  return guardRows(protocol).flatMap((row) =>
    questionsOf(row).flatMap((question) =>
      releasing(protocol, question, row).map((option) => `${question} ${option}`),
    ),
  );
}

/** Every place that sets a variable. */
export function setsOf(protocol: Protocol): readonly (readonly [string, ValueRef])[] {
  const moves: readonly Move[] = Object.values(protocol.kinds).flatMap((kind) => kind.moves);
  return [
    ...moves.flatMap(({ set }) => Object.entries(set ?? {})),
    ...consequencesOf(protocol).flatMap((one) => ("set" in one ? Object.entries(one.set) : [])),
  ];
}

/** Every consequence of a table, those inside others included. */
export function consequencesOf({ questions, work }: Protocol): readonly Consequence[] {
  return [
    ...Object.values(questions).flatMap(({ options, within }) => [
      ...options.flatMap((option) => option.does),
      ...(within?.else ?? []),
    ]),
    ...Object.values(work).flatMap(({ sent, outcomes }) => [
      ...(sent ?? []),
      ...Object.values(outcomes).flat(),
    ]),
  ].flatMap(inner);
}

function inner(one: Consequence): readonly Consequence[] {
  return "within" in one ? [one, ...one.within.else.flatMap(inner)] : [one];
}

function distinct(values: readonly Json[]): readonly Json[] {
  const texts = values.map((value) => JSON.stringify(value));
  return values.filter((_, index) => texts.indexOf(texts[index] ?? "") === index);
}

function textsOf(value: Json | undefined): readonly string[] {
  return listOf(value).filter((one) => typeof one === "string");
}

function listOf(value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  return isJsonArray(value) ? value : [value];
}
