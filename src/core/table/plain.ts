import { readShape } from "./read-shape.ts";
import type { Part, Reader } from "./read-shape.ts";
import type { Shape } from "./shape.ts";

/** A place in a value that a program made. */
interface Place {
  readonly path: string;
  readonly value: unknown;
  readonly depth: number;
}

export interface ReadPlain {
  /** The same as plain data: nothing in it is computed, inherited or changed later. */
  readonly value: unknown;
  /** What stands there and cannot be used, one sentence each, with the place. */
  readonly mistakes: readonly string[];
}

/**
 * Reads a value that ought to have a shape. The compiler holds TypeScript to it; whoever writes JavaScript, or says
 * `as any`, learns here what does not fit. Nothing in it is called.
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

/** Deeper than any table; a value that contains itself has no end. */
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

/** Made with braces, in whatever realm. */
function isPlain(value: object): boolean {
  const proto: unknown = Object.getPrototypeOf(value);
  return typeof proto !== "object" || proto === null || Object.getPrototypeOf(proto) === null;
}

/** Stand for what is no data, so that no shape takes it. */
const DEEP = Symbol("something nested too deeply");
const ODD = Symbol("an object of a class");
const COMPUTED = Symbol("something computed");

function decapitalized(fix: string): string {
  return `${fix.charAt(0).toLowerCase()}${fix.slice(1).replace(/\.$/, "")}`;
}
