import { isJsonObject } from "../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../core/values/json.ts";
import type { Parsed, Problem } from "../../../files/problem.ts";
import { setMembers } from "../../../files/json/edit.ts";
import { type JsonText, lineOf, readJsonText, toJson } from "../../../files/json/source.ts";
import { applyEdits, lineAt } from "../../../files/text.ts";

/** Shared by the JSON files of a task: reading with positions, rules for fields, edits that keep the rest. */
export interface JsonFile extends Parsed<JsonObject> {
  readonly json: JsonText;
}

export function openJson(text: string, code: string, rule: string): JsonFile {
  const json = readJsonText(text);
  const fix = "Restore it with holdpoint reconcile, or from git; nothing is written over it.";
  const problems = json.problems.map(({ at, message }): Problem => ({
    code,
    line: lineAt(json.lines, at),
    message,
    fix,
    rule,
    severity: "error",
  }));
  const value = json.root === undefined ? undefined : toJson(json.root);
  if (isJsonObject(value)) return { json, value, problems };
  const message = text.trim() === "" ? "The file is empty" : "The file holds no JSON object";
  const line = text === "" ? 0 : 1;
  const none: Problem = { code, line, message, fix, rule, severity: "error" };
  return { json, value: undefined, problems: problems.length > 0 ? problems : [none] };
}

export type Path = readonly (string | number)[];

/**
 * A field by its dotted path, its condition, and the rule. One with `?` may be missing, but must not be wrong.
 */
export type FieldRule = readonly [
  field: string,
  is: (value: Json) => boolean,
  expected: string,
  rule: string,
];

export function checkFields(
  file: JsonFile,
  code: string,
  rules: readonly FieldRule[],
): readonly Problem[] {
  return rules.flatMap(([field, is, expected, rule]) => {
    const name = field.replace("?", "");
    const path = name.split(".");
    const value = valueAt(file.value, path);
    if (value === undefined ? field.endsWith("?") : is(value)) return [];
    const message =
      value === undefined ? `${name} is missing` : `${name} is ${short(value)}, not ${expected}`;
    const fix = `Set ${name} to ${expected}.`;
    return [fieldProblem(file, { code, path, message, fix, rule })];
  });
}

export interface FieldProblem {
  readonly code: string;
  readonly path: Path;
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
}

export function fieldProblem(file: JsonFile, { path, ...rest }: FieldProblem): Problem {
  return { ...rest, line: lineOf(file.json, path), severity: "error" };
}

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((here, step) => {
    if (typeof step === "number") return Array.isArray(here) ? here[step] : undefined;
    return isJsonObject(here) && Object.hasOwn(here, step) ? here[step] : undefined;
  }, value);
}

const SHOWN_CHARS = 60;

function short(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

export type RenderedJson =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "broken"; readonly message: string };

/** Sets the owned members and leaves every other character as it is. Without a text, creates a new file. */
export function renderOwned(text: string | null, owned: JsonObject): RenderedJson {
  if (text === null || text.trim() === "")
    return { kind: "text", text: `${JSON.stringify(owned, null, 2)}\n` };
  const json = readJsonText(text);
  if (json.root?.kind !== "object")
    return { kind: "broken", message: json.problems[0]?.message ?? "it holds no JSON object" };
  return { kind: "text", text: applyEdits(text, setMembers(json, owned)) };
}

/** Sentences about owned members whose value in the text differs from the journal's. */
export function driftOf(text: string | null, owned: JsonObject): readonly string[] {
  if (text === null) return ["the file is missing"];
  const { value } = openJson(text, "", "");
  if (value === undefined) return ["the file cannot be read"];
  return Object.entries(owned).flatMap(([key, wanted]) => {
    const found = value[key];
    return JSON.stringify(found) === JSON.stringify(wanted)
      ? []
      : [`${key} is ${short(found ?? null)}, the journal says ${short(wanted)}`];
  });
}

export function isText(value: Json): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** ISO 8601 in UTC with a Z, because local offsets cannot be compared as texts. */
export function isUtc(value: Json): boolean {
  return (
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

export function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

export function oneOf(...words: readonly string[]): (value: Json) => boolean {
  return (value) => typeof value === "string" && words.includes(value);
}
