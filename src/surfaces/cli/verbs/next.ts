import type { Answered } from "../../../operations/answers.ts";
import { next } from "../../../operations/next.ts";
import type {
  NextCandidate,
  NextInput,
  NextSteps,
  Startable,
  StepChecked,
} from "../../../operations/next.ts";
import type { Choice } from "../../../ports/family.ts";
import { adviceLines, questionLines, said, withShown } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Verb } from "../verb.ts";
import { listText } from "./list.ts";

type Told = NextSteps | StepChecked | Startable;

export const nextVerb: Verb<NextInput, Answered<Told>> = {
  operation: next,
  args: ["workflow", "step"],
  text: (answer) => {
    if ("workflows" in answer) return startableText(answer);
    return "candidates" in answer ? stepsText(answer) : stepText(answer);
  },
};

function stepsText(answer: NextSteps): string {
  const { bold } = style();
  const questions = questionLines(answer).slice(1);
  const text = [
    ...(questions.length === 0 ? [] : [...questions, ""]),
    ...answer.orders.flatMap((order) => [
      bold(`Order for ${order.role} (${order.dispatch})`),
      safe(order.prompt),
      "",
    ]),
    ...answer.candidates.map(line),
  ].join("\n");
  return [withShown(answer.shown, text), ...adviceLines(answer.advice)].join("\n");
}

/** Tasks share the names of their steps: each says whose it is. */
function line(candidate: NextCandidate): string {
  const { good, dim } = style();
  const { do: step, unit, label, allowed, refusals } = candidate;
  const name = safe(unit === undefined ? step : `${step} ${unit}`).padEnd(18);
  if (allowed) return `${good("→")} ${name} ${label}`;
  return dim(`  ${name} ${safe(refusals.map((one) => one.message).join("; "))}`);
}

function stepText({ do: step, gate = [] }: StepChecked): string {
  return [...gate.map(safe), `${style().good("→")} ${safe(step)} may be done`].join("\n");
}

/** What could be started here, behind what runs already. */
function startableText(answer: Startable): string {
  const { choices = [], workflows } = answer;
  if (choices.length === 0) return listText(answer);
  const running = workflows.length === 0 ? [] : [listText(answer), ""];
  return [...running, ...choices.flatMap(choiceLines)].join("\n");
}

function choiceLines({ next: name, run, counts, checked }: Choice): readonly string[] {
  const { good, dim, warn } = style();
  const sums = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return [
    name === null
      ? warn(`Nothing can be started: ${sums.join(", ")}`)
      : `${good("→")} ${safe(name)} can be started`,
    ...run.map((one) => dim(`    ${safe(said(one))}`)),
    ...checked
      .filter((one) => one.name !== name)
      .map((one) => dim(`  ${safe(one.name).padEnd(24)} ${safe(one.why)}`)),
  ];
}
