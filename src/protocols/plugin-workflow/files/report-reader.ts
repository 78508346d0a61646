import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../../core/values/json.ts";
import type { Problem } from "../../../files/problem.ts";

/** Reads typed members from one JSON object and collects problems by path. */
export interface Reader {
  readonly problems: Problem[];
  text(keys: readonly string[], how: How): string | undefined;
  flag(keys: readonly string[], how: How): boolean | undefined;
  integer(keys: readonly string[], how: How): number | undefined;
  texts(keys: readonly string[], how: How): readonly string[];
  /** A reader for a member that must be an object. Its problems are added to this reader's. */
  object(key: string, rule: string): Reader;
  report(path: string, message: string, rule: string): void;
  unknownKeys(known: readonly string[]): void;
}

/** How to read a member. The first of `keys` that is present and not null counts; the others are its aliases. */
export interface How {
  readonly rule: string;
  readonly required?: boolean;
}

export function reader(path: string, object: JsonObject, problems: Problem[] = []): Reader {
  const at = (key: string): string => (path === "" ? key : `${path}.${key}`);
  const report = (where: string, message: string, rule: string): void => {
    problems.push(fieldProblem(where, message, rule));
  };
  const member = <T extends Json>(
    keys: readonly string[],
    how: How,
    is: Check<T>,
  ): T | undefined => {
    const key = keys.find((one) => Object.hasOwn(object, one) && object[one] !== null);
    if (key === undefined) {
      if (how.required === true)
        report(at(keys[0] ?? ""), `is missing; it must be ${is.wanted}`, how.rule);
      return undefined;
    }
    const value = object[key];
    if (value !== undefined && is.test(value)) return value;
    report(at(key), `is ${kindOf(value)}; it must be ${is.wanted}`, how.rule);
    return undefined;
  };
  return {
    problems,
    report: (where, message, rule) =>
      report(path === "" || where.startsWith(path) ? where : at(where), message, rule),
    text: (keys, how) => member(keys, how, TEXT),
    flag: (keys, how) => member(keys, how, FLAG),
    integer: (keys, how) => member(keys, how, INTEGER),
    texts: (keys, how) => member(keys, how, TEXTS) ?? [],
    object: (key, rule) =>
      reader(at(key), member([key], { rule, required: true }, OBJECT) ?? {}, problems),
    unknownKeys: (known) => {
      const unknown = Object.keys(object).filter((key) => !known.includes(key));
      problems.push(...unknown.slice(0, UNKNOWN_MAX).map((key) => unknownKey(at(key))));
    },
  };
}

const UNKNOWN_MAX = 50;

interface Check<T extends Json> {
  readonly wanted: string;
  readonly test: (value: Json) => value is T;
}

const TEXT: Check<string> = { wanted: "a text", test: (value) => typeof value === "string" };
const FLAG: Check<boolean> = {
  wanted: "true or false",
  test: (value) => typeof value === "boolean",
};
const INTEGER: Check<number> = {
  wanted: "a whole number",
  test: (value): value is number => typeof value === "number" && Number.isSafeInteger(value),
};
const TEXTS: Check<readonly string[]> = {
  wanted: "a list of texts",
  test: (value): value is readonly string[] =>
    isJsonArray(value) && value.every((one) => typeof one === "string"),
};
const OBJECT: Check<JsonObject> = {
  wanted: "an object",
  test: (value): value is JsonObject => isJsonObject(value),
};

function kindOf(value: Json | undefined): string {
  if (isJsonArray(value)) return "a list";
  if (typeof value === "string") return `the text ${JSON.stringify(value.slice(0, 40))}`;
  return isJsonObject(value) ? "an object" : String(value);
}

function fieldProblem(path: string, message: string, rule: string): Problem {
  const fix = `Correct \`${path}\` and send the whole report again`;
  return {
    code: "report-field",
    line: 0,
    message: `\`${path}\` ${message}`,
    fix,
    rule,
    severity: "error",
  };
}

function unknownKey(path: string): Problem {
  const name = path.slice(0, 80);
  const message = `\`${name}\` is not part of a report; it is kept but not used`;
  const fix = `Leave \`${name}\` out, or put it under \`outputs\``;
  return { code: "report-unknown-key", line: 0, message, fix, rule: "PW-074", severity: "warning" };
}
