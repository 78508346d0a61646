import { isMap, isScalar, isSeq } from "yaml";
import type { Node, YAMLMap } from "yaml";
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

export function whatIs(node: Node | undefined): string {
  if (isMap(node)) return "names with values";
  if (isSeq(node)) return "a list";
  const value = scalarOf(node);
  return value === null || value === undefined ? "nothing" : JSON.stringify(value).slice(0, 40);
}
