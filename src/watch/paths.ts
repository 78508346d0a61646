/** Compares paths with patterns of paths, both of which may have unknown parts. */
import { ANY } from "./any.ts";

/** An absolute path as a list of names. `*` inside a name matches any part of it, `**` any number of names. */
export type Names = readonly string[];

/** Makes an agent's path absolute. If its beginning is unknown, it may be anywhere. */
export function namesOf(path: string, cwd: string): Names {
  const led = path.replace(/^\/proc\/[^/]+\/(?:cwd|root)(?=\/)/, (way) =>
    way.endsWith("cwd") ? cwd : "",
  );
  const known = led.startsWith("/") || led.startsWith(ANY) ? led : `${cwd}/${led}`;
  const names: string[] = [];
  for (const part of known.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (names.at(-1) !== "**") names.pop();
    } else names.push(...openNames(part));
  }
  return names;
}

/**
 * Resolves a path as the system does: `..` after a link leaves the folder that the link points to, not the one it
 * is in.
 */
export function walked(path: string, cwd: string, resolve: (path: string) => string): string {
  const known = path.startsWith("/") || path.startsWith(ANY) ? path : `${cwd}/${path}`;
  if (!known.includes("/..") || known.startsWith(ANY)) return known;
  let at = "";
  for (const part of known.split("/").slice(0, NAMES_MAX)) {
    if (part === "..") at = resolve(at === "" ? "/" : at).replace(/\/[^/]*$/, "");
    else if (part !== "" && part !== ".") at += `/${part}`;
  }
  return at === "" ? "/" : at;
}

/** A name of which an unknown part may contain slashes. */
function openNames(part: string): readonly string[] {
  if (!part.includes(ANY)) return part.includes("**") ? ["**"] : [part];
  const before = part.slice(0, part.indexOf(ANY));
  const after = part.slice(part.lastIndexOf(ANY) + 1);
  if (before !== "") return [`${before}*`, "**"];
  return after === "" ? ["**"] : ["**", `*${after}`];
}

export function patternNames(root: string, pattern: string): Names {
  return [...root.split("/"), ...pattern.split("/")].filter((one) => one !== "" && one !== ".");
}

/** Whether some path matches both. */
export function overlaps(a: Names, b: Names): boolean {
  const known = new Map<number, boolean>();
  const from = (i: number, j: number): boolean => {
    const key = i * 1000 + j;
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, false);
    const answer = meets(i, j);
    known.set(key, answer);
    return answer;
  };
  const meets = (i: number, j: number): boolean => {
    const [left, right] = [a[i], b[j]];
    if (left === "**") return from(i + 1, j) || (j < b.length && from(i, j + 1));
    if (right === "**") return from(i, j + 1) || (i < a.length && from(i + 1, j));
    if (left === undefined || right === undefined) return left === right;
    return nameMeets(left, right) && from(i + 1, j + 1);
  };
  if (a.length > NAMES_MAX || b.length > NAMES_MAX) return true;
  return from(0, 0);
}

const NAMES_MAX = 200;

/** Whether a shell pattern could match this name. */
export function couldBe(pattern: string, name: string): boolean {
  return pattern.includes("*") && /\w/.test(pattern) && fits(pattern, name);
}

function nameMeets(a: string, b: string): boolean {
  if (!a.includes("*")) return b.includes("*") ? fits(b, a) : a === b;
  if (!b.includes("*")) return fits(a, b);
  const [startA = "", startB = ""] = [a.split("*")[0], b.split("*")[0]];
  const [endA = "", endB = ""] = [a.split("*").at(-1), b.split("*").at(-1)];
  const starts = startA.startsWith(startB) || startB.startsWith(startA);
  return starts && (endA.endsWith(endB) || endB.endsWith(endA));
}

/** Matches the parts of a pattern one after the other. */
function fits(pattern: string, name: string): boolean {
  const parts = pattern.split("*");
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  if (name.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= name.length - last.length;
}

/** Whether everything at and below `path` matches the pattern. */
export function covers(pattern: Names, path: Names): boolean {
  if (pattern.at(-1) !== "**") return false;
  return overlaps(pattern, path) && overlaps(pattern, [...path, "\0"]);
}

/** Whether one absolute path is at or below another. */
export function isBelow(path: Names, root: Names): boolean {
  return root.every((name, index) => path[index] === name || path[index] === "**");
}
