import type { JsonObject } from "../../../core/values/json.ts";
import { answer } from "../../../operations/answer.ts";
import type { AnswerInput } from "../../../operations/answer.ts";
import { refusedAnswer, usage } from "../../../operations/parts/answers.ts";
import type { Answered, Taken } from "../../../operations/parts/answers.ts";
import { next } from "../../../operations/next.ts";
import type { Answer } from "../../../operations/operation.ts";
import { underWay, unnamed } from "../../../operations/parts/under-way.ts";
import { formatMenu } from "../text/menu.ts";
import { styleFor } from "../terminal/style.ts";
import { againOf, takenText, withShown } from "../text/reply.ts";
import type { Call, Verb } from "../verb.ts";

export const answerVerb: Verb<AnswerInput, Answered<Taken>> = {
  operation: answer,
  args: ["workflow", "...choice"],
  prepare: withChoice,
  text: takenText,
};

/**
 * Without a choice, shows the question and asks a person at the terminal. Without a name, uses the only workflow
 * under way.
 */
async function withChoice(
  { context, terminal }: Call,
  words: JsonObject,
): Promise<JsonObject | Answer> {
  const open = words["workflow"] === undefined ? await underWay(context.parts) : [""];
  if (open.length !== 1) return refusedAnswer([unnamed(open)]);
  const typed: JsonObject = { workflow: open[0] ?? "", ...words };
  const { workflow, choice, decision } = typed;
  if (typeof workflow !== "string" || choice !== undefined) return typed;
  const told = await next.run(context, { workflow });
  if (!("candidates" in told)) return told;
  const { held, again } = told;
  const asked = held.find((one) => decision === undefined || one.id === decision);
  // If there is no question, the operation says so.
  if (asked === undefined) return { ...typed, choice: "" };
  const menu = formatMenu(asked, workflow);
  const shown = [...(told.shown ?? []), ...againOf(asked, again, workflow)];
  if (terminal.interactive)
    return {
      ...typed,
      choice: await terminal.ask(withShown(shown, menu.replace(/_$/, ""), workflow)),
    };
  // Without colours, because the text of a failure is printed as quoted words and would show the escape
  // sequences.
  const missing = usage(
    `Say which choice.\n\n${formatMenu(asked, workflow, styleFor(false))}`,
    `Usage: holdpoint answer <workflow> <choice>`,
  );
  return { ...missing, ...(shown.length === 0 ? {} : { shown }) };
}
