import { nearest } from "../values/nearest.ts";
import { TEST_ROW } from "./shapes.ts";
import type { Fields, Keyed, Shape } from "./shape.ts";

/** The value at a position of a protocol, whatever format it is written in. */
export type Part<Node> =
  | { readonly is: "list"; readonly items: readonly Node[] }
  | { readonly is: "map"; readonly entries: readonly Entry<Node>[] }
  | { readonly is: "value"; readonly value: unknown };

export interface Entry<Node> {
  readonly name: string;
  /** The position of the name itself. */
  readonly key: Node;
  readonly value: Node;
}

/** Access to one written protocol. What cannot be used becomes a problem, and reading continues. */
export interface Reader<Node> {
  readonly look: (node: Node) => Part<Node>;
  readonly wrong: (node: Node, message: string, fix: string) => undefined;
  /** Reads a guard in a format with a notation of its own, such as `exists: [a]`. */
  readonly guard?: (node: Node, says: boolean) => unknown;
}

/** The value at a position, as a copy of plain data; undefined if it cannot be used. */
export function readShape<Node>(reader: Reader<Node>, node: Node, shape: Shape): unknown {
  switch (shape.is) {
    case "any":
      return undefined;
    case "text":
      return readText(reader, node);
    case "number":
    case "flag":
      return readScalar(reader, node, shape.is);
    case "code":
      return readCode(reader, node);
    case "one of":
      return readChoice(reader, node, shape);
    case "list":
      return readList(reader, node, shape.of);
    case "named":
      return readNamed(reader, node, shape.of);
    case "fields":
      return readFields(reader, node, shape);
    case "keyed":
      return readKeyed(reader, node, shape);
    case "either":
      return readShape(reader, node, chosen(reader.look(node), shape));
    case "json":
      return readJson(reader, node);
    case "object":
      return readNamed(reader, node, { is: "json" });
    case "guard":
    case "need":
      return reader.guard === undefined
        ? readFields(reader, node, TEST_ROW)
        : reader.guard(node, shape.is === "need");
  }
}

function chosen<Node>(part: Part<Node>, shape: Extract<Shape, { is: "either" }>): Shape {
  if (part.is !== "value") return shape[part.is] ?? shape.else;
  return (typeof part.value === "number" ? shape.number : undefined) ?? shape.else;
}

function readText<Node>(reader: Reader<Node>, node: Node): string | undefined {
  const part = reader.look(node);
  const value = part.is === "value" ? part.value : undefined;
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean")
    return reader.wrong(
      node,
      `${String(value)} is no text`,
      `Put it in quotes: "${String(value)}".`,
    );
  return reader.wrong(node, `expected a text, found ${whatIs(part)}`, "Write a text.");
}

/** Numbers in a protocol are counts, so they start at 1. */
function readScalar<Node>(reader: Reader<Node>, node: Node, kind: "number" | "flag"): unknown {
  const part = reader.look(node);
  const value = part.is === "value" ? part.value : undefined;
  const fits = kind === "flag" ? typeof value === "boolean" : isCount(value);
  const wanted = kind === "flag" ? "true or false" : "a whole number from 1 on";
  return fits
    ? value
    : reader.wrong(node, `expected ${wanted}, found ${whatIs(part)}`, `Write ${wanted}.`);
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1;
}

function readCode<Node>(reader: Reader<Node>, node: Node): unknown {
  const part = reader.look(node);
  if (part.is === "value" && typeof part.value === "function") return part.value;
  return reader.wrong(node, `expected a function, found ${whatIs(part)}`, "Write a function.");
}

function readChoice<Node>(
  reader: Reader<Node>,
  node: Node,
  { values, prefix }: Extract<Shape, { is: "one of" }>,
): string | undefined {
  const text = readText(reader, node);
  if (text === undefined || values.includes(text)) return text;
  if (prefix !== undefined && text.startsWith(prefix)) return text;
  const all = [...values, ...(prefix === undefined ? [] : [`${prefix}...`])];
  return reader.wrong(
    node,
    `${JSON.stringify(text)} is not possible here`,
    `Write one of ${all.join(", ")}.`,
  );
}

