/** What can be done next. The step forward comes first, with the command to copy. */
import type { NextCandidate, NextSteps } from "../../../operations/next.ts";
import type { OrderAnswer } from "../../../operations/parts/answers.ts";
import { padTo } from "../terminal/fit.ts";
import { refusalText } from "./said.ts";
import { safe, style } from "../terminal/style.ts";

/** The reasons why other steps are not possible are shown only if all are asked for. */
export function stepLines(
  answer: NextSteps,
  { all = false, told = false }: { readonly all?: boolean; readonly told?: boolean } = {},
): readonly string[] {
  const { workflow, candidates, orders, blocked } = answer;
  const first = candidates.find((one) => leadsOn(one, answer));
  const rest = candidates.filter((one) => one !== first);
  const possible = rest.filter((one) => one.allowed);
  const explained = rest.filter((one) => lacksReason(one));
  const others = rest.filter((one) => !one.allowed && !lacksReason(one));
  return [
    ...(blocked === undefined ? [] : ["", refusalText(blocked)]),
    ...(orders.length === 0 || told ? [] : ["", ...orders.map((one) => outLine(one))]),
    ...(orders.length === 0 ? [] : told ? ["", ...orderHow(answer).slice(1)] : orderHow(answer)),
    ...(first === undefined ? [] : ["", ...firstLines(first, workflow)]),
    ...(possible.length === 0
      ? []
      : ["", first === undefined ? "Possible now:" : "Also possible:"]),
    ...possible.map((one) => `  ${padTo(nameOf(one), widest(possible))}  ${safe(one.label)}`),
    ...(possible.length === 0 ? [] : [`    holdpoint advance ${workflow} ${typed(possible)}`]),
    ...withReason(explained, workflow),
    ...impossible(others, workflow, all),
  ];
}

/** Nothing but a reason is missing. */
function lacksReason({ refusals }: NextCandidate): boolean {
  return refusals.length > 0 && refusals.every(({ code }) => code === "reason-missing");
}

function withReason(steps: readonly NextCandidate[], workflow: string): readonly string[] {
  if (steps.length === 0) return [];
  return [
    "",
    "Possible with a reason:",
    ...steps.map((one) => `  ${padTo(nameOf(one), widest(steps))}  ${safe(one.label)}`),
    `    holdpoint advance ${workflow} ${typed(steps)} --reason "..."`,
  ];
}

/** For answers that already list the work that is out and what blocks it: only the step forward. */
export function waysOn(answer: NextSteps): NextSteps {
  const { blocked: _, ...rest } = answer;
  const candidates = answer.candidates.filter((one) => leadsOn(one, answer));
  return { ...rest, candidates };
}

/** While somebody is working, a step that lacks something usually waits for that work. */
function leadsOn(one: NextCandidate, { forward, orders }: NextSteps): boolean {
  return (
    one.do === forward?.do && one.unit === forward.unit && (one.allowed || orders.length === 0)
  );
}

function firstLines(step: NextCandidate, workflow: string): readonly string[] {
  const { good, bold } = style();
  const command = `    holdpoint advance ${workflow}`;
  if (step.allowed) return [`${good("→")} ${bold(`Next: ${safe(step.label)}`)}`, command];
  return [
    bold(`Before the next step (${nameOf(step)}):`),
    ...step.refusals.map((one) => refusalText(one)),
    step.runs === true ? "then (the checks run on what is there)" : "then",
    command,
  ];
}

function outLine({ role, dispatch }: OrderAnswer): string {
  return `${style().bold(safe(role))} is at work (${dispatch})`;
}

function orderHow({ workflow, orders }: NextSteps): readonly string[] {
  const [first] = orders;
  const which = orders.length === 1 || first === undefined ? "" : ` --dispatch ${first.dispatch}`;
  return [
    `    holdpoint order ${workflow}${which}`,
    `    holdpoint report ${workflow} <file>${which}`,
  ];
}

function impossible(
  others: readonly NextCandidate[],
  workflow: string,
  all: boolean,
): readonly string[] {
  const { dim } = style();
  if (others.length === 0) return [];
  if (!all) {
    const count = others.length === 1 ? "One step is" : `${others.length} steps are`;
    return ["", dim(`${count} not possible now: holdpoint next ${workflow} --all`)];
  }
  return [
    "",
    "Not possible now:",
    ...others.flatMap((one) => [
      `  ${nameOf(one)}`,
      ...one.refusals.map(({ message }) => dim(`    ${safe(message)}`)),
    ]),
  ];
}

/** Tasks have steps of the same name, so the task is named too. */
function nameOf({ do: step, unit }: NextCandidate): string {
  return safe(unit === undefined ? step : `${step} ${unit}`);
}

/** The step as it is typed, if there is only one; otherwise a placeholder. */
function typed([first, ...others]: readonly NextCandidate[]): string {
  if (first === undefined || others.length > 0) return "<step>";
  return first.unit === undefined ? first.do : `${first.do} --unit ${first.unit}`;
}

function widest(steps: readonly NextCandidate[]): number {
  return Math.max(...steps.map((one) => nameOf(one).length));
}
