import type { Answer, Refusal } from "../../../core/decide/answer.ts";
import { remedyText } from "../../../core/table/remedy.ts";

/**
 * The two gates in the words of the scripts that they replace. The engine reports all reasons at once; these
 * reports show the checks in order, up to the first that failed.
 */
export interface GateReport {
  readonly passed: boolean;
  readonly lines: readonly string[];
  readonly failed: number | null;
  readonly route: string | null;
}

const EXIT_NAMES: readonly string[] = [
  "state is REQUIREMENTS",
  "lock belongs to this session",
  "directory is the task worktree",
  "task.md has its sections",
  "required agents have worktrees",
  "every agent is COMPLETE",
  "every report is valid",
  "transition log is complete",
  "no agent is in ERROR",
];

const ROUTES: readonly string[] = [
  "infrastructure",
  "infrastructure",
  "infrastructure",
  "task-md",
  "back-to-classified",
  "agent-recovery",
  "agent-recovery",
  "escalate",
  "re-invoke",
];

/** The nine checks, from the answer to the move that leaves REQUIREMENTS. */
export function exitReport(answer: Answer): GateReport {
  const failed = firstFailed(answer, /^exit-(\d)/, BEFORE_EXIT);
  const passed = EXIT_NAMES.slice(0, passedBefore(answer, failed, EXIT_NAMES.length)).map(
    (name, index) => `[${index + 1}/9] PASSED: ${name}`,
  );
  if (failed !== undefined) {
    const lines = [...passed, `[${failed.number}/9] FAILED: ${failed.refusal.message}`];
    const route = ROUTES[failed.number - 1] ?? null;
    return { passed: false, lines, failed: failed.number, route };
  }
  return allPassed(answer, passed, "ALL 9 CHECKS PASSED");
}

const CAUSES: readonly string[] = [
  "CLASSIFIED did not create task.md",
  "task.md was written without its report section",
  "REQUIREMENTS did not leave every report",
  "SYNTHESIS did not complete the plan",
  "no person has released this plan",
  "states were skipped",
  "the role limits were not acknowledged",
];

/** The seven guards, from the answer to the move that enters IMPLEMENTATION. */
export function entryReport(answer: Answer): GateReport {
  const failed = firstFailed(answer, /^entry-(\d)/, BEFORE_ENTRY);
  const length = passedBefore(answer, failed, CAUSES.length);
  const passed = Array.from({ length }, (_, index) => `Guard ${index + 1} PASSED`);
  if (failed === undefined) return allPassed(answer, passed, "ALL ENTRY GUARDS PASSED");
  const { number, refusal } = failed;
  const said = [
    `ENTRY GUARD FAILED: ${refusal.message}`,
    `EXPECTED: ${remedyText(refusal.fix)}`,
    `CAUSE: ${CAUSES[number - 1] ?? "unknown"}`,
    "ABORT: nothing was changed",
  ];
  return { passed: false, lines: [...passed, ...said], failed: number, route: "earlier-state" };
}

/** How many checks have passed for certain: none if the refusal came before the rows were evaluated. */
function passedBefore(answer: Answer, failed: FailedCheck | undefined, all: number): number {
  if (failed !== undefined) return failed.isRow ? failed.number - 1 : 0;
  return isRefused(answer) ? 0 : all;
}

/** If the refusal has another reason, the gate itself says nothing. */
function allPassed(answer: Answer, passed: readonly string[], end: string): GateReport {
  return isRefused(answer)
    ? { passed: false, lines: [], failed: null, route: null }
    : { passed: true, lines: [...passed, end], failed: null, route: null };
}

function isRefused(answer: Answer): boolean {
  return answer.kind === "refused" && answer.refusals.length > 0;
}

/** Refusals that come before the rows, and the check they correspond to. */
const BEFORE_EXIT: Readonly<Record<string, number>> = {
  "transition-illegal": 1,
  "lease-held": 2,
  "lease-missing": 2,
  "fence-stale": 2,
};
const BEFORE_ENTRY: Readonly<Record<string, number>> = { "transition-illegal": 6 };

interface FailedCheck {
  readonly number: number;
  readonly refusal: Refusal;
  /** Whether a row of the table failed, after the rows before it had passed. */
  readonly isRow: boolean;
}

function firstFailed(
  answer: Answer,
  numbered: RegExp,
  before: Readonly<Record<string, number>>,
): FailedCheck | undefined {
  if (answer.kind !== "refused") return undefined;
  const found = answer.refusals.flatMap((refusal): readonly FailedCheck[] => {
    const digit = numbered.exec(refusal.code)?.[1];
    const number = digit === undefined ? before[refusal.code] : Number(digit);
    return number === undefined ? [] : [{ number, refusal, isRow: digit !== undefined }];
  });
  return found.toSorted((a, b) => a.number - b.number)[0];
}

/** `GATE PASSED` or `GATE FAILED`, with the number of finished agents. */
export function gateLine(required: readonly string[], complete: readonly string[]): string {
  const late = required.filter((agent) => !complete.includes(agent));
  return late.length === 0
    ? `GATE PASSED: All ${required.length} agents COMPLETE`
    : `GATE FAILED: ${required.length - late.length}/${required.length} agents complete; missing: ${late.join(", ")}`;
}
