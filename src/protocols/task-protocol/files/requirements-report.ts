import type { Problem } from "../../../files/problem.ts";
import { requirementIds } from "./synthesis-md.ts";

/**
 * `<task>-<agent>-requirements.md`: what one agent asks of the task. Markdown, at least 100 bytes;
 * agents end it with `REQUIREMENTS COMPLETE: {domain} analysis provided`.
 */
export const REPORT_BYTES_MIN: number = 100;

export interface RequirementsReport {
  readonly bytes: number;
  readonly requirements: readonly string[];
  /** Whether the closing line is there. */
  readonly closed: boolean;
  readonly problems: readonly Problem[];
}

/** Codes: `report-empty`, `report-short`. The length is counted in bytes and not in characters. */
export function parseRequirementsReport(
  text: string,
  bytesMin: number = REPORT_BYTES_MIN,
): RequirementsReport {
  const bytes = byteLength(text);
  const empty = text.trim() === "";
  const problem = (code: string, message: string): Problem => ({
    code,
    line: 0,
    message,
    fix: "Let the agent write its requirements and success criteria.",
    rule: "TP-094",
    severity: "error",
  });
  const problems = empty
    ? [problem("report-empty", "The report is empty; that never means there are no requirements")]
    : bytes < bytesMin
      ? [problem("report-short", `The report has ${bytes} bytes, at least ${bytesMin} are needed`)]
      : [];
  return {
    bytes: empty ? 0 : bytes,
    requirements: requirementIds(text),
    closed: /^\s*REQUIREMENTS COMPLETE:/m.test(text),
    problems,
  };
}

/** Counts UTF-8 bytes without an encoder. */
function byteLength(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const point = char.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
  }
  return bytes;
}

export function reportName(task: string, agent: string): string {
  return `${task}-${agent}-requirements.md`;
}
