import { isJsonArray, isJsonObject } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Test } from "../table/protocol.ts";

/** What a condition of a row reads, if exploring can tell. Any other condition may turn out either way. */
export type Condition =
  | { readonly var: string; readonly in: readonly Json[] }
  | { readonly fact: string; readonly in: readonly Json[] }
  | { readonly claim: string; readonly in: readonly Json[] }
  | { readonly unit: string; readonly in: readonly Json[] }
  /** True if the unit is the one this variable names. */
  | { readonly unitIs: string }
  | { readonly no: string; readonly where: JsonObject }
  | { readonly some: string; readonly where: JsonObject };

export function conditionOf({ guard, args = {} }: Test): Condition | undefined {
  const text = (name: string): string => {
    const value = args[name];
    return typeof value === "string" ? value : "";
  };
  const values = isJsonArray(args["in"]) ? args["in"] : [];
  switch (guard) {
    case "var":
      return { var: text("name"), in: values };
    case "fact":
      return { fact: text("fact"), in: values };
    case "claim":
      return { claim: text("field"), in: values };
    case "is":
      return unitCondition(text("text"), values);
    case "units": {
      const where = isJsonObject(args["where"]) ? args["where"] : {};
      if (args["in"] === undefined) return { some: text("kind"), where };
      return values.length === 0 ? { no: text("kind"), where } : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * `{unit.stage}` reads a field of the unit; `{unit}` compared with a variable asks whether that variable names
 * the unit.
 */
function unitCondition(text: string, values: readonly Json[]): Condition | undefined {
  const [, field] = /^\{unit\.([\w-]+)\}$/.exec(text) ?? [];
  if (field !== undefined) return { unit: field, in: values.map(toNumber) };
  const [, name] = /^\{(\w+)\}$/.exec(typeof values[0] === "string" ? values[0] : "") ?? [];
  return text === "{unit}" && name !== undefined ? { unitIs: name } : undefined;
}

/** A filled template is text, but the unit's own data may hold a number. */
function toNumber(value: Json): Json {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
