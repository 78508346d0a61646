import { isJsonArray, isJsonObject, toJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Protocol } from "./protocol.ts";

/** What may be spent and how often, wherever the table says so. Names may have blanks: `orders/{unit}`. */
interface Budget {
  readonly name: RegExp;
  /** A number, or the variable that holds it. */
  readonly max: number | string;
}

const known = new WeakMap<Protocol, readonly Budget[]>();

/** How often something was tried, and how often it may be: undefined where no row of the table limits it. */
export function limitOf(protocol: Protocol, vars: JsonObject, spent: string): number | undefined {
  const budgets = known.get(protocol) ?? budgetsIn(toJson(protocol));
  known.set(protocol, budgets);
  const max = budgets.find(({ name }) => name.test(spent))?.max;
  const size = typeof max === "string" ? vars[max] : max;
  return typeof size === "number" ? size : undefined;
}

function budgetsIn(value: Json): readonly Budget[] {
  if (isJsonArray(value)) return value.flatMap((one) => budgetsIn(one));
  if (!isJsonObject(value)) return [];
  const { budget, max } = value;
  const here =
    typeof budget === "string" && (typeof max === "number" || typeof max === "string")
      ? [{ name: patternOf(budget), max }]
      : [];
  return [...here, ...Object.values(value).flatMap((one) => budgetsIn(one))];
}

function patternOf(budget: string): RegExp {
  const parts = budget
    .split(/\{[^}]*\}/)
    .map((one) => one.replaceAll(/[^\w/ -]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}
