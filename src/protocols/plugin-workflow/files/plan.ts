import { plain, readMarkdown } from "../../../files/markdown.ts";
import type { Problem } from "../../../files/problem.ts";
import { textStart } from "../../../files/text.ts";

/**
 * The plan `plugins/<Plugin>/.ideas/plan.md`, as far as the workflow reads it (PW-299).
 *
 *   **Complexity Score:** 4.2 (Complex)
 *   ### Phase 3.1: Core processing           any heading level
 */
export interface ParsedPlan {
  readonly score: number | undefined;
  /** In order, each once. */
  readonly phases: readonly PlanPhase[];
  /** True if the score is at least 3 and there are phase headings. */
  readonly phased: boolean;
  readonly problems: readonly Problem[];
}

export interface PlanPhase {
  readonly stage: number;
  /** `"3.10"`. */
  readonly phase: string;
  readonly title: string;
  readonly line: number;
  /** The text below the heading, up to the next heading of the same or a higher level. */
  readonly section: string;
}

export function parsePlan(text: string): ParsedPlan {
  const { score, problems } = readScore(text);
  const found = readPhases(text);
  const seen = new Map(found.toReversed().map((one) => [one.phase, one]));
  const repeated = found.filter((one) => seen.get(one.phase) !== one).map(repeatedPhase);
  const ordered = [...seen.values()].toSorted((a, b) => a.stage - b.stage || part(a) - part(b));
  const phased = score !== undefined && score >= 3 && ordered.length > 0;
  const foreign = ordered.filter((one) => !PHASED.includes(one.stage)).map(foreignPhase);
  const lookalikes = readLookalikes(text, found);
  const wrong = [...repeated, ...foreign, ...gaps(ordered), ...lookalikes];
  return { score, phases: ordered, phased, problems: [...problems, ...wrong] };
}

function readScore(text: string): { score: number | undefined; problems: Problem[] } {
  const markdown = readMarkdown(text, textStart(text));
  for (const [at, line] of markdown.lines.entries()) {
    const kind = markdown.kinds[at];
    if (kind === "fence" || kind === "code" || kind === "html" || kind === "blank") continue;
    const match = SCORE.exec(plain(text.slice(line.start, Math.min(line.end, line.start + 200))));
    if (match === null) continue;
    const score = /^\d{1,3}(?:\.\d{1,6})?(?![\d.])/.exec(match[1] ?? "")?.[0];
    if (score !== undefined && Number(score) <= 5) return { score: Number(score), problems: [] };
    return { score: undefined, problems: [badScore(markdown.firstLine + at)] };
  }
  return { score: undefined, problems: [badScore(0)] };
}

const SCORE = /^(?:[-+#]+ +)?Complexity Score: *(.*)$/i;

function badScore(line: number): Problem {
  const message =
    line === 0
      ? "The plan has no complexity score"
      : "The plan's complexity score is not a number up to 5.0";
  const fix = "Write the line `**Complexity Score:** 4.2` into plan.md";
  return { code: "plan-score", line, message, fix, rule: "PW-299", severity: "error" };
}

function readPhases(text: string): PlanPhase[] {
  const markdown = readMarkdown(text, textStart(text));
  return markdown.headings.flatMap((heading) => {
    const match = PHASE_HEADING.exec(plain(heading.text));
    if (match === null) return [];
    const from = markdown.lines[heading.at]?.next ?? text.length;
    const until = markdown.lines[heading.until]?.start ?? text.length;
    const stage = Number(match[1]);
    const section = text.slice(from, until);
    return [
      {
        stage,
        phase: `${match[1]}.${match[2]}`,
        title: match[3] ?? "",
        line: markdown.firstLine + heading.at,
        section,
      },
    ];
  });
}

const PHASE_HEADING = /^(?:Stage \d[: -]+)?Phase (\d)\.([1-9]\d{0,3}): *(.*)$/i;

/**
 * Lines that a reader takes for a phase and that are none: headings written in another way, and phases that no heading
 * has, be it in a list, in bold or in a code block. A line that speaks of a phase with a heading is only text.
 */
function readLookalikes(text: string, found: readonly PlanPhase[]): readonly Problem[] {
  const { lines, headings, firstLine } = readMarkdown(text, textStart(text));
  const known = new Set(found.map(({ phase }) => phase));
  const taken = new Set(found.map(({ line }) => line));
  const titles = new Map(headings.map((heading) => [heading.at, plain(heading.text)]));
  return lines.flatMap(({ start, end }, at) => {
    const line = firstLine + at;
    if (taken.has(line)) return [];
    const title = titles.get(at);
    const written = plain(text.slice(start, Math.min(end, start + LINE_CHARS_MAX)));
    if (title !== undefined) return TITLED.test(title) ? [lookalike(line, title)] : [];
    const number = NUMBERED.exec(written)?.[1]?.replaceAll(/\s/g, "");
    return number === undefined || known.has(number) ? [] : [lookalike(line, written)];
  });
}

const LINE_CHARS_MAX = 200;
/** A heading that begins with a phase of any number, `3`, `3 .1` or `III`. */
const TITLED = /^(?:stage\s*\d+[\s:–—-]*)?phase[\s:#–—-]*(?:\p{N}|[ivx]+\b)/iu;
/** Any other line that begins with a phase of a stage, whatever marks stand before it. */
const NUMBERED =
  /^[\s>_+|#~"'([\]-]*(?:\d+[.)]\s+)?(?:\[[ x]\]\s*)?(?:stage\s*\d+[\s:–—-]*)?phase[\s:#–—-]*(\p{N}+(?:\s*\.\s*|,)\p{N}+(?:\.\p{N}+)*)/iu;

function lookalike(line: number, written: string): Problem {
  const message = `${JSON.stringify(written.slice(0, 80))} looks like a phase, and is not counted as one`;
  const fix =
    "Write it as a heading such as `### Phase 3.1: Core`, outside of code, or in other words";
  return { code: "plan-phase", line, message, fix, rule: "PW-299", severity: "error" };
}

/** The stages that may be done in phases. */
const PHASED: readonly number[] = [3, 4];

function foreignPhase(phase: PlanPhase): Problem {
  const message = `Phase ${phase.phase} is of stage ${phase.stage}, which has no phases`;
  const fix = "Only stages 3 and 4 are done in phases";
  return { code: "plan-phase", line: phase.line, message, fix, rule: "PW-299", severity: "error" };
}

function repeatedPhase(phase: PlanPhase): Problem {
  const message = `Phase ${phase.phase} has two headings`;
  const fix = "Give each phase a number of its own";
  return { code: "plan-phase", line: phase.line, message, fix, rule: "PW-299", severity: "error" };
}

/** The phases of a stage must count 1, 2, 3, …, because the workflow could never get past a missing number. */
function gaps(phases: readonly PlanPhase[]): Problem[] {
  return phases.flatMap((phase, index) => {
    const before = phases[index - 1];
    const expected = before?.stage === phase.stage ? part(before) + 1 : 1;
    if (part(phase) === expected) return [];
    const message = `Phase ${phase.phase} comes where ${phase.stage}.${expected} should be`;
    const fix = `Number the phases of stage ${phase.stage} without a gap`;
    return [
      {
        code: "plan-phase",
        line: phase.line,
        message,
        fix,
        rule: "PW-299",
        severity: "error" as const,
      },
    ];
  });
}

function part(phase: PlanPhase): number {
  return Number(phase.phase.split(".")[1]);
}
