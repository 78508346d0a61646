import type { Act, Remedy } from "../decide/answer.ts";
import { isJsonArray, isJsonObject, showJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";

/** A remedy as an operation to call: its name, its input, and what it is for. */
export function remedy(operation: string, input: JsonObject, says?: string): Act {
  return { operation, input, ...(says === undefined ? {} : { says }) };
}

/** A remedy that takes a step of the same workflow. Some steps need a reason. */
export function step(name: string, says: string, reason?: string): Act {
  const why = reason === undefined ? {} : { reason };
  return remedy("advance", { workflow: "{id}", step: name, ...why }, says);
}

/** A remedy from a table, with its blanks filled in. */
export function fillRemedy(fix: Remedy, fill: (text: string) => string): Remedy {
  if (typeof fix === "string") return fill(fix);
  const { operation, input, says } = fix;
  return remedy(operation, fillMembers(input, fill), says === undefined ? says : fill(says));
}

function fillMembers(members: JsonObject, fill: (text: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, fillValue(value, fill)]),
  );
}

function fillValue(value: Json, fill: (text: string) => string): Json {
  if (typeof value === "string") return fill(value);
  if (isJsonArray(value)) return value.map((one) => fillValue(one, fill));
  return isJsonObject(value) ? fillMembers(value, fill) : value;
}

/** A remedy as text, for reasons and warnings that are recorded without a surface to phrase them. */
export function remedyText(fix: Remedy): string {
  if (typeof fix === "string") return fix;
  return fix.says === undefined ? `${fix.operation} helps.` : `${fix.says}.`;
}

/** Reads a remedy back from a journal or a file. */
export function readRemedy(value: Json | undefined): Remedy {
  if (!isJsonObject(value)) return showJson(value);
  const { operation, input, says } = value;
  return typeof operation === "string" && isJsonObject(input)
    ? remedy(operation, input, typeof says === "string" ? says : undefined)
    : showJson(value);
}
