import type { Need, Says, Test } from "../table/row.ts";
import type { Json, JsonObject } from "../values/json.ts";

/**
 * Constructors of guards for the rows of a protocol. Each returns plain data, so that a table can be printed,
 * compared and written as YAML. With a message for failure a guard stands under `needs`; without one it is a
 * condition under `when`.
 */

/** Every named file exists. */
export function exists(paths: readonly string[]): Test<never>;
export function exists<const Q extends string = never>(
  paths: readonly string[],
  says: Says<Q>,
): Need<Q>;
export function exists(paths: readonly string[], says?: Says): Test {
  return row("exists", { paths }, says);
}

/** Every named file differs from the last commit. */
export function changed(paths: readonly string[]): Test<never>;
export function changed<const Q extends string = never>(
  paths: readonly string[],
  says: Says<Q>,
): Need<Q>;
export function changed(paths: readonly string[], says?: Says): Test {
  return row("changed", { paths }, says);
}

/** No sealed file has changed or gone. Files named here must have been sealed. */
export function sealed(paths: readonly string[]): Test<never>;
export function sealed<const Q extends string = never>(
  paths: readonly string[],
  says: Says<Q>,
): Need<Q>;
export function sealed(paths: readonly string[], says?: Says): Test {
  return row("sealed", paths.length === 0 ? {} : { paths }, says);
}

/** A fact has one of these values. */
export function fact(key: string, values: readonly Json[]): Test<never>;
export function fact<const Q extends string = never>(
  key: string,
  values: readonly Json[],
  says: Says<Q>,
): Need<Q>;
export function fact(key: string, values: readonly Json[], says?: Says): Test {
  return row("fact", { fact: key, in: values }, says);
}

/** A variable has one of these values. */
export function variable(name: string, values: readonly Json[]): Test<never>;
export function variable<const Q extends string = never>(
  name: string,
  values: readonly Json[],
  says: Says<Q>,
): Need<Q>;
export function variable(name: string, values: readonly Json[], says?: Says): Test {
  return row("var", { name, in: values }, says);
}

/** A field of the report has one of these values. */
export function claim(field: string, values: readonly Json[]): Test<never>;
export function claim<const Q extends string = never>(
  field: string,
  values: readonly Json[],
  says: Says<Q>,
): Need<Q>;
export function claim(field: string, values: readonly Json[], says?: Says): Test {
  return row("claim", { field, in: values }, says);
}

/** The command carries this input, with one of the values if any are given. */
export function input(name: string, values?: readonly string[]): Test<never>;
export function input<const Q extends string = never>(
  name: string,
  values: readonly string[] | undefined,
  says: Says<Q>,
): Need<Q>;
export function input(name: string, values?: readonly string[], says?: Says): Test {
  return row(
    "is",
    { text: `{input.${name}}`, ...(values === undefined ? {} : { in: values }) },
    says,
  );
}

/** A filled template is one of these texts: `is("{unit.stage}", ["3"])`. */
export function is(text: string, values: readonly string[]): Test<never>;
export function is<const Q extends string = never>(
  text: string,
  values: readonly string[],
  says: Says<Q>,
): Need<Q>;
export function is(text: string, values: readonly string[], says?: Says): Test {
  return row("is", { text, in: values }, says);
}

/** All units of a kind are in one of the given states. With `some`, at least one must exist. */
export function units(kind: string, args: Units): Test<never>;
export function units<const Q extends string = never>(
  kind: string,
  args: Units,
  says: Says<Q>,
): Need<Q>;
export function units(kind: string, args: Units, says?: Says): Test {
  return row("units", { kind, ...args }, says);
}

/** The engine ran this check on exactly these facts, and it passed. */
export function passed(check: string, binds: readonly string[]): Test<never>;
export function passed<const Q extends string = never>(
  check: string,
  binds: readonly string[],
  says: Says<Q>,
): Need<Q>;
export function passed(check: string, binds: readonly string[], says?: Says): Test {
  return row("passed", { check, binds }, says);
}

