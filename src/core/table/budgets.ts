import { isJsonArray, isJsonObject, toJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { ROOT } from "../state/state.ts";
import type { Protocol } from "./protocol.ts";

/** What may be spent and how often, wherever the table says so. Names may have blanks: `orders/{unit}`. */
interface Budget {
  readonly name: RegExp;
  /** A number, or the variable that holds it. */
  readonly times: number | string;
  /** What people call it; `{1}` is what stands in its first blank. */
  readonly called: string;
}

const known = new WeakMap<Protocol, readonly Budget[]>();

/** How often something was tried, and how often it may be: undefined where no row of the table limits it. */
export function limitOf(protocol: Protocol, vars: JsonObject, spent: string): number | undefined {
  const times = budgetOf(protocol, spent)?.times;
  const size = typeof times === "string" ? vars[times] : times;
  return typeof size === "number" ? size : undefined;
}

/** A budget in words: as the table calls it, or its name and what it is for. */
export function budgetWords(protocol: Protocol, spent: string): string {
  const { name, called = "" } = budgetOf(protocol, spent) ?? {};
  if (called !== "")
    return called.replaceAll(/\{(\d)\}/g, (_, blank) => name?.exec(spent)?.[Number(blank)] ?? "");
  const [what = "", ...of] = spent.split("/").filter((part) => part !== ROOT);
  return of.length === 0 ? what : `${what} for ${of.join(", ")}`;
}

function budgetOf(protocol: Protocol, spent: string): Budget | undefined {
  const budgets = known.get(protocol) ?? budgetsIn(toJson(protocol));
  known.set(protocol, budgets);
  return budgets.find(({ name }) => name.test(spent));
}

function budgetsIn(value: Json): readonly Budget[] {
  if (isJsonArray(value)) return value.flatMap((one) => budgetsIn(one));
  if (!isJsonObject(value)) return [];
  const { budget, times, called } = value;
  const here =
    typeof budget === "string" && (typeof times === "number" || typeof times === "string")
      ? [{ name: patternOf(budget), times, called: typeof called === "string" ? called : "" }]
      : [];
  return [...here, ...Object.values(value).flatMap((one) => budgetsIn(one))];
}

function patternOf(budget: string): RegExp {
  const parts = budget
    .split(/\{[^}]*\}/)
    .map((one) => one.replaceAll(/[^\w/ -]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("(.*)")}$`, "s");
}
