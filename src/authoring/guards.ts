import { isMap } from "yaml";
import type { Node, YAMLMap } from "yaml";
import { LIBRARY } from "../core/guards/library.ts";
import { readShape, unknownKey, whatIs } from "../core/table/read-shape.ts";
import type { Reader } from "../core/table/read-shape.ts";
import { list } from "../core/table/shape.ts";
import { SAYS } from "../core/table/shapes.ts";
import { isJsonObject } from "../core/values/json.ts";
import type { Json } from "../core/values/json.ts";
import { entriesOf, partOf, toPlain } from "./nodes.ts";
import type { Entry } from "./nodes.ts";

type YamlReader = Reader<Node | undefined>;

const FIX = "Write a guard: - exists: [CHANGELOG.md]";

/** Reads a guard: `exists: [a]`, with `code` and `fix` beside it under `needs`, alone under `when`. */
export function readGuard(reader: YamlReader, node: Node | undefined, says: boolean): unknown {
  if (!isMap(node))
    return reader.wrong(node, `expected a guard, found ${whatIs(partOf(node))}`, FIX);
  const beside = Object.keys({ ...SAYS.required, ...SAYS.optional });
  const own = entriesOf(node).filter(({ name }) => !says || !beside.includes(name));
  const [guard, extra] = own;
  if (guard === undefined) return reader.wrong(node, "no guard is named here", FIX);
  const names = [...Object.keys(LIBRARY), "any"];
  if (!names.includes(guard.name))
    return unknownKey(reader, guard.key, guard.name, { what: "the library", names });
  if (extra !== undefined)
    unknownKey(reader, extra.key, extra.name, { what: `the guard ${guard.name}`, names: beside });
  const test = readTest(reader, guard);
  return says ? { ...test, ...besides(reader, node, guard.name) } : test;
}

function besides(
  reader: YamlReader,
  node: YAMLMap,
  guard: string,
): Readonly<Record<string, unknown>> {
  for (const name of Object.keys(SAYS.required))
    if (!node.has(name))
      reader.wrong(
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

function readTest(reader: YamlReader, { name, value }: Entry): Readonly<Record<string, unknown>> {
  if (name === "any") {
    const some = readShape(reader, value, list({ is: "guard" })) ?? [];
    return { guard: "any", args: {}, any: some };
  }
  const takes = Object.keys(LIBRARY[name]?.args ?? {});
  const given = toPlain(value) ?? null;
  // A list or a single value is the guard's first argument. Several arguments are named.
  const args = isMap(value)
    ? given
    : given === null || takes[0] === undefined
      ? {}
      : { [takes[0]]: given };
  return { guard: name, args: completed(name, args) };
}

/** A passed check is bound to the whole tree unless the guard says otherwise. */
function completed(guard: string, args: Json): Json {
  return guard !== "passed" || !isJsonObject(args) || "binds" in args
    ? args
    : { ...args, binds: ["tree:."] };
}
