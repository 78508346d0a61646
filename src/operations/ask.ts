import type { Question } from "../core/table/protocol.ts";
import { ROOT } from "../core/state/state.ts";
import { act } from "../engine/engine.ts";
import { answerTo, refusedIn } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { openEdited } from "./parts/open.ts";
import { inputOf, text } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { TAKEN } from "./parts/shapes.ts";
import { remedy } from "../core/table/remedy.ts";

export type AskInput = {
  readonly workflow: string;
  readonly question: string;
  readonly origin?: string;
  readonly unit?: string;
  readonly kind?: string;
};

export const ask: Operation<AskInput, Answered<Taken>> = told({
  name: "ask",
  purpose: "Put a question to a person",
  input: inputOf<AskInput>({
    required: { workflow: text("which workflow"), question: text("what is asked") },
    optional: {
      origin: text("where it comes from: requirements, design or scope"),
      unit: text("which task it is about"),
      kind: text("which question of the protocol; without it, the one with free text"),
    },
  }),
  result: TAKEN,
  examples: [
    {
      workflow: "2026-02-17_add-dark-mode",
      question: "Shall it follow the system?",
      origin: "requirements",
    },
  ],
  run,
});

async function run(context: Context, input: AskInput): Promise<Answered<Taken>> {
  const found = await openEdited(context, input.workflow);
  if ("ok" in found) return found;
  const { protocol } = found.family;
  const question = input.kind ?? askable(protocol.questions);
  if (question === undefined)
    return refusedIn(found, [
      {
        code: "ask-illegal",
        message: `${protocol.title} asks its questions itself; none can be added`,
        fix: remedy("next", { workflow: input.workflow }, "See what is open"),
        rule: "core",
      },
    ]);
  const { unit = ROOT, origin = "requirements" } = input;
  const about = { question: input.question, origin };
  const command = { type: "decision.ask", question, unit, about } as const;
  return answerTo(await act(context.parts, found, command, context.caller), found);
}

/** The question that agents may ask in their own words. */
function askable(questions: Readonly<Record<string, Question>>): string | undefined {
  return Object.entries(questions).find(([, one]) => one.by?.includes("agent") === true)?.[0];
}
