import type { Event } from "../state/events.ts";
import { isFresh } from "./fresh.ts";
import { isJsonObject, showJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { objects, text, texts } from "../values/json-read.ts";
import type { Protocol } from "../table/protocol.ts";
import type { CheckedGuard, Scope, Test } from "../table/row.ts";
import { ROOT } from "../state/state.ts";
import type { Finding } from "../state/state.ts";
import { isUnknown, whyUnknown } from "../values/unknown.ts";

/**
 * Guards on the checks that the engine runs. A check may not have run, have failed, have run on another tree, or
 * have changed the files it was judging. Each gets its own message, and none passes.
 */
export const CHECK_GUARDS: Readonly<Record<string, CheckedGuard>> = {
  passed: { check: guardPassed, args: { check: "text", binds: "facts" } },
};

/**
 * The fact that lists the commands of a check, or `{ "none": why }` if the repository says that it has no such
 * check.
 */
function checkKey(check: string): string {
  return `check:${check}`;
}

/** The fact that holds a check's command. A result counts only for the command it came from. */
export function commandKey(check: string): string {
  return `command:${check}`;
}

/** The checks that some row of the protocol requires. */
export function checksIn(protocol: Protocol): readonly string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { guard, args }: Partial<Test> = value;
    if (guard === "passed") found.push(text(args?.["check"]));
    Object.values(value).forEach(walk);
  };
  walk([protocol.kinds, protocol.work, protocol.questions]);
  return [...new Set(found)];
}

/** Why the repository has no such check, if it says so. */
export function whyNone(fact: Json | undefined): string | undefined {
  const why = isJsonObject(fact) ? fact["none"] : undefined;
  return typeof why === "string" ? why : undefined;
}

/** A remark for each gate that passed only because the repository has no such check. */
export function unchecked(
  events: readonly Event[],
  used: Readonly<Record<string, Json>>,
): readonly Event[] {
  if (!events.some((one) => one.type === "unit.moved" || one.type === "dispatch.ended")) return [];
  return Object.entries(used).flatMap(([key, value]): readonly Event[] => {
    const why = key.startsWith("check:") ? whyNone(value) : undefined;
    if (why === undefined) return [];
    const check = key.slice("check:".length);
    const text = `${check} did not run: none here (${why})`;
    return [{ type: "warned", about: key, text }];
  });
}

/** Passes if the engine ran the check with its current command on exactly these facts, and it succeeded. */
function guardPassed(scope: Scope, args: JsonObject): string | undefined {
  const check = text(args["check"]);
  const binds = texts(args["binds"]);
  const there = scope.fact(checkKey(check));
  if (whyNone(there) !== undefined) return undefined;
  if (there === false)
    return `${check} did not run: the repository's configuration, as it is committed, neither says what to run for "${check}" nor why there is none`;
  scope.run(check, binds);
  const keys = [...binds.map((key) => scope.fill(key)), commandKey(check)];
  const found = Object.values(scope.workflow.findings).filter(
    ({ kind, unit, bound }) =>
      kind === check && unit === ROOT && keys.every((key) => Object.hasOwn(bound, key)),
  );
  const fresh = found.filter(({ bound }) => isFresh(scope.fact, bound));
  if (fresh.some(({ value }) => value === "passed")) return undefined;
  const odd = found.length > 0 ? keys.map((key) => scope.fact(key)).find(isUnknown) : undefined;
  if (odd !== undefined) return `${check} can vouch for nothing here: ${whyUnknown(odd)}`;
  const [latest] = fresh.toSorted((a, b) => b.seq - a.seq);
  if (latest !== undefined) return tellRun(check, latest);
  return found.length === 0
    ? `${check} did not run on what is there now`
    : `${check} is stale: it ran, but not on what is there now, or not as it is configured now`;
}

/** Describes a run that did not pass, with the end of its output. */
function tellRun(check: string, { value, detail }: Finding): string {
  const runs = objects(detail?.["runs"]).filter((run) => run["passed"] !== true);
  const ended = runs.map((run) => showJson(run["ended"] ?? "")).join(", ");
  const printed = runs.map((run) => showJson(run["tail"] ?? "").trim()).filter(Boolean);
  if (value === "void") {
    const paths = texts(detail?.["changed"]);
    const more = paths.length > PATHS_MAX ? ` and ${paths.length - PATHS_MAX} more` : "";
    const named = paths.length === 0 ? "" : ` (${paths.slice(0, PATHS_MAX).join(", ")}${more})`;
    return `${check} counts for nothing: what it judges was written to while it ran${named}`;
  }
  const what =
    value === "not-run" ? `${check} did not run` : `${check} failed on what is there now`;
  return [`${what}${ended === "" ? "" : ` (${ended})`}`, ...printed].join("\n");
}

const PATHS_MAX = 5;