function readList<Node>(
  reader: Reader<Node>,
  node: Node,
  of: Shape,
): readonly unknown[] | undefined {
  const part = reader.look(node);
  if (part.is !== "list")
    return reader.wrong(node, `expected a list, found ${whatIs(part)}`, "Write a list: [a, b].");
  return part.items
    .map((item) => readShape(reader, item, of))
    .filter((value) => value !== undefined);
}

function readNamed<Node>(reader: Reader<Node>, node: Node, of: Shape): unknown {
  const part = reader.look(node);
  if (part.is !== "map")
    return reader.wrong(
      node,
      `expected names with values, found ${whatIs(part)}`,
      "Write name: value.",
    );
  return read(part.entries, ({ value }) => readShape(reader, value, of));
}

/** Any plain data that a journal can store. */
function readJson<Node>(reader: Reader<Node>, node: Node): unknown {
  const part = reader.look(node);
  if (part.is === "list") return part.items.map((item) => readJson(reader, item) ?? null);
  if (part.is === "map") return read(part.entries, ({ value }) => readJson(reader, value));
  const { value } = part;
  if (value === null || ["string", "boolean"].includes(typeof value)) return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  return reader.wrong(node, `${whatIs(part)} is no data`, "Write what JSON can say.");
}

function read<Node>(
  entries: readonly Entry<Node>[],
  one: (entry: Entry<Node>) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const value = one(entry);
      return value === undefined ? [] : [[entry.name, value] as const];
    }),
  );
}

export function readFields<Node>(
  reader: Reader<Node>,
  node: Node,
  { what, required, optional }: Fields,
): Readonly<Record<string, unknown>> | undefined {
  const part = reader.look(node);
  if (part.is !== "map")
    return reader.wrong(
      node,
      `expected ${what}, found ${whatIs(part)}`,
      `Write its fields: ${Object.keys(required).join(", ")}.`,
    );
  for (const name of Object.keys(required))
    if (!part.entries.some((entry) => entry.name === name))
      reader.wrong(node, `${what} lacks "${name}"`, `Add ${name}.`);
  const shapes = { ...required, ...optional };
  return read(part.entries, ({ name, key, value }) => {
    const of = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    return of === undefined
      ? unknownKey(reader, key, name, { what, names: Object.keys(shapes) })
      : readShape(reader, value, of);
  });
}

function readKeyed<Node>(reader: Reader<Node>, node: Node, { what, rows }: Keyed): unknown {
  const part = reader.look(node);
  const all = rows();
  const names = Object.keys(all);
  if (part.is !== "map")
    return reader.wrong(
      node,
      `expected ${what}, found ${whatIs(part)}`,
      `Write one of: ${names.join(", ")}.`,
    );
  const first = part.entries.find(({ name }) => Object.hasOwn(all, name));
  const row = first === undefined ? undefined : all[first.name];
  if (row !== undefined) return readFields(reader, node, row);
  const [odd] = part.entries;
  return odd === undefined
    ? reader.wrong(node, `${what} says nothing`, `Write one of: ${names.join(", ")}.`)
    : unknownKey(reader, odd.key, odd.name, { what, names });
}

export function unknownKey<Node>(
  reader: Reader<Node>,
  key: Node,
  name: string,
  { what, names }: { readonly what: string; readonly names: readonly string[] },
): undefined {
  const like = nearest(name, names);
  const fix = like === undefined ? `It has: ${names.join(", ")}.` : `Did you mean "${like}"?`;
  return reader.wrong(key, `${what} has no ${JSON.stringify(name.slice(0, 80))}`, fix);
}

export function whatIs(part: Part<unknown>): string {
  if (part.is === "map") return "names with values";
  if (part.is === "list") return "a list";
  const { value } = part;
  if (value === null || value === undefined) return "nothing";
  if (typeof value === "string") return JSON.stringify(value).slice(0, 40);
  if (typeof value === "symbol") return value.description ?? "a symbol";
  return typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : `a ${typeof value}`;
}
