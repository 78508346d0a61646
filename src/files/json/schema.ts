import { canonicalJson, isJsonArray, isJsonObject } from "../../core/values/json.ts";
import type { Json, JsonObject } from "../../core/values/json.ts";
import { objects, texts } from "../../core/values/json-read.ts";

/**
 * A checker for the part of JSON Schema (2020-12) that our published schemas use, so that an editor and the
 * engine use the very same schema. Two keywords are our own: `x-rule` names the requirement behind a node,
 * `x-fix` the remedy. Every violation is collected.
 */
export interface Violation {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly fix: string;
  readonly rule: string;
  readonly keyword: string;
}

export type Schema = JsonObject;

const VIOLATIONS_MAX = 200;

export function checkSchema(schema: Schema, value: Json): readonly Violation[] {
  const found: Violation[] = [];
  const context: Context = { root: schema, found, rule: "core", fix: "" };
  check(context, schema, value, []);
  if (found.length < VIOLATIONS_MAX) return found;
  const message = `More than ${VIOLATIONS_MAX} things are wrong; these are the first`;
  const fix = "Mend these, and look again.";
  const [{ rule } = { rule: "core" }] = found;
  return [...found.slice(0, VIOLATIONS_MAX), { path: [], message, fix, rule, keyword: "max" }];
}

