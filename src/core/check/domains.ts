import { isJsonArray } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { object, text } from "../values/json-read.ts";
import type { Consequence, RuledNeed, Move, Protocol, Test, ValueRef } from "../table/protocol.ts";
import { conditionOf } from "./condition.ts";
import type { Condition } from "./condition.ts";

/** Library guards that read only the workflow itself, so exploring can decide them exactly. */
const DECIDED: readonly string[] = ["units", "var", "quiet"];

/** How many variants of one kind of child are tried. */
const SEEDS_MAX = 6;

/** Stands for every value that no condition names. */
export const OTHER = "~other";

/** The values that make a difference to some row: of variables, facts and children. */
export interface Domains {
  readonly vars: ReadonlyMap<string, readonly Json[]>;
  readonly facts: ReadonlyMap<string, readonly Json[]>;
  /** Report fields that name the unit the work was about, with the value they have when it was about the root. */
  readonly names: ReadonlyMap<string, Json>;
  /** By kind: the lists of children that the sowing fact may return. */
  readonly seeds: ReadonlyMap<string, readonly (readonly JsonObject[])[]>;
}

/** The questions that a guard's arguments name. The guard passes once one of them is answered. */
export function questionsOf({ args }: Test): readonly string[] {
  return [...textsOf(args?.["question"]), ...textsOf(args?.["questions"])];
}

/** The options that satisfy such a guard: those it names, or the first one, which an advance grant chooses too. */
export function releasing({ questions }: Protocol, question: string, row: Test): readonly string[] {
  const named = textsOf(row.args?.["options"]);
  return named.length > 0
    ? named
    : (questions[question]?.options ?? []).slice(0, 1).map(({ id }) => id);
}

/**
 * A guard that can only refuse is taken to pass: a refused step either happens later or never, and neither is a
 * new way.
 */
export function isKept(protocol: Protocol, row: RuledNeed): boolean {
  return row.soft !== true && (row.ask !== undefined || isDecided(protocol, row));
}

/** True if the guard's answer follows from the workflow alone. Any other guard may pass or fail. */
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

/** Where a variable that names a unit is set from a report field, that field names the reporting unit. */
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

/** When a row applies. A guard that may pass or fail anyway needs no choice for its condition. */
export function whenOf(protocol: Protocol, row: RuledNeed): readonly Test[] {
  const when = row.when ?? [];
  return isDecided(protocol, row)
    ? when
    : when.filter((one) => choiceOf(one) === undefined && !isOpen(protocol, one));
}

/** True if the condition depends on facts outside the workflow, so exploring tries both answers. */
export function isOpen(protocol: Protocol, test: Test): boolean {
  if (test.any !== undefined) return test.any.some((one) => isOpen(protocol, one));
  if (isDecided(protocol, test) || conditionOf(test) !== undefined) return false;
  return test.guard !== "is" || !/^\{unit\b/.test(text(test.args?.["text"]));
}

/** The name of the free choice that stands for this condition's fact or report field. */
export function choiceOf(test: Test): string | undefined {
  const condition = conditionOf(test);
  return condition === undefined ? undefined : choiceIn(condition);
}

function choiceIn(condition: Condition): string | undefined {
  if ("fact" in condition) return `fact:${bare(condition.fact)}`;
  if ("claim" in condition && condition.claim !== "outcome") return `claim:${condition.claim}`;
  return undefined;
}

/** Drops the braces, which would be filled in per unit: one choice serves all units. */
function bare(template: string): string {
  return template.replaceAll(/[{}]/g, "");
}

interface Placed {
  readonly condition: Condition;
  /** The kind of unit the condition is about. */
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

/** Variables that some row reads, with one value for each class the rows distinguish. */
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

/** Keeps the first value of each class: values that appear in the same lists make no difference to any row. */
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
 * One child for each combination of data that some row distinguishes. If a row asks whether such children exist,
 * also no children at all, and each child alone.
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

/** Every guard after the start, including the alternatives inside `any`. */
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

/** Answers that some guard asks for, as "question option". */
export function answersOf(protocol: Protocol): readonly string[] {
  return guardRows(protocol).flatMap((row) =>
    questionsOf(row).flatMap((question) =>
      releasing(protocol, question, row).map((option) => `${question} ${option}`),
    ),
  );
}

/** Every assignment to a variable. */
export function setsOf(protocol: Protocol): readonly (readonly [string, ValueRef])[] {
  const moves: readonly Move[] = Object.values(protocol.kinds).flatMap((kind) => kind.moves);
  return [
    ...moves.flatMap(({ set }) => Object.entries(set ?? {})),
    ...consequencesOf(protocol).flatMap((one) => ("set" in one ? Object.entries(one.set) : [])),
  ];
}

/** Every consequence in a table, including nested ones. */
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
