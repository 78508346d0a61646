import type { Answered, Taken } from "../../../operations/parts/answers.ts";
import { reconcile } from "../../../operations/reconcile.ts";
import type { GapsFound, ReconcileInput } from "../../../operations/reconcile.ts";
import { exitOf, takenText } from "../text/reply.ts";
import { said } from "../text/said.ts";
import { safe, style } from "../terminal/style.ts";
import type { Verb } from "../verb.ts";

export const reconcileVerb: Verb<ReconcileInput, Answered<GapsFound | Taken>> = {
  operation: reconcile,
  args: ["workflow"],
  // A person must choose; until then the workflow is held.
  exit: (answer) => ("gaps" in answer && !answer.ok ? 11 : exitOf(answer)),
  text: (answer, more) => ("gaps" in answer ? gapsText(answer) : takenText(answer, more)),
};

function gapsText({ ok, workflow, gaps, pending, choices }: GapsFound): string {
  const { good, warn, dim, bold } = style();
  const section = (title: string, rows: readonly string[]): readonly string[] =>
    rows.length === 0 ? [] : [bold(title), ...rows.map((row) => `  ${warn("!")} ${safe(row)}`)];
  return [
    ...section("Files", gaps.files),
    ...section("State", gaps.state),
    ...section("Git", gaps.git),
    ...pending.map((one) => `  ${warn("!")} ${safe(one.message)}\n    ${safe(said(one.fix))}`),
    ...(ok
      ? [good(`✓ ${workflow}: files and journal agree`)]
      : ["", "What would you like to do?", ...choices.map((one) => `  ${dim(safe(said(one)))}`)]),
  ].join("\n");
}
