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
 * Guards on what the gates after the loop let through: exactly what was checked. Code that changed since, whoever changed
 * it and whichever way the session came back, is looked at again by everybody whose check it needed.
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
 * Task by task is not enough: before INTEGRATE somebody has looked at the whole. Whoever else did has to have passed it:
 * what was found there belongs to no task whose promotion would ask for it. In a lean session the one task is the whole.
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

/** Every verdict on a task that is completed is still about what is there. */
function looksSame({ workflow, fact }: Scope, task: Unit): boolean {
  return CHECK_KINDS.map((kind) => workflow.findings[`${task.id} ${kind} ${CHECKERS[kind]}`])
    .map((one) => one === undefined || isFresh(fact, one.bound))
    .every(Boolean);
}

/** Who has to look at the code once more; undefined while it is not known. */
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

/** The engine has run a task's own commands on what is there now: nobody's word makes a red task complete. */
function taskGreen(scope: Scope): string | undefined {
  const { workflow, unit, fact } = scope;
  // While a checker is missing nothing is run; that one is named by its own guard.
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

/** A task that everybody has passed, whose own commands fail. */
function taskRed(scope: Scope): string | undefined {
  const { workflow, unit, fact } = scope;
  const told = fact(`red:${workflow.id}`);
  const found = runOf(scope, taskChecks(workflow, unit.id));
  // While the run itself is being recorded, nobody has told yet what came of it.
  if (found === undefined || !isJsonObject(told) || told["seq"] !== found.seq) return NOT_RED;
  if (acceptedTask(scope, unit.id)) return NOT_RED;
  if (workflow.units[ROOT]?.at !== "IMPLEMENT_LOOP") return NOT_RED;
  // What a run wrote itself makes every verdict stale as well: that is mended first.
  if (looseFiles(found, fact("changes:.")).length > 0) return undefined;
  const isRed = isFresh(fact, found.bound) && found.value !== "passed" && !isLate(scope, unit);
  return isRed ? undefined : NOT_RED;
}

const NOT_RED = "its own checks are not red";

/** A checker has not passed it yet; in a single pass at the end, the whole session. */
function isLate({ workflow, fact }: Scope, task: Unit): boolean {
  const judged = isSingleFinal(workflow) ? workflow.units[ROOT] : task;
  return judged === undefined || missingChecks(workflow, judged, fact).length > 0;
}

/** The criteria are those that were approved; in a lean session, those it began with. */
function criteriaApproved({ workflow, fact, fill }: Scope): string | undefined {
  const path = fill(ACCEPTANCE);
  const key = `digest:${path}`;
  const [approved] = approvals(workflow);
  const wanted = approved?.[key] ?? workflow.vars["criteria"];
  return isFresh(fact, { [key]: wanted ?? "" })
    ? undefined
    : `${path} is not what was approved: the criteria have changed since`;
}
