import { isFresh } from "../../../../core/guards/fresh.ts";
import { isJsonArray, isJsonObject, member, showJson } from "../../../../core/values/json.ts";
import type { Json, JsonObject } from "../../../../core/values/json.ts";
import type { Guard, Scope } from "../../../../core/table/protocol.ts";
import { ROOT } from "../../../../core/state/state.ts";
import type { Finding, Unit } from "../../../../core/state/state.ts";
import { looseFiles, runsIn } from "../evidence.ts";
import {
  CHECK_KINDS,
  isSingleFinal,
  missingChecks,
  nextCheck,
  tasksOf,
  verdictOf,
} from "../verdicts.ts";

/** Guards on checks: whose turn it is, what is missing, what was run and attested. */
export const checkGuards: Readonly<Record<string, Guard>> = {
  checked,
  turn,
  batch,
  ready,
  "agents-used": agentsUsed,
  "checks-green": checksGreen,
  "some-red": someRed,
  "not-red": notRed,
  integrated,
  "criteria-met": criteriaMet,
  attested,
};

/**
 * Every check that a task needs has passed on its current content. With single-final, this is asked of the whole
 * session.
 */
function checked(scope: Scope): string | undefined {
  const { workflow, unit } = scope;
  if (!isSingleFinal(workflow)) return sentence(unit.id, missingChecks(workflow, unit, scope.fact));
  const late = tasksOf(workflow).filter((one) => !["implemented", "completed"].includes(one.at));
  if (late.length > 0) return `${ids(late)} not yet implemented`;
  const root = workflow.units[ROOT];
  return root === undefined
    ? undefined
    : sentence("session", missingChecks(workflow, root, scope.fact));
}

function sentence(what: string, missing: readonly string[]): string | undefined {
  return missing.length === 0 ? undefined : `${what}: ${missing.join("; ")}`;
}

function ids(units: readonly Unit[]): string {
  return units.map((one) => one.id).join(", ");
}

/** Reviewer, then QA, then Security. After a repair, the one who blocked comes first. */
function turn(scope: Scope, args: JsonObject): string | undefined {
  const { workflow, unit } = scope;
  const kind = CHECK_KINDS.find((one) => one === args["kind"]) ?? "review";
  const root = unit.id === ROOT;
  if (!root && isSingleFinal(workflow))
    return "the strategy is single-final: no task is checked on its own";
  if (root) {
    const wanted = isSingleFinal(workflow) ? ["implemented", "completed"] : ["completed"];
    const late = tasksOf(workflow).filter((one) => !wanted.includes(one.at));
    if (late.length > 0) return `${ids(late)} not yet ${wanted[0] ?? ""}`;
  }
  const next = nextCheck(workflow, unit, scope.fact);
  if (next === kind) return undefined;
  if (next !== undefined) return `${next} goes first`;
  return verdictOf(workflow, unit, kind, scope.fact) === "passed"
    ? `${kind} has already passed what is there now`
    : undefined;
}

/** With checks for each task, the next task begins only after the one before has passed. */
function batch({ workflow, unit }: Scope): string | undefined {
  if (isSingleFinal(workflow)) return undefined;
  const open = tasksOf(workflow).filter(
    (one) => one.id !== unit.id && ["in-progress", "implemented"].includes(one.at),
  );
  return open.length === 0 ? undefined : `${ids(open)} is not checked yet`;
}

/** The task's dependencies are completed, or with single-final at least implemented. */
function ready({ workflow, unit }: Scope): string | undefined {
  const done = isSingleFinal(workflow) ? ["implemented", "completed"] : ["completed"];
  const after = unit.data["after"];
  const late = (isJsonArray(after) ? after : []).filter(
    (id) => !done.includes(member(workflow.units, showJson(id))?.at ?? ""),
  );
  return late.length === 0
    ? undefined
    : `${unit.id} depends on ${late.map(showJson).join(", ")}, which is not ${done[0] ?? ""}`;
}

