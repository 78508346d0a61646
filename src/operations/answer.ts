import { member } from "../core/values/json.ts";
import type { Decision } from "../core/state/state.ts";
import { detailsOf } from "../engine/look/details.ts";
import { act } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import type { Accepted } from "../engine/outcome.ts";
import { answerTo, openDecisions, refusedIn } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { briefOf } from "./parts/brief.ts";
import { freshOrder, openEdited } from "./parts/open.ts";
import { inputOf, text } from "./operation.ts";
import type { Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { TAKEN } from "./parts/shapes.ts";
import { remedy } from "../core/table/remedy.ts";

export type AnswerInput = {
  readonly workflow: string;
  readonly choice: string;
  readonly reason?: string;
  readonly decision?: string;
  readonly nonce?: string;
};

export const answer: Operation<AnswerInput, Answered<Taken>> = told({
  name: "answer",
  purpose: "Answer the question a workflow waits with (people only)",
  input: inputOf<AnswerInput>({
    required: {
      workflow: text("which workflow"),
      choice: text("the number, the name or the words of the answer"),
    },
    optional: {
      reason: text("why; some choices need it, and it is recorded"),
      decision: text("which question, where several are open"),
      nonce: text("refuse if the question was asked anew since it was shown"),
    },
  }),
  result: TAKEN,
  examples: [
    { workflow: "TapeDelay", choice: "1" },
    { workflow: "TapeDelay", choice: "continue" },
    { workflow: "TapeDelay", choice: "update", reason: "the client changed the brief" },
    { workflow: "TapeDelay", choice: "other: look at the filter first" },
  ],
  run,
});

async function run(context: Context, input: AnswerInput): Promise<Answered<Taken>> {
  const { parts, caller } = context;
  const found = await openEdited(context, input.workflow);
  if ("ok" in found) return found;
  const decision = pickDecision(found, input.decision);
  if (decision === undefined)
    return refusedIn(found, [
      {
        code: "nothing-to-answer",
        message: `${input.workflow} waits for no answer`,
        fix: remedy("next", { workflow: input.workflow }, "See what can be done"),
        rule: "core",
      },
    ]);
  const { choice, reason, nonce } = input;
  const command = {
    type: "decision.answer",
    decision: decision.id,
    text: choice,
    ...(reason === undefined ? {} : { reason }),
    ...(nonce === undefined ? {} : { nonce }),
  } as const;
  const outcome = await act(parts, found, command, caller);
  const order = await freshOrder(parts, found, outcome);
  if (outcome.kind !== "held") return answerTo(outcome, found, order);
  const now = { ...found, state: outcome.state };
  const told = isLook(outcome)
    ? { shown: detailsOf(outcome.state) }
    : await briefOf(parts, now, { advice: false });
  return answerTo(outcome, found, { ...order, ...told });
}

/** The named question, even if it is settled (the refusal then says how), or else the oldest open one. */
function pickDecision({ state }: Found, wanted: string | undefined): Decision | undefined {
  if (wanted !== undefined) return member(state.decisions, wanted);
  return openDecisions(state)[0] ?? Object.values(state.decisions).at(-1);
}

/** The choice only asked to see something, so the question stays open. */
function isLook({ events }: Accepted): boolean {
  return events.some((event) => event.type === "option.looked");
}