/** `$.user_decisions[0].answer` */
export function showPath(path: readonly (string | number)[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${step}`),
    "$",
  );
}

interface Context {
  readonly root: Schema;
  readonly found: Violation[];
  readonly rule: string;
  readonly fix: string;
}

type Path = readonly (string | number)[];

function check(above: Context, schema: Schema, value: Json, path: Path): void {
  const context = inner(above, schema);
  if (context.found.length >= VIOLATIONS_MAX) return;
  const target = schema["$ref"];
  if (typeof target === "string") check(context, resolve(context.root, target), value, path);
  for (const part of objects(schema["allOf"])) check(context, part, value, path);
  checkAnyOf(context, schema, value, path);
  checkCondition(context, schema, value, path);
  const { not } = schema;
  if (isJsonObject(not) && holds(context, not, value)) say(context, path, "not", "is not allowed");
  if (!checkType(context, schema["type"], value, path)) return;
  checkValues(context, schema, value, path);
  if (typeof value === "string") checkText(context, schema, value, path);
  if (typeof value === "number") checkNumber(context, schema, value, path);
  if (isJsonArray(value)) checkArray(context, schema, value, path);
  if (isJsonObject(value)) checkObject(context, schema, value, path);
}

/** A rule applies to everything below its node, a remedy only to its own node. */
function inner({ root, found, rule: above }: Context, schema: Schema): Context {
  const rule = schema["x-rule"];
  const fix = schema["x-fix"];
  return {
    root,
    found,
    rule: typeof rule === "string" ? rule : above,
    fix: typeof fix === "string" ? fix : "",
  };
}

function say(context: Context, path: Path, keyword: string, message: string): void {
  const { rule, fix, found } = context;
  const remedy = fix === "" ? (REMEDIES[keyword]?.(path) ?? `Correct ${showPath(path)}.`) : fix;
  found.push({ path, message: `${showPath(path)} ${message}`, fix: remedy, rule, keyword });
}

/** The default remedy for each keyword, for nodes without an `x-fix`. */
const REMEDIES: Readonly<Record<string, (path: Path) => string>> = {
  required: (path) => `Add ${String(path.at(-1) ?? "it")}.`,
  type: (path) => `Write ${showPath(path)} with the type that is expected.`,
  enum: (path) => `Use one of these values for ${showPath(path)}.`,
  additionalProperties: (path) => `Take ${showPath(path)} out, or correct its name.`,
  false: (path) => `Take ${showPath(path)} out.`,
  minItems: (path) => `Add an entry to ${showPath(path)}.`,
};

/** Whether the type is right. If not, the other keywords are skipped, so that one mistake is reported once. */
function checkType(context: Context, types: Json | undefined, value: Json, path: Path): boolean {
  const wanted = typeof types === "string" ? [types] : texts(types);
  if (wanted.length === 0 || wanted.some((type) => hasType(type, value))) return true;
  say(context, path, "type", `is ${typeOf(value)}, expected ${wanted.join(" or ")}`);
  return false;
}

function hasType(type: string, value: Json): boolean {
  return type === typeOf(value) || (type === "integer" && Number.isInteger(value));
}

function typeOf(value: Json): string {
  return value === null ? "null" : isJsonArray(value) ? "array" : typeof value;
}

function checkValues(context: Context, schema: Schema, value: Json, path: Path): void {
  const { enum: values, const: only } = schema;
  if (only !== undefined && !isSame(only, value))
    say(context, path, "const", `is ${show(value)}, expected ${show(only)}`);
  if (!isJsonArray(values)) return;
  if (values.some((one) => isSame(one, value))) return;
  say(context, path, "enum", `is ${show(value)}, expected one of ${values.map(show).join(", ")}`);
}

function isSame(one: Json, other: Json): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  return canonicalJson(one) === canonicalJson(other);
}

function show(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function checkText(context: Context, schema: Schema, value: string, path: Path): void {
  const { minLength: min, maxLength: max, pattern } = schema;
  if (typeof min === "number" && value.length < min) say(context, path, "minLength", "is empty");
  if (typeof max === "number" && value.length > max)
    say(context, path, "maxLength", `is longer than ${max} characters`);
  if (typeof pattern === "string" && !expression(pattern).test(value))
    say(
      context,
      path,
      "pattern",
      pattern === "\\S" ? "is empty" : `is ${show(value)}, which does not match ${pattern}`,
    );
}

const expressions = new Map<string, RegExp>();

/** Cached, because compiling a pattern for every value took most of the time for a plan of 5,000 tasks. */
function expression(pattern: string): RegExp {
  const known = expressions.get(pattern) ?? new RegExp(pattern, "u");
  expressions.set(pattern, known);
  return known;
}

function checkNumber(context: Context, schema: Schema, value: number, path: Path): void {
  const { minimum, maximum } = schema;
  if (typeof minimum === "number" && value < minimum)
    say(context, path, "minimum", `is ${value}, less than ${minimum}`);
  if (typeof maximum === "number" && value > maximum)
    say(context, path, "maximum", `is ${value}, more than ${maximum}`);
}

function checkArray(context: Context, schema: Schema, value: readonly Json[], path: Path): void {
  const { minItems, maxItems, items } = schema;
  if (typeof minItems === "number" && value.length < minItems)
    say(context, path, "minItems", `has ${value.length} entries, at least ${minItems} are needed`);
  if (typeof maxItems === "number" && value.length > maxItems)
    say(context, path, "maxItems", `has ${value.length} entries, at most ${maxItems} are allowed`);
  if (!isJsonObject(items)) return;
  value.forEach((item, index) => check(context, items, item, [...path, index]));
}

function checkObject(context: Context, schema: Schema, value: JsonObject, path: Path): void {
  const { properties, additionalProperties: more, propertyNames: names } = schema;
  for (const key of texts(schema["required"])) {
    if (!Object.hasOwn(value, key)) say(context, [...path, key], "required", "is missing");
  }
  const known = isJsonObject(properties) ? properties : {};
  for (const [key, member] of Object.entries(value)) {
    const here = [...path, key];
    const own = Object.hasOwn(known, key) ? known[key] : undefined;
    if (isJsonObject(own)) check(context, own, member, here);
    else if (own === false) say(context, here, "false", "is not allowed");
    else if (more === false) say(context, here, "additionalProperties", "is not a known key");
    else if (isJsonObject(more)) check(context, more, member, here);
    if (isJsonObject(names)) check(context, names, key, here);
  }
}

function checkAnyOf(context: Context, schema: Schema, value: Json, path: Path): void {
  const parts = objects(schema["anyOf"]);
  if (parts.length === 0 || parts.some((part) => holds(context, part, value))) return;
  const { description } = schema;
  const what = typeof description === "string" ? description : "none of the allowed forms";
  say(context, path, "anyOf", `is ${show(value)}: ${what}`);
}

function checkCondition(context: Context, schema: Schema, value: Json, path: Path): void {
  const { if: when, then, else: otherwise } = schema;
  if (!isJsonObject(when)) return;
  const branch = holds(context, when, value) ? then : otherwise;
  if (isJsonObject(branch)) check(context, branch, value, path);
}

function holds(context: Context, schema: Schema, value: Json): boolean {
  const found: Violation[] = [];
  check({ ...context, found }, schema, value, []);
  return found.length === 0;
}

function resolve(root: Schema, target: string): Schema {
  const found = target
    .replace(/^#\//, "")
    .split("/")
    .reduce<Json | undefined>((node, key) => (isJsonObject(node) ? node[key] : undefined), root);
  if (!isJsonObject(found)) throw new Error(`Cannot resolve "${target}" in the schema`);
  return found;
}