function agentsUsed({ workflow }: Scope, args: JsonObject): string | undefined {
  const reopened = workflow.units[ROOT]?.entered["DONE"] ?? 0;
  const used = new Set(
    Object.values(workflow.dispatches)
      .filter((one) => one.sentSeq > reopened && WORKED.includes(one.outcome ?? ""))
      .map((one) => one.role),
  );
  const { used: before } = workflow.vars;
  // An adopted session has no dispatches for earlier work, so its files show which agents were used.
  if (reopened === 0 && isJsonArray(before)) for (const agent of before) used.add(showJson(agent));
  const wanted = isJsonArray(args["agents"]) ? args["agents"].map(showJson) : [];
  const idle = wanted.filter((agent) => !used.has(agent));
  return idle.length === 0 ? undefined : `not at work in this session yet: ${idle.join(", ")}`;
}

const WORKED: readonly string[] = [
  "OK",
  "OK_WITH_NOTES",
  "BLOCKED",
  "NEEDS_DECISION",
  "NEEDS_INFO",
];

interface Checks {
  readonly commands: readonly string[];
  readonly manuals: readonly string[];
}

function taskChecks(scope: Scope): Checks {
  const all = tasksOf(scope.workflow).flatMap(({ data }) =>
    isJsonArray(data["checks"]) ? data["checks"].map(showJson) : [],
  );
  const names = [...new Set(all)];
  return {
    commands: names.filter((name) => name.startsWith("cmd:")),
    manuals: names.filter((name) => name.startsWith("manual:")),
  };
}

/** CI is green, or every command has passed on the current content since INTEGRATE was entered. */
function checksGreen(scope: Scope): string | undefined {
  const { commands, manuals } = taskChecks(scope);
  if (ciColour(scope) === "green" || acceptedRed(scope)) return undefined;
  const names = commands.length > 0 ? commands : manuals;
  if (names.length === 0) return "there is no check at all that could show it works";
  const open = names.flatMap((name) => lacking(scope, name));
  return open.length === 0 ? undefined : open.join("; ");
}

/** Why a check does not count: how it failed, or that it was not run on the current content. */
function lacking(scope: Scope, name: string): readonly string[] {
  if (isMet(scope, name, "INTEGRATE")) return [];
  if (name.startsWith("manual:")) return [`no named person has vouched for "${name}"`];
  const found = latestOf(scope, name, "INTEGRATE");
  if (found !== undefined && runsIn(found).length === 0)
    return [`${name}: ${resultIn(found) ?? "unknown"}`];
  const run = found === undefined ? undefined : runsIn(found).find((one) => one.name === name);
  return [run === undefined ? notRun(scope, name) : `${name}: ${run.ended}`];
}

/** Files that the last run changed while judging them. */
function looseNow({ workflow, fact }: Scope): readonly string[] {
  const latest = workflow.findings[`${ROOT} checks engine`];
  const since = workflow.units[ROOT]?.entered["INTEGRATE"] ?? 0;
  return latest === undefined || latest.seq <= since ? [] : looseFiles(latest, fact("changes:."));
}

function notRun(scope: Scope, name: string): string {
  const changed = looseNow(scope);
  return changed.length === 0
    ? `not run on what is there now: ${name}`
    : `${name} does not count: ${changed.join(", ")} changed while the checks ran`;
}

/** A `manual:` check of a task needs a named person's word, whatever the commands say. */
function attested(scope: Scope): string | undefined {
  const open = taskChecks(scope).manuals.flatMap((name) => lacking(scope, name));
  return open.length === 0 ? undefined : open.join("; ");
}

function someRed(scope: Scope): string | undefined {
  const red = Object.values(scope.workflow.findings).some(
    (one) =>
      one.unit === ROOT &&
      (one.kind === "checks" || one.kind.startsWith("check:")) &&
      resultIn(one) === "failed" &&
      counts(scope, one, "INTEGRATE"),
  );
  return red || ciColour(scope) === "red" || looseNow(scope).length > 0
    ? undefined
    : "no check has failed on what is there now";
}

