import type { JsonObject } from "../../../core/values/json.ts";
import type { Answered } from "../../../operations/parts/answers.ts";
import { init } from "../../../operations/init.ts";
import type { InitInput, SetUp } from "../../../operations/init.ts";
import { flag } from "../../../operations/operation.ts";
import { said } from "../said.ts";
import { safe, style } from "../style.ts";
import type { Call, Verb } from "../verb.ts";

export const initVerb: Verb<InitInput, Answered<SetUp>> = {
  operation: init,
  args: [],
  options: { "dry-run": flag("only show what would be written") },
  prepare: confirmed,
  text: setUpText,
};

/** What would be written is shown before anybody is asked; without a terminal it is written with --yes. */
async function confirmed(
  { context, flags, terminal }: Call,
  typed: JsonObject,
): Promise<JsonObject> {
  if (flags["dry-run"] === true) return {};
  if (typed["yes"] === true || !terminal.interactive) return typed;
  const told = await init.run(context, {});
  if (!("after" in told) || told.before !== null) return typed;
  const answer = await terminal.ask(`${hereLines(told).join("\n")}\n\nWrite it? [Y/n] `);
  return ["", "y", "yes"].includes(answer.trim().toLowerCase()) ? { yes: true } : typed;
}

function setUpText(answer: SetUp): string {
  const { file, before, written } = answer;
  return [
    ...hereLines(answer),
    "",
    ...(written ? [`To undo it: rm ${file}`] : []),
    ...(before === null && !written ? ["To write it: holdpoint init --yes"] : []),
    style().bold("Then:"),
    ...answer.next.map((one) => `    ${safe(said(one))}`),
  ].join("\n");
}

function hereLines(answer: SetUp): readonly string[] {
  const { good, dim, bold, warn } = style();
  const { protocols, adoptable, checks, file, before, after, written, git } = answer;
  const names = protocols.map(({ name, title }) => `${title} (${name})`).join(", ");
  return [
    bold("Here:"),
    `  protocols  ${names === "" ? "none yet" : safe(names)}`,
    ...(adoptable.length === 0 ? [] : [`  without a journal  ${safe(adoptable.join(", "))}`]),
    ...checks.map(({ name, run, why }) => `  ${name}  ${safe(run)} ${dim(`(${why})`)}`),
    ...(checks.length === 0
      ? [
          warn(
            "! No tests were seen: gates that ask for one will ask a person. Add one to the file.",
          ),
        ]
      : []),
    ...(git
      ? []
      : [warn("! This is no git repository: there are no commits, branches or worktrees.")]),
    "",
    ...(before === null
      ? [written ? good(`✓ Wrote ${file}`) : bold(`${file} would be new:`), ...plus(after)]
      : [`${file} is there and stays as it is.`]),
  ];
}

function plus(text: string): readonly string[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => style().good(`+ ${safe(line)}`));
}
