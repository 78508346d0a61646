import { isJsonArray, isJsonObject, toJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { ROOT } from "../state/state.ts";
import type { Protocol } from "./protocol.ts";

/**
 * The budgets of a table: what may be spent, and how often. Names may contain blanks, such as `orders/{unit}`.
 */
interface Budget {
  readonly name: RegExp;
  /** A number, or the variable that holds it. */
  readonly times: number | string;
  /** Its name for people. `{1}` stands for the value of its first blank. */
  readonly called: string;
}

const known = new WeakMap<Protocol, readonly Budget[]>();

/** How often something may be tried. Undefined if no row of the table limits it. */
export function limitOf(protocol: Protocol, vars: JsonObject, spent: string): number | undefined {
  const times = budgetOf(protocol, spent)?.times;
  const size = typeof times === "string" ? vars[times] : times;
  return typeof size === "number" ? size : undefined;
}

/** A budget in words: the table's name for it, or else its key and what it is for. */
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
