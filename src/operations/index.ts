/** Every operation of Holdpoint. Command line, help, schemas, tools and routes are all made from this list. */
import { isJsonObject } from "../core/values/json.ts";
import type { Json, JsonObject } from "../core/values/json.ts";
import { checkSchema } from "../files/json/schema.ts";
import { adopt } from "./adopt.ts";
import { advance } from "./advance.ts";
import { agents } from "./agents.ts";
import { answer } from "./answer.ts";
import { usage } from "./parts/answers.ts";
import type { FailedAnswer } from "./parts/answers.ts";
import { approve } from "./approve.ts";
import { ask } from "./ask.ts";
import { audit } from "./audit.ts";
import { check } from "./check.ts";
import { fence } from "./fence.ts";
import { graph } from "./graph.ts";
import { hold } from "./hold.ts";
import { init } from "./init.ts";
import { keys } from "./keys.ts";
import { list } from "./list.ts";
import { lock } from "./lock.ts";
import { nearest } from "../core/values/nearest.ts";
import { next } from "./next.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { order } from "./order.ts";
import { policy } from "./policy.ts";
import { reconcile } from "./reconcile.ts";
import { report } from "./report.ts";
import { show } from "./show.ts";
import { start } from "./start.ts";
import { status } from "./status.ts";
import { units } from "./units.ts";
import { verify } from "./verify.ts";

export const operations: readonly Operation[] = [
  init,
  start,
  list,
  status,
  next,
  order,
  advance,
  report,
  ask,
  hold,
  answer,
  approve,
  verify,
  reconcile,
  adopt,
  lock,
  agents,
  units,
  audit,
  policy,
  keys,
  fence,
  show,
  graph,
  check,
];

/** Runs an operation on input from outside. Input that does not fit the schema is refused and not run. */
export async function invoke(operation: Operation, context: Context, input: Json): Promise<Answer> {
  if (!isJsonObject(input)) return usage(`${operation.name} takes an object.`, "Name its values.");
  return inputProblem(operation, input) ?? (await operation.run(context, input));
}

/** What is wrong with an input, as an answer; undefined if it is valid. */
export function inputProblem(
  { name, input: schema }: Operation,
  input: JsonObject,
): FailedAnswer | undefined {
  const [wrong] = checkSchema(schema, input);
  if (wrong === undefined) return undefined;
  const key = String(wrong.path[0] ?? "");
  const known = Object.keys(schema.properties);
  if (wrong.keyword === "required")
    return usage(`${name} needs ${key}.`, about(schema.properties[key]));
  if (wrong.keyword !== "additionalProperties")
    return usage(`${name}: ${wrong.message}.`, wrong.fix);
  const like = nearest(key, known);
  const fix = like === undefined ? `It has: ${known.join(", ")}.` : `Did you mean ${like}?`;
  return usage(`${name} has no input ${key}.`, fix);
}

function about(property: { readonly description: string } | undefined): string {
  return property === undefined ? "" : `Say ${property.description}.`;
}
