import { childrenOf } from "../../../core/decide/draft.ts";
import { isFresh } from "../../../core/guards/fresh.ts";
import { isJsonArray, isJsonObject } from "../../../core/values/json.ts";
import type { Json } from "../../../core/values/json.ts";
import { ROOT } from "../../../core/state/state.ts";
import type { Dispatch, Finding, Unit, Workflow } from "../../../core/state/state.ts";
import { isCode, isProduct } from "./paths.ts";

/**
 * The checkers' verdicts, and whether they still count. A verdict applies to the content it was given for. Notes,
 * decisions and exhausted repairs count once a person has answered the questions they led to.
 */
export type CheckKind = "review" | "qa" | "security";

export const CHECKERS: Readonly<Record<CheckKind, string>> = {
  review: "Reviewer",
  qa: "QA",
  security: "Security",
};

export const CHECK_KINDS: readonly CheckKind[] = ["review", "qa", "security"];

export type VerdictState = "none" | "stale" | "open" | "blocked" | "passed";

export type ReadFact = (key: string) => Json | undefined;

export function verdictOf(
  workflow: Workflow,
  unit: Unit,
  kind: CheckKind,
  fact: ReadFact,
): VerdictState {
  const finding = workflow.findings[`${unit.id} ${kind} ${CHECKERS[kind]}`];
  // A session that was reopened starts over.
  if (finding === undefined || finding.seq <= (unit.entered["DONE"] ?? 0)) return "none";
  const ended = unit.entered["completed"] ?? 0;
  if (!isFresh(fact, finding.bound) || finding.seq <= ended) return "stale";
  return finding.value === "OK" ? "passed" : settledState(workflow, finding);
}

/** Options by which a person accepts what a checker did not simply pass. */
const LETTING: Readonly<Record<string, readonly string[]>> = {
  "review-notes": ["accept", "skip", "no-response"],
  "security-finding": ["fix-later", "accept-risk", "defer"],
  "retry-exhausted": ["known-issues"],
};

/** Questions asked in the same record belong to the verdict, and all of them must have been accepted. */
function settledState(workflow: Workflow, finding: Finding): VerdictState {
  const asked = Object.values(workflow.decisions).filter(
    (one) => one.askedSeq === finding.seq && one.question in LETTING,
  );
  if (asked.length === 0) return "blocked";
  if (asked.some((one) => one.status === "open")) return "open";
  const passed = asked.every((one) => LETTING[one.question]?.includes(one.settled?.option ?? ""));
  return passed ? "passed" : "blocked";
}

/**
 * Which checks a unit needs: the whole session all three, a task those that follow from its kind and its Coder's
 * report.
 */
export function requiredChecks(
  workflow: Workflow,
  unit: Unit,
  fact: ReadFact,
): readonly CheckKind[] {
  if (unit.id === ROOT) return isSingleFinal(workflow) ? CHECK_KINDS : ["review"];
  const claims = claimsOn(workflow, unit.id, "Coder");
  const needsTests = claims.some((claim) => claim["needs_tests"] === true);
  const concerns = claims.some((claim) => filled(claim["concerns"]));
  const risks = unit.data["risks"];
  const flagged = isJsonArray(risks) && risks.includes("security");
  return CHECK_KINDS.filter((kind) => {
    if (kind === "review") return true;
    if (kind === "qa") return needsTests || concernsBehaviour(workflow, unit, fact);
    return flagged || concerns;
  });
}

/**
 * In full mode, everything but documents and chores; a lean task itself says whether behaviour changed. The
 * measured change counts more than the label: a document task must change no code, a chore no product code.
 */
function concernsBehaviour(workflow: Workflow, unit: Unit, fact: ReadFact): boolean {
  const type = unit.data["type"] ?? null;
  if (type === null) return workflow.vars["mode"] !== "lean";
  if (type !== "docs" && type !== "chore") return true;
  const changed = fact(`changes:${unit.id}`);
  if (changed === undefined) return false;
  const concerns = type === "docs" ? isCode : isProduct;
  return !isJsonObject(changed) || Object.keys(changed).some(concerns);
}

function filled(value: Json | undefined): boolean {
  return isJsonArray(value) && value.length > 0;
}

export function claimsOn(
  workflow: Workflow,
  unit: string,
  role: string,
): readonly NonNullable<Dispatch["claim"]>[] {
  return Object.values(workflow.dispatches).flatMap((one) =>
    one.unit === unit && one.role === role && one.claim !== null ? [one.claim] : [],
  );
}

export function isSingleFinal({ vars }: Workflow): boolean {
  return vars["mode"] === "full" && vars["strategy"] === "single-final";
}

/** The check whose turn it is: whoever blocked first, or else the first required one that is missing. */
export function nextCheck(workflow: Workflow, unit: Unit, fact: ReadFact): CheckKind | undefined {
  const states = new Map(CHECK_KINDS.map((kind) => [kind, verdictOf(workflow, unit, kind, fact)]));
  const blocker =
    CHECK_KINDS.find((kind) => states.get(kind) === "blocked") ??
    lastObjector(workflow, unit, states);
  if (blocker !== undefined) return blocker;
  return requiredChecks(workflow, unit, fact).find((kind) => states.get(kind) !== "passed");
}

/** After a repair the old verdict is stale, but the checker who asked for it still goes first. */
function lastObjector(
  workflow: Workflow,
  unit: Unit,
  states: ReadonlyMap<CheckKind, VerdictState>,
): CheckKind | undefined {
  const seq = (kind: CheckKind): number => {
    const finding = workflow.findings[`${unit.id} ${kind} ${CHECKERS[kind]}`];
    return finding === undefined || finding.value === "OK" ? 0 : finding.seq;
  };
  return CHECK_KINDS.filter((kind) => states.get(kind) === "stale" && seq(kind) > 0).toSorted(
    (a, b) => seq(b) - seq(a),
  )[0];
}

export function missingChecks(workflow: Workflow, unit: Unit, fact: ReadFact): readonly string[] {
  return requiredChecks(workflow, unit, fact).flatMap((kind) => {
    const state = verdictOf(workflow, unit, kind, fact);
    return state === "passed" ? [] : [`${CHECKERS[kind]} ${SAYS[state]}`];
  });
}

const SAYS: Readonly<Record<Exclude<VerdictState, "passed">, string>> = {
  none: "has not looked at it",
  stale: "looked at something that has changed since",
  open: "waits for a person's decision",
  blocked: "blocked it",
};

export function tasksOf(workflow: Workflow): readonly Unit[] {
  return childrenOf(workflow, "task");
}
