import { readPlain } from "../core/table/plain.ts";
import { fields } from "../core/table/shape.ts";
import type { Fields, Shape } from "../core/table/shape.ts";
import { isJsonObject, toJson } from "../core/values/json.ts";
import type { JsonObject } from "../core/values/json.ts";
import { nearest } from "../core/values/nearest.ts";
import type { Failed } from "../engine/outcome.ts";
import { inputProblem } from "../operations/index.ts";
import type { Operation } from "../operations/operation.ts";
import { usage } from "../operations/parts/answers.ts";
import type { FailedAnswer } from "../operations/parts/answers.ts";

/**
 * Checks values that a program passes in without a compiler's check: from JavaScript, a form, or a network
 * connection. What does not fit is answered with its position, like any other mistake.
 */

const TEXT: Shape = { is: "text" };
const CODE: Shape = { is: "code" };

const CALLER = fields(
  "a caller",
  {
    actor: fields(
      "an actor",
      { kind: { is: "one of", values: ["person", "agent", "engine"] }, name: TEXT },
      { role: TEXT, agent: TEXT },
    ),
    session: TEXT,
  },
  { id: TEXT, fence: { is: "number" }, confirm: CODE },
);

const OPTIONS = fields("options", {}, { id: TEXT, as: CALLER, dispatch: TEXT });

/** The input of an operation that can be run, or what is wrong with it. */
export function checkedInput(
  operation: Operation,
  given: unknown,
): { readonly input: JsonObject } | FailedAnswer {
  const { value, mistakes } = readPlain(given, { is: "object" });
  const input = toJson(value);
  const [mistake] = mistakes;
  if (mistake !== undefined || !isJsonObject(input))
    return usage(`${operation.name}: ${mistake ?? "it takes an object"}.`, "Name its values.");
  return inputProblem(operation, input) ?? { input };
}

/** What is wrong with the options beside a command's input. */
export function optionsProblem(name: string, given: unknown): FailedAnswer | undefined {
  return misfit(name, given, OPTIONS);
}

export function callerProblem(name: string, given: unknown): FailedAnswer | undefined {
  return misfit(`${name}, in whose name`, given, CALLER);
}

function misfit(name: string, given: unknown, shape: Fields): FailedAnswer | undefined {
  if (given === undefined) return undefined;
  const [mistake] = readPlain(given, shape).mistakes;
  return mistake === undefined
    ? undefined
    : usage(`${name}: ${mistake}.`, "See WorkflowHandle and CommandOptions in the types.");
}

const EXAMPLE = 'openEngine({ cwd: ".", families: [release], as: { actor, session } })';

/** What is wrong with the options of `openEngine`, except the families, which are checked one by one. */
export function engineProblem(given: unknown): Failed | undefined {
  if (typeof given !== "object" || given === null)
    return failed("openEngine takes an object", `Write ${EXAMPLE}.`);
  const known = ["cwd", "families", "journal", "clock", "as"];
  const odd = Object.keys(given).find((key) => !known.includes(key));
  if (odd !== undefined) {
    const like = nearest(odd, known);
    const fix = like === undefined ? `It has: ${known.join(", ")}.` : `Did you mean ${like}?`;
    return failed(`openEngine has no option ${JSON.stringify(odd)}`, fix);
  }
  const {
    cwd,
    families = [],
    journal,
    clock,
    as,
  }: Partial<Readonly<Record<string, unknown>>> = { ...given };
  if (typeof cwd !== "string" || cwd === "")
    return failed("cwd: it is the path of a directory", `Write ${EXAMPLE}.`);
  if (!Array.isArray(families))
    return failed("families: it is a list of protocols", `Write ${EXAMPLE}.`);
  if (journal !== undefined && typeof journal !== "function")
    return failed(
      "journal: it is a function that opens one for a fold",
      "Write journal: async (fold) => ..., and run the conformance suite on what it answers.",
    );
  if (clock !== undefined && !isClock(clock))
    return failed(
      "clock: it has a method now",
      "Write clock: { now: () => new Date().toISOString() }.",
    );
  const caller = callerProblem("as", as);
  return caller === undefined ? undefined : failed(caller.error.message, `Write ${EXAMPLE}.`);
}

function isClock(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && typeof Reflect.get(value, "now") === "function"
  );
}

function failed(message: string, fix: string): Failed {
  return { kind: "failed", code: "usage", message, fix };
}
