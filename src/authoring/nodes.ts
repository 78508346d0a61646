import { isMap, isScalar, isSeq } from "yaml";
import type { Node, YAMLMap } from "yaml";
import type { Part } from "../core/table/read-shape.ts";
import type { Json } from "../core/values/json.ts";

/** Parts of a YAML tree as plain values. */

export interface Entry {
  readonly name: string;
  readonly key: Node | undefined;
  readonly value: Node | undefined;
}

export function entriesOf(map: YAMLMap): readonly Entry[] {
  return map.items.map(({ key, value }) => ({
    name: String(isScalar(key) ? key.value : key),
    key: asNode(key),
    value: asNode(value),
  }));
}

export function asNode(value: unknown): Node | undefined {
  return isMap(value) || isSeq(value) || isScalar(value) ? value : undefined;
}

export function scalarOf(node: Node | undefined): Json | undefined {
  const value: unknown = isScalar(node) ? node.value : undefined;
  if (value === null) return null;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

export function toPlain(node: Node | undefined): Json | undefined {
  if (isSeq(node)) return node.items.map((item) => toPlain(asNode(item)) ?? null);
  if (!isMap(node)) return scalarOf(node);
  return Object.fromEntries(
    entriesOf(node).map(({ name, value }) => [name, toPlain(value) ?? null]),
  );
}

/** What a part of the tree is, for the reader that checks shapes. */
export function partOf(node: Node | undefined): Part<Node | undefined> {
  if (isMap(node)) return { is: "map", entries: entriesOf(node) };
  if (isSeq(node)) return { is: "list", items: node.items.map(asNode) };
  return { is: "value", value: scalarOf(node) };
}
