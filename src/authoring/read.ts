import { isMap, isSeq } from "yaml";
import type { Node, YAMLMap } from "yaml";
import { isJsonObject } from "../core/values/json.ts";
import type { Json } from "../core/values/json.ts";
import { LIBRARY } from "../core/guards/library.ts";
import { nearest } from "../core/values/nearest.ts";
import { asNode, entriesOf, scalarOf, toPlain, whatIs } from "./nodes.ts";
import type { Entry } from "./nodes.ts";
import { SAYS, THENS } from "./shapes.ts";
import type { Fields, Shape } from "./shapes.ts";
import type { Source, YamlProblem } from "./source.ts";

/** Reads one file: what it cannot use becomes a problem, and reading goes on. */
export interface Reader {
  readonly file: string;
  readonly source: Source;
  readonly problems: YamlProblem[];
}

export function readShape(reader: Reader, node: Node | undefined, shape: Shape): Json | undefined {
  switch (shape.is) {
    case "text":
      return readText(reader, node);
    case "number":
    case "flag":
      return readScalar(reader, node, shape.is);
    case "times":
      return typeof scalarOf(node) === "number" ? scalarOf(node) : readText(reader, node);
    case "one of":
      return readChoice(reader, node, shape.values);
    case "texts":
      return readList(reader, node, { is: "text" });
    case "some texts":
      return isSeq(node) ? readList(reader, node, { is: "text" }) : readText(reader, node);
    case "list":
      return readList(reader, node, shape.of);
    case "rows":
      return isSeq(node) ? readList(reader, node, shape.of) : readShape(reader, node, shape.of);
    case "named":
      return readNamed(reader, node, shape.of);
    case "fields":
      return readFields(reader, node, shape);
    case "json":
      return toPlain(node);
    case "guard":
      return readGuard(reader, node, false);
    case "need":
      return readGuard(reader, node, true);
    case "leads":
      return isSeq(node)
        ? compact(node.items.map((item) => readThen(reader, asNode(item))))
        : readText(reader, node);
  }
}

export function wrong(
  reader: Reader,
  node: Node | undefined,
  message: string,
  fix: string,
): undefined {
  reader.problems.push({ file: reader.file, ...reader.source.at(node), message, fix });
  return undefined;
}

function readText(reader: Reader, node: Node | undefined): string | undefined {
  const value = scalarOf(node);
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean")
    return wrong(
      reader,
      node,
      `${String(value)} is no text`,
      `Put it in quotes: "${String(value)}".`,
    );
  return wrong(reader, node, `expected a text, found ${whatIs(node)}`, "Write a text.");
}

function readScalar(
  reader: Reader,
  node: Node | undefined,
  kind: "number" | "flag",
): Json | undefined {
  const value = scalarOf(node);
  const fits = kind === "flag" ? typeof value === "boolean" : Number.isSafeInteger(value);
  const wanted = kind === "flag" ? "true or false" : "a whole number";
  return fits
    ? value
    : wrong(reader, node, `expected ${wanted}, found ${whatIs(node)}`, `Write ${wanted}.`);
}

function readChoice(
  reader: Reader,
  node: Node | undefined,
  values: readonly string[],
): string | undefined {
  const text = readText(reader, node);
  if (text === undefined || values.includes(text)) return text;
  return wrong(
    reader,
    node,
    `"${text}" is not possible here`,
    `Write one of ${values.join(", ")}.`,
  );
}

function readList(reader: Reader, node: Node | undefined, of: Shape): Json | undefined {
  if (!isSeq(node))
    return wrong(reader, node, `expected a list, found ${whatIs(node)}`, "Write a list: [a, b].");
  return compact(node.items.map((item) => readShape(reader, asNode(item), of)));
}

function readNamed(reader: Reader, node: Node | undefined, of: Shape): Json | undefined {
  if (!isMap(node))
    return wrong(
      reader,
      node,
      `expected names with values, found ${whatIs(node)}`,
      "Write name: value.",
    );
  const entries = entriesOf(node).flatMap(({ name, value }) => {
    const read = readShape(reader, value, of);
    return read === undefined ? [] : [[name, read] as const];
  });
  return Object.fromEntries(entries);
}