function notRed(scope: Scope): string | undefined {
  return someRed(scope) === undefined && !acceptedRed(scope)
    ? "the last checks are red"
    : undefined;
}

/** A person has accepted failing checks, for exactly this content. */
export function acceptedRed(scope: Scope, budget = "FIX_BUILD/meta", state = "INTEGRATE"): boolean {
  const since = scope.workflow.units[ROOT]?.entered[state] ?? 0;
  return Object.values(scope.workflow.decisions).some(
    (one) =>
      one.question === "retry-exhausted" &&
      one.about["budget"] === budget &&
      one.settled?.option === "known-issues" &&
      one.settled.seq >= since &&
      isFresh(scope.fact, one.bound),
  );
}

function integrated(scope: Scope): string | undefined {
  const since = scope.workflow.units[ROOT]?.entered["IMPLEMENT_LOOP"] ?? 0;
  const finding = scope.workflow.findings[`${ROOT} integrate Integrator`];
  const done = finding?.value === "OK" && finding.seq > since;
  return done || acceptedRed(scope) ? undefined : "the Integrator has not brought it together";
}

function ciColour(scope: Scope): Json {
  const finding = scope.workflow.findings[`${ROOT} ci engine`];
  return finding !== undefined && counts(scope, finding, "INTEGRATE") ? finding.value : "unknown";
}

function counts(scope: Scope, finding: Finding, since: string): boolean {
  const entered = scope.workflow.units[ROOT]?.entered[since] ?? 0;
  return finding.seq > entered && isFresh(scope.fact, finding.bound);
}

/** The result of a check: from the engine's run or, for a manual one, a named person's word. */
function resultOf(scope: Scope, name: string, since: string): string | undefined {
  const found = latestOf(scope, name, since);
  if (found === undefined) return undefined;
  const runs = runsIn(found);
  if (runs.length === 0) return resultIn(found);
  // A run only counts for the commands it contained.
  const run = runs.find((one) => one.name === name);
  return run === undefined ? undefined : run.passed ? "passed" : "failed";
}

function latestOf(scope: Scope, name: string, since: string): Finding | undefined {
  const kinds = name.startsWith("manual:") ? [`attest:${name}`] : [`check:${name}`, "checks"];
  return Object.values(scope.workflow.findings)
    .filter((one) => one.unit === ROOT && kinds.includes(one.kind) && counts(scope, one, since))
    .toSorted((a, b) => b.seq - a.seq)[0];
}

function resultIn({ value }: Finding): string | undefined {
  const result = isJsonObject(value) ? value["result"] : value;
  return typeof result === "string" ? result : undefined;
}

function isMet(scope: Scope, name: string, since: string): boolean {
  return resultOf(scope, name, since) === "passed";
}

/** Every acceptance criterion is proved on the current content, or waived by a person. */
function criteriaMet(scope: Scope): string | undefined {
  const criteria = scope.fact(`acceptance:${scope.workflow.id}`);
  if (criteria === undefined) return undefined;
  if (!isJsonArray(criteria)) return "acceptance.json cannot be read";
  const unmet = criteria.flatMap((one) => {
    if (!isJsonObject(one) || isWaived(scope, showJson(one["id"]))) return [];
    const checks = isJsonArray(one["checks"]) ? one["checks"].map(showJson) : [];
    const open = checks.flatMap((name) => lacking(scope, name));
    return open.length === 0 && checks.length > 0
      ? []
      : [`${showJson(one["id"])} (${open.join("; ")})`];
  });
  return unmet.length === 0 ? undefined : `not met: ${unmet.join(", ")}`;
}

function isWaived(scope: Scope, id: string): boolean {
  return Object.values(scope.workflow.findings).some((one) => one.kind === `waiver:${id}`);
}
