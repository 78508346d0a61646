import type { Answer, Refusal } from "../../core/answer.ts";

/**
 * The two gates in the words of the scripts they replace. The engine answers with every reason at once;
 * the script's reader sees the checks in order, up to the first that fails.
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
  const lines = EXIT_NAMES.slice(0, failed?.number ?? 9).map((name, index) => {
    const number = index + 1;
    return number === failed?.number
      ? `[${number}/9] FAILED: ${failed.refusal.message}`
      : `[${number}/9] PASSED: ${name}`;
  });
  if (failed === undefined)
    return { passed: true, lines: [...lines, "ALL 9 CHECKS PASSED"], failed: null, route: null };
  const route = ROUTES[failed.number - 1] ?? null;
  return { passed: false, lines, failed: failed.number, route };
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
  const passed = failed === undefined ? 7 : failed.number - 1;
  const lines = Array.from({ length: passed }, (_, index) => `Guard ${index + 1} PASSED`);
  if (failed === undefined)
    return {
      passed: true,
      lines: [...lines, "ALL ENTRY GUARDS PASSED"],
      failed: null,
      route: null,
    };
  const { number, refusal } = failed;
  const said = [
    `ENTRY GUARD FAILED: ${refusal.message}`,
    `EXPECTED: ${refusal.fix}`,
    `CAUSE: ${CAUSES[number - 1] ?? "unknown"}`,
    "ABORT: nothing was changed",
  ];
  return { passed: false, lines: [...lines, ...said], failed: number, route: "earlier-state" };
}

/** Refusals that come before the rows are read, by the check they stand for. */
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
    return number === undefined ? [] : [{ number, refusal }];
  });
  return found.toSorted((a, b) => a.number - b.number)[0];
}

/** `GATE PASSED` or `GATE FAILED`, with how many are done. */
export function gateLine(required: readonly string[], complete: readonly string[]): string {
  const late = required.filter((agent) => !complete.includes(agent));
  return late.length === 0
    ? `GATE PASSED: All ${required.length} agents COMPLETE`
    : `GATE FAILED: ${required.length - late.length}/${required.length} agents complete; missing: ${late.join(", ")}`;
}