function readFields(reader: Reader, node: Node | undefined, shape: Fields): Json | undefined {
  const { what, required, optional } = shape;
  if (!isMap(node))
    return wrong(
      reader,
      node,
      `expected ${what}, found ${whatIs(node)}`,
      `Write its fields: ${Object.keys(required).join(", ")}.`,
    );
  const entries = entriesOf(node);
  for (const name of Object.keys(required))
    if (!entries.some((entry) => entry.name === name))
      wrong(reader, node, `${what} lacks "${name}"`, `Add ${name}.`);
  const fields = { ...required, ...optional };
  return Object.fromEntries(
    entries.flatMap(({ name, key, value }) => {
      const of = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (of === undefined) {
        unknownKey(reader, key, name, { what, names: Object.keys(fields) });
        return [];
      }
      const read = readShape(reader, value, of);
      return read === undefined ? [] : [[name, read] as const];
    }),
  );
}

function unknownKey(
  reader: Reader,
  key: Node | undefined,
  name: string,
  { what, names }: { readonly what: string; readonly names: readonly string[] },
): void {
  if (name === "guards" || name === "migrate") {
    const fix = "Use the guards of the library, or write the protocol in TypeScript.";
    wrong(reader, key, `${name} are functions, which cannot be written in YAML`, fix);
    return;
  }
  const like = nearest(name, names);
  const fix = like === undefined ? `It has: ${names.join(", ")}.` : `Did you mean "${like}"?`;
  wrong(reader, key, `${what} has no "${name}"`, fix);
}

/** `exists: [a]` with `code` and `fix` beside it; under `when` the guard stands alone. */
function readGuard(reader: Reader, node: Node | undefined, says: boolean): Json | undefined {
  const fix = "Write a guard: - exists: [CHANGELOG.md]";
  if (!isMap(node)) return wrong(reader, node, `expected a guard, found ${whatIs(node)}`, fix);
  const beside = Object.keys({ ...SAYS.required, ...SAYS.optional });
  const own = entriesOf(node).filter(({ name }) => !says || !beside.includes(name));
  const [guard, extra] = own;
  if (guard === undefined) return wrong(reader, node, "no guard is named here", fix);
  const names = [...Object.keys(LIBRARY), "any"];
  if (!names.includes(guard.name)) {
    unknownKey(reader, guard.key, guard.name, { what: "the library", names });
    return undefined;
  }
  if (extra !== undefined)
    unknownKey(reader, extra.key, extra.name, { what: `the guard ${guard.name}`, names: beside });
  const test = readTest(reader, guard);
  return says ? { ...test, ...besides(reader, node, guard.name) } : test;
}

function besides(reader: Reader, node: YAMLMap, guard: string): Record<string, Json> {
  for (const name of Object.keys(SAYS.required))
    if (!node.has(name))
      wrong(
        reader,
        node,
        `the guard ${guard} lacks "${name}"`,
        name === "fix" ? "Say what to do when it fails." : "Give the refusal a code.",
      );
  const fields = { ...SAYS.required, ...SAYS.optional };
  return Object.fromEntries(
    entriesOf(node).flatMap(({ name, value }) => {
      const of = Object.hasOwn(fields, name) ? fields[name] : undefined;
      const read = of === undefined ? undefined : readShape(reader, value, of);
      return read === undefined ? [] : [[name, read] as const];
    }),
  );
}

function readTest(reader: Reader, { name, value }: Entry): Record<string, Json> {
  if (name === "any") {
    const some = readList(reader, value, { is: "guard" }) ?? [];
    return { guard: "any", args: {}, any: some };
  }
  const takes = Object.keys(LIBRARY[name]?.args ?? {});
  const given = toPlain(value) ?? null;
  // A list or a single value is the guard's first argument; several have names.
  const args = isMap(value)
    ? given
    : given === null || takes[0] === undefined
      ? {}
      : { [takes[0]]: given };
  return { guard: name, args: completed(name, args) };
}

/** A check that passed did so on the whole tree, unless something else is named. */
function completed(guard: string, args: Json): Json {
  return guard !== "passed" || !isJsonObject(args) || "binds" in args
    ? args
    : { ...args, binds: ["tree:."] };
}

function readThen(reader: Reader, node: Node | undefined): Json | undefined {
  if (!isMap(node))
    return wrong(
      reader,
      node,
      `expected what follows, found ${whatIs(node)}`,
      "Write - move: name, or another consequence.",
    );
  const names = Object.keys(THENS);
  const first = entriesOf(node).find(({ name }) => names.includes(name));
  const [key] = entriesOf(node);
  if (first === undefined) {
    unknownKey(reader, key?.key ?? node, key?.name ?? "", { what: "what follows", names });
    return undefined;
  }
  const fields = THENS[first.name] ?? {};
  return readFields(reader, node, {
    is: "fields",
    what: `"${first.name}"`,
    required: {},
    optional: fields,
  });
}

function compact(values: readonly (Json | undefined)[]): readonly Json[] {
  return values.filter((value) => value !== undefined);
}
