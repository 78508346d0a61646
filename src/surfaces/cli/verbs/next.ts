import type { Answered } from "../../../operations/parts/answers.ts";
import { next } from "../../../operations/next.ts";
import type { NextInput, NextSteps, Startable, StepChecked } from "../../../operations/next.ts";
import type { Choice } from "../../../ports/family.ts";
import { adviceLines, questionLines, withShown } from "../text/reply.ts";
import { said } from "../text/said.ts";
import { flag } from "../../../operations/operation.ts";
import { stepLines } from "../text/steps.ts";
import { safe, style } from "../terminal/style.ts";
import { whereLine } from "../text/where.ts";
import type { More, Verb } from "../verb.ts";
import { listText, listedText } from "./list.ts";

type Told = NextSteps | StepChecked | Startable;

export const nextVerb: Verb<NextInput, Answered<Told>> = {
  operation: next,
  args: ["workflow", "step"],
  options: { all: flag("also the steps that are not possible now, and what each lacks") },
  text: (answer, more) => {
    if ("workflows" in answer) return startableText(answer);
    return "candidates" in answer ? stepsText(answer, more) : stepText(answer);
  },
};

function stepsText(answer: NextSteps, more: More): string {
  const questions = questionLines(answer, more.card).slice(1);
  const text = [
    whereLine(answer),
    ...(questions.length === 0 ? [] : ["", ...questions]),
    ...stepLines(answer, { all: more.flags["all"] === true }),
  ].join("\n");
  return [withShown(answer.shown, text, answer.workflow), ...adviceLines(answer.advice)].join("\n");
}

function stepText({ do: step, gate = [] }: StepChecked): string {
  return [...gate.map(safe), `${style().good("→")} ${safe(step)} may be done`].join("\n");
}

/** What could be started here, after what is already running. */
function startableText(answer: Startable): string {
  const { choices = [], workflows } = answer;
  if (choices.length === 0) return listText(answer);
  const running = workflows.length === 0 ? [] : [listedText(answer), ""];
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
