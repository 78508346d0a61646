import { isFresh } from "../../../../core/guards/fresh.ts";
import { isJsonArray, isJsonObject, showJson } from "../../../../core/values/json.ts";
import type { JsonObject } from "../../../../core/values/json.ts";
import type { Guard, Scope } from "../../../../core/table/protocol.ts";
import { ROOT } from "../../../../core/state/state.ts";
import type { Finding, Unit } from "../../../../core/state/state.ts";
import { approvals } from "../decisions.ts";
import { looseFiles, taskChecks } from "../evidence.ts";
import { acceptedRed } from "./check.ts";
import { ACCEPTANCE } from "../rows.ts";
import {
  CHECKERS,
  CHECK_KINDS,
  type CheckKind,
  isSingleFinal,
  missingChecks,
  requiredChecks,
  tasksOf,
  verdictOf,
} from "../verdicts.ts";

/**
 * Guards on the gates after the loop: only what was checked may pass. Code changed since then, by whomever and
 * however the session came back, must be checked again by everybody whose check it needed.
 */
export const lateGuards: Readonly<Record<string, Guard>> = {
  "final-review": finalReview,
  "tree-checked": treeChecked,
  "late-turn": lateTurn,
  "task-green": taskGreen,
  "task-red": taskRed,
  "criteria-approved": criteriaApproved,
};

/**
 * Checking each task is not enough: before INTEGRATE, the whole must have been reviewed. Other checkers who
 * looked at the whole must have passed it too, because their findings belong to no single task. In a lean
 * session, the only task is the whole.
 */
function finalReview(scope: Scope): string | undefined {
  const { workflow, fact } = scope;
  const root = workflow.units[ROOT];
  if (root === undefined) return undefined;
  if (workflow.vars["mode"] === "lean")
    return tasksOf(workflow).every((task) => looksSame(scope, task))
      ? undefined
      : "the task is not what was checked any more";
  const missing = CHECK_KINDS.filter((kind) => {
    const state = verdictOf(workflow, root, kind, fact);
    return (
      state !== "passed" &&
      (state !== "none" || requiredChecks(workflow, root, fact).includes(kind))
    );
  });
  return missing.length === 0
    ? undefined
    : `the whole session has no fresh ${missing.join(", ")} that passed it`;
}

/** Every verdict on a completed task still applies to its current content. */
function looksSame({ workflow, fact }: Scope, task: Unit): boolean {
  return CHECK_KINDS.map((kind) => workflow.findings[`${task.id} ${kind} ${CHECKERS[kind]}`])
    .map((one) => one === undefined || isFresh(fact, one.bound))
    .every(Boolean);
}

/** Which checkers must look at the code again; undefined while that is not known. */
function lateChecks(scope: Scope): readonly CheckKind[] | undefined {
  const { workflow, fact } = scope;
  const root = workflow.units[ROOT];
  const now = fact(`code:${workflow.id}`);
  if (root === undefined || now === undefined) return undefined;
  if (typeof now === "string" && now === workflow.vars["checked"]) return [];
  const required = new Set([
    ...requiredChecks(workflow, root, fact),
    ...tasksOf(workflow).flatMap((task) => requiredChecks(workflow, task, fact)),
  ]);
  return CHECK_KINDS.filter(
    (kind) => required.has(kind) && verdictOf(workflow, root, kind, fact) !== "passed",
  );
}

function treeChecked(scope: Scope): string | undefined {
  const missing = lateChecks(scope) ?? [];
  return missing.length === 0
    ? undefined
    : `the code has changed since it was checked, and ${missing
        .map((kind) => CHECKERS[kind])
        .join(", ")} ${missing.length === 1 ? "has" : "have"} not passed it as it is now`;
}

function lateTurn(scope: Scope, args: JsonObject): string | undefined {
  const missing = lateChecks(scope);
  if (missing === undefined || missing[0] === args["kind"]) return undefined;
  return missing[0] === undefined ? "the code is as it was checked" : `${missing[0]} goes first`;
}

/**
 * The engine has run a task's own commands on the current content, and they passed. Nobody's word can replace
 * that.
 */
function taskGreen(scope: Scope): string | undefined {
  const { workflow, unit, fact } = scope;
  // While a checker is missing, nothing is run; another guard reports the missing one.
  if (isLate(scope, unit)) return undefined;
  if (commandsOf(scope).length === 0) return undefined;
  const check = taskChecks(workflow, unit.id);
  scope.run(check, ["changes:."]);
  const found = runOf(scope, check);
  if (found !== undefined && isFresh(fact, found.bound)) {
    if (found.value === "passed" || acceptedTask(scope, unit.id)) return undefined;
    return `${unit.id}: its own checks failed on what is there now`;
  }
  return `${unit.id}: its own checks have not been run on what is there now`;
}

function runOf({ workflow }: Scope, check: string): Finding | undefined {
  return Object.values(workflow.findings).find((one) => one.kind === check && one.unit === ROOT);
}

function commandsOf({ workflow, unit }: Scope): readonly string[] {
  const units = isSingleFinal(workflow) ? tasksOf(workflow) : [unit];
  return units
    .flatMap(({ data }) => (isJsonArray(data["checks"]) ? data["checks"].map(showJson) : []))
    .filter((name) => name.startsWith("cmd:"));
}

function acceptedTask(scope: Scope, unit: string): boolean {
  const task = isSingleFinal(scope.workflow) ? "meta" : unit;
  return acceptedRed(scope, `FIX_TESTS/${task}`, "IMPLEMENT_LOOP");
}

/** A task that every checker has passed but whose own commands fail. */
function taskRed(scope: Scope): string | undefined {
  const { workflow, unit, fact } = scope;
  const told = fact(`red:${workflow.id}`);
  const found = runOf(scope, taskChecks(workflow, unit.id));
  // While the run is being recorded, its result is not known yet.
  if (found === undefined || !isJsonObject(told) || told["seq"] !== found.seq) return NOT_RED;
  if (acceptedTask(scope, unit.id)) return NOT_RED;
  if (workflow.units[ROOT]?.at !== "IMPLEMENT_LOOP") return NOT_RED;
  // Files written by the run itself make every verdict stale too; that is fixed first.
  if (looseFiles(found, fact("changes:.")).length > 0) return undefined;
  const isRed = isFresh(fact, found.bound) && found.value !== "passed" && !isLate(scope, unit);
  return isRed ? undefined : NOT_RED;
}

const NOT_RED = "its own checks are not red";

/** A checker has not passed it yet; with single-final, this is about the whole session. */
function isLate({ workflow, fact }: Scope, task: Unit): boolean {
  const judged = isSingleFinal(workflow) ? workflow.units[ROOT] : task;
  return judged === undefined || missingChecks(workflow, judged, fact).length > 0;
}

/** The criteria are those that were approved, or in a lean session those it started with. */
function criteriaApproved({ workflow, fact, fill }: Scope): string | undefined {
  const path = fill(ACCEPTANCE);
  const key = `digest:${path}`;
  const [approved] = approvals(workflow);
  const wanted = approved?.[key] ?? workflow.vars["criteria"];
  return isFresh(fact, { [key]: wanted ?? "" })
    ? undefined
    : `${path} is not what was approved: the criteria have changed since`;
}
