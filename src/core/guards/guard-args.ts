import { isJsonArray, isJsonObject } from "../values/json.ts";
import type { Json } from "../values/json.ts";
import { LIBRARY } from "./library.ts";
import type { Protocol, Test } from "../table/protocol.ts";

/** The arguments a guard takes; undefined if a family's guard does not declare them. */
export function argKinds(
  { guards }: Protocol,
  guard: string,
): Readonly<Record<string, string>> | undefined {
  const own = guards[guard];
  if (own !== undefined) return typeof own === "object" ? own.args : undefined;
  return LIBRARY[guard]?.args;
}

/** Mistakes in a guard's arguments: unknown, missing, or of the wrong kind. */
export function argMistakes(protocol: Protocol, where: string, row: Test): readonly string[] {
  const takes = argKinds(protocol, row.guard);
  if (takes === undefined) return [];
  const { args = {}, guard } = row;
  const given = Object.entries(args).flatMap(([name, value]) => {
    const kind = Object.hasOwn(takes, name) ? takes[name] : undefined;
    if (kind === undefined)
      return [`${where}: guard "${guard}" takes no "${name}"; it takes ${listed(takes)}`];
    return fits(kind.replace("?", ""), value)
      ? []
      : [`${where}: "${name}" of guard "${guard}" must be ${TOLD[kind.replace("?", "")]}`];
  });
  const missing = Object.entries(takes)
    .filter(([name, kind]) => !kind.endsWith("?") && !Object.hasOwn(args, name))
    .map(([name]) => `${where}: guard "${guard}" lacks "${name}"`);
  return [...given, ...missing];
}

function listed(takes: Readonly<Record<string, string>>): string {
  return Object.keys(takes).join(", ") || "nothing";
}

const TOLD: Readonly<Record<string, string>> = {
  texts: "a list of texts",
  facts: "a list of texts",
  states: "a list of texts",
  questions: "a list of texts",
  values: "a list",
  number: "a number",
  flag: "true or false",
  object: "an object",
  root: '"root"',
  text: "a text",
  fact: "a text",
  variable: "a text",
  kind: "a text",
  state: "a text",
  question: "a text",
};

function fits(kind: string, value: Json): boolean {
  const told = TOLD[kind];
  if (told === "a list of texts")
    return isJsonArray(value) && value.every((one) => typeof one === "string");
  if (told === "a list") return isJsonArray(value);
  if (told === "a number") return typeof value === "number";
  if (told === "true or false") return typeof value === "boolean";
  if (told === "an object") return isJsonObject(value);
  return told === '"root"' ? value === "root" : typeof value === "string";
}
