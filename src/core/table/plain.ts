import { readShape } from "./read-shape.ts";
import type { Part, Reader } from "./read-shape.ts";
import type { Shape } from "./shape.ts";

/** A position in a value that a program made. */
interface Place {
  readonly path: string;
  readonly value: unknown;
  readonly depth: number;
}

export interface ReadPlain {
  /** The value as plain data: nothing in it is computed, inherited or changed later. */
  readonly value: unknown;
  /** Parts that cannot be used, one sentence each, with the position. */
  readonly mistakes: readonly string[];
}

/**
 * Checks a value against a shape. For TypeScript the compiler does this; with plain JavaScript or `as any`,
 * mistakes are found here. Nothing in the value is called.
 */
export function readPlain(value: unknown, shape: Shape): ReadPlain {
  const mistakes: string[] = [];
  const reader: Reader<Place> = {
    look,
    wrong: ({ path }, message, fix) => {
      mistakes.push(`${path === "" ? "" : `${path}: `}${message} (${decapitalized(fix)})`);
      return undefined;
    },
  };
  const read = readShape(reader, { path: "", value, depth: 0 }, shape);
  return { value: read, mistakes };
}

/** Deeper than any table. Also stops at a value that contains itself. */
const DEPTH_MAX = 40;

function look({ path, value, depth }: Place): Part<Place> {
  if (typeof value !== "object" || value === null) return { is: "value", value };
  if (depth > DEPTH_MAX) return { is: "value", value: DEEP };
  const inside = (name: string | number, one: unknown): Place => ({
    path: typeof name === "number" ? `${path}[${name}]` : path === "" ? name : `${path}.${name}`,
    value: one,
    depth: depth + 1,
  });
  if (Array.isArray(value))
    return { is: "list", items: Array.from(value, (one, index) => inside(index, one)) };
  if (!isPlain(value)) return { is: "value", value: ODD };
  const entries = Object.entries(Object.getOwnPropertyDescriptors(value)).flatMap(
    ([name, property]) => {
      const found: unknown = "value" in property ? property.value : COMPUTED;
      if (property.enumerable !== true || found === undefined) return [];
      return [{ name, key: inside(name, found), value: inside(name, found) }];
    },
  );
  return { is: "map", entries };
}

/** An object literal, even from another realm. */
function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return typeof proto !== "object" || proto === null || Object.getPrototypeOf(proto) === null;
}

/** Stand for parts that are not data, so that no shape accepts them. */
const DEEP = Symbol("something nested too deeply");
const ODD = Symbol("an object of a class");
const COMPUTED = Symbol("something computed");

function decapitalized(fix: string): string {
  return `${fix.charAt(0).toLowerCase()}${fix.slice(1).replace(/\.$/, "")}`;
}
