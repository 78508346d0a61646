import type { Json } from "../../../core/values/json.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";
import { lineAt } from "../../../files/text.ts";
import { type JsonText, lineOf, readJsonText, toJson } from "../../../files/json/source.ts";
import { type Schema, checkSchema } from "../../../files/json/schema.ts";

/** The first checks for every JSON file of a session: syntax, duplicate keys, schema. */
export interface CheckedJson extends Parsed<Json> {
  readonly json: JsonText;
}

export interface JsonCodes {
  readonly unreadable: string;
  readonly field: string;
  readonly rule: string;
  readonly fix: string;
}

export function checkJson(text: string, schema: Schema, codes: JsonCodes): CheckedJson {
  const json = readJsonText(text);
  const syntax = json.problems.map(({ at, message, kind }) =>
    problem({
      code: kind === "duplicate" ? codes.field : codes.unreadable,
      line: lineAt(json.lines, at),
      message,
      fix: kind === "duplicate" ? "Keep one of the two." : codes.fix,
      rule: codes.rule,
    }),
  );
  if (json.root === undefined) return { json, value: undefined, problems: syntax };
  const value = toJson(json.root);
  const fields = checkSchema(schema, value).map(({ path, message, fix, rule }) =>
    problem({ code: codes.field, line: lineOf(json, path), message, fix, rule }),
  );
  return { json, value, problems: [...syntax, ...fields] };
}

export function problem(row: Omit<Problem, "severity">): Problem {
  return { ...row, severity: "error" };
}

export function warning(row: Omit<Problem, "severity">): Problem {
  return { ...row, severity: "warning" };
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((one) => one.severity === "error");
}
