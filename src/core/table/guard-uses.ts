import { BLANK } from "../decide/draft.ts";
import { argKinds } from "../guards/guard-args.ts";
import { isJsonArray, isJsonObject, toJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { ArgKind, RuledNeed, Protocol, Test } from "./protocol.ts";

/** A place in the table that uses a name, to check that the protocol has that name. */
export interface Use {
  readonly where: string;
  readonly what:
    | "guard"
    | "question"
    | "kind"
    | "state"
    | "move"
    | "work"
    | "variable"
    | "fact"
    | "effect"
    | "blank"
    | "option"
    | "says";
  readonly name: string;
  /** The kind or question that the state, move or option belongs to. Without it, any. */
  readonly of?: string;
  /** The guard's row, to check its arguments. */
  readonly test?: Test;
  /** The question is asked here, not only mentioned. */
  readonly asks?: true;
}

export function guardUses(
  protocol: Protocol,
  where: string,
  rows: readonly RuledNeed[] = [],
): readonly Use[] {
  return rows.flatMap((row) => [
    ...testUses(protocol, where, [row]),
    ...(isTold(row) ? blanks(where, ...textsIn(toJson(row.fix))) : [use(where, "says", row.guard)]),
    ...(row.ask === undefined ? [] : [asked(where, row.ask)]),
    ...testUses(protocol, where, row.when),
  ]);
}

/** A row written without types may lack its code or fix. */
function isTold(row: Partial<RuledNeed>): boolean {
  return typeof row.code === "string" && ["string", "object"].includes(typeof row.fix);
}

export function testUses(
  protocol: Protocol,
  where: string,
  tests: readonly Test[] = [],
): readonly Use[] {
  return tests.flatMap((test) =>
    test.any === undefined
      ? [{ ...use(where, "guard", test.guard), test }, ...argUses(protocol, where, test)]
      : testUses(protocol, where, test.any),
  );
}

function argUses(protocol: Protocol, where: string, test: Test): readonly Use[] {
  const { args = {}, guard } = test;
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

export function blanks(where: string, ...texts: readonly string[]): readonly Use[] {
  return texts.flatMap((text) =>
    [...text.matchAll(BLANK)].map(([, name = "", part]) =>
      use(where, "blank", part === undefined ? name : `${name}.${part}`),
    ),
  );
}

export function textsIn(value: Json | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (isJsonArray(value)) return value.flatMap(textsIn);
  return isJsonObject(value) ? Object.values(value).flatMap(textsIn) : [];
}

export function use(where: string, what: Use["what"], name: string, of?: string): Use {
  return { where, what, name, ...(of === undefined ? {} : { of }) };
}

export function asked(where: string, name: string): Use {
  return { where, what: "question", name, asks: true };
}
