/**
 * An answer should only advise what its reader may do. An agent that is told to take a person's step would try
 * it, be refused, and be told the same again. So advice for somebody else says whose it is.
 */
import type { Act } from "../../core/decide/answer.ts";
import { whoseStep } from "../../core/decide/whose.ts";
import { isJsonObject, toJson } from "../../core/values/json.ts";
import { find } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import type { Answer, Context } from "../operation.ts";

/** What only people may ask for: all of an operation, or the operation with one of these inputs. */
export const PEOPLES: Readonly<Record<string, "all" | readonly string[]>> = {
  answer: "all",
  approve: "all",
  hold: "all",
  adopt: "all",
  policy: "all",
  keys: "all",
  fence: "all",
  lock: ["break"],
  reconcile: ["files", "skip", "definition", "settings", "reason"],
};

export function isForPerson({ operation, input }: Act): boolean {
  const only = Object.hasOwn(PEOPLES, operation) ? PEOPLES[operation] : undefined;
  if (only === undefined || only === "all") return only === "all";
  return only.some((name) => name in input && input[name] !== false);
}

/** The answer for an agent. A person may do everything that is advised. */
export async function withOwners<T extends Answer>(
  { parts, caller: { actor } }: Context,
  answer: T,
): Promise<T> {
  if (actor.kind === "person") return answer;
  const steps = new Map<string, Found | undefined>();
  for (const { input } of actsIn(answer)) {
    const { workflow, step } = input;
    if (typeof workflow !== "string" || typeof step !== "string" || steps.has(workflow)) continue;
    if (steps.size === WORKFLOWS_MAX) break;
    const found = await find(parts, workflow);
    steps.set(workflow, found.kind === "refused" ? undefined : found);
  }
  const ownerOf = (act: Act): string | undefined => {
    if (isForPerson(act)) return "person";
    const { workflow, step, unit } = act.input;
    const found = typeof workflow === "string" ? steps.get(workflow) : undefined;
    if (act.operation !== "advance" || typeof step !== "string" || found === undefined)
      return undefined;
    const named = { step, ...(typeof unit === "string" ? { unit } : {}) };
    return whoseStep(found.family.protocol, found.state, actor, named);
  };
  return marked(answer, ownerOf);
}

/** How many workflows one answer may refer to. Most are about one; a list may name more. */
const WORKFLOWS_MAX = 8;

function marked<T>(value: T, ownerOf: (act: Act) => string | undefined): T;
function marked(value: unknown, ownerOf: (act: Act) => string | undefined): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => marked(one, ownerOf));
  if (typeof value !== "object" || value === null) return value;
  if (isAct(value)) {
    const by = ownerOf(value);
    return by === undefined ? value : { ...value, by };
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, marked(one, ownerOf)]));
}

function actsIn(value: unknown): readonly Act[] {
  if (Array.isArray(value)) return value.flatMap(actsIn);
  if (typeof value !== "object" || value === null) return [];
  return isAct(value) ? [value] : Object.values(value).flatMap(actsIn);
}

function isAct(value: object): value is Act {
  return (
    "operation" in value &&
    typeof value.operation === "string" &&
    "input" in value &&
    isJsonObject(toJson(value.input))
  );
}
