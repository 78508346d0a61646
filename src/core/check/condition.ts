import { isJsonArray, isJsonObject } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Test } from "../table/protocol.ts";

/** What a condition of a row looks at, where exploring can tell: anything else may fall either way. */
export type Condition =
  | { readonly var: string; readonly in: readonly Json[] }
  | { readonly fact: string; readonly in: readonly Json[] }
  | { readonly claim: string; readonly in: readonly Json[] }
  | { readonly unit: string; readonly in: readonly Json[] }
  /** The unit is the one a variable names. */
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

/** `{unit.stage}` is a field of the unit; `{unit}` compared with a variable asks whether it is the one named there. */
function unitCondition(text: string, values: readonly Json[]): Condition | undefined {
  const [, field] = /^\{unit\.([\w-]+)\}$/.exec(text) ?? [];
  if (field !== undefined) return { unit: field, in: values.map(toNumber) };
  const [, name] = /^\{(\w+)\}$/.exec(typeof values[0] === "string" ? values[0] : "") ?? [];
  return text === "{unit}" && name !== undefined ? { unitIs: name } : undefined;
}

/** A filled text is compared as text; the unit's own data may have been a number. */
function toNumber(value: Json): Json {
  return typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value;
}
