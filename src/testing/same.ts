import { canonicalJson, isJsonArray, isJsonObject, toJson } from "../core/values/json.ts";
import type { Json } from "../core/values/json.ts";

/** How many lines of a difference are shown. */
const LINES_MAX = 40;

/** Throws unless two values are equal as JSON, and shows where they differ. */
export function mustBeSame(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [toJson(found), toJson(expected)];
  if (canonicalJson(a) !== canonicalJson(b)) throw new Error(`${what}\n${difference(a, b)}`);
}

export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

/** Lines that only one of the two has: `-` was expected, `+` was found. */
function difference(found: Json, expected: Json): string {
  const [has, wants] = [linesOf(found), linesOf(expected)];
  const lines = [
    ...without(wants, has).map((line) => `- ${line}`),
    ...without(has, wants).map((line) => `+ ${line}`),
  ];
  const more = lines.length - LINES_MAX;
  return [...lines.slice(0, LINES_MAX), ...(more > 0 ? [`and ${more} more lines`] : [])].join("\n");
}

function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** One line for every single value, with its path. */
function linesOf(value: Json, path = ""): readonly string[] {
  const members = isJsonArray(value)
    ? value.map((one, index) => [`[${index}]`, one] as const)
    : isJsonObject(value)
      ? Object.entries(value).map(([name, one]) => [path === "" ? name : `.${name}`, one] as const)
      : [];
  if (members.length > 0) return members.flatMap(([name, one]) => linesOf(one, `${path}${name}`));
  return [`${path === "" ? "" : `${path}: `}${JSON.stringify(value)}`];
}