/** Something changed in these paths since the work was sent out. */
export function worked(paths: readonly string[]): Test<never>;
export function worked<const Q extends string = never>(
  paths: readonly string[],
  says: Says<Q>,
): Need<Q>;
export function worked(paths: readonly string[], says?: Says): Test {
  return row("worked", { paths }, says);
}

/** Nothing changed outside these paths since the work was sent out. Without paths, nothing changed at all. */
export function kept(paths: readonly string[]): Test<never>;
export function kept<const Q extends string = never>(
  paths: readonly string[],
  says: Says<Q>,
): Need<Q>;
export function kept(paths: readonly string[], says?: Says): Test {
  return row("kept", { paths }, says);
}

/** Nobody but Holdpoint has committed since the work was sent out. */
export function uncommitted(): Test<never>;
export function uncommitted<const Q extends string = never>(says: Says<Q>): Need<Q>;
export function uncommitted(says?: Says): Test {
  return row("uncommitted", {}, says);
}

/** So many different people have decided, about what is there now. */
export function distinctPeople(count: number): Test<never>;
export function distinctPeople<const Q extends string = never>(
  count: number,
  says: Says<Q>,
): Need<Q>;
export function distinctPeople(count: number, says?: Says): Test {
  return row("people", { count }, says);
}

/** A guard of the protocol's own, by name. */
export function own(guard: string, args: JsonObject): Test<never>;
export function own<const Q extends string = never>(
  guard: string,
  args: JsonObject,
  says: Says<Q>,
): Need<Q>;
export function own(guard: string, args: JsonObject, says?: Says): Test {
  return row(guard, args, says);
}

/** A question was answered for this unit with one of the options, and what it was about has not changed. */
export function released<const Q extends string>(question: Q, options: readonly string[]): Test<Q>;
export function released<const Q extends string, const A extends string = never>(
  question: Q,
  options: readonly string[],
  says: Says<A>,
): Need<Q | A>;
export function released(question: string, options: readonly string[], says?: Says): Test {
  return row("released", { question, options }, says);
}

/** No question is open. */
export function quiet(): Test<never>;
export function quiet<const Q extends string = never>(says: Says<Q>): Need<Q>;
export function quiet(says?: Says): Test {
  return row("quiet", {}, says);
}

/** At least one of several guards passes. */
export function anyOf<const Q extends string>(any: readonly Test<Q>[]): Test<Q>;
export function anyOf<const Q extends string, const A extends string = never>(
  any: readonly Test<Q>[],
  says: Says<A>,
): Need<Q | A>;
export function anyOf(any: readonly Test[], says?: Says): Test {
  return { ...row("any", {}, says), any };
}

export interface Units {
  /** An empty list means that there must be no such unit. */
  readonly in?: readonly string[];
  readonly some?: boolean;
  readonly where?: JsonObject;
}

export interface FindingOn {
  /** Look at the root's findings instead of this unit's. */
  readonly on?: "root";
  /** Only count findings since the root last entered this state. */
  readonly since?: string;
}

export interface FindingGuards {
  readonly passed: <const Q extends string = never>(says: Says<Q>) => Need<Q>;
  readonly is: <const Q extends string = never>(values: readonly Json[], says: Says<Q>) => Need<Q>;
}

/** A finding of this kind that is still fresh: `finding("tests").passed({ code, fix })`. */
export function finding(kind: string, on: FindingOn = {}): FindingGuards {
  const args = (values: readonly Json[]): JsonObject => ({ kind, in: values, ...on });
  return {
    passed: (says) => ({ guard: "finding", args: args(["passed"]), ...says }),
    is: (values, says) => ({ guard: "finding", args: args(values), ...says }),
  };
}

function row(guard: string, args: JsonObject, says: Says | undefined): Test {
  return { guard, args, ...says };
}
