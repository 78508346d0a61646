import { find, orderFor } from "../engine/engine.ts";
import { orderAnswer, refusedAnswer, refusedIn, standingOf } from "./answers.ts";
import type { Answered, OrderAnswer, Standing } from "./answers.ts";
import { chooseDispatch } from "./report.ts";
import { inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { FLAG, ORDERED, STANDING, answers, shape } from "./shapes.ts";
import type { Schema } from "../files/json-schema.ts";

export type OrderInput = { readonly workflow: string; readonly dispatch?: string };

export interface OrderTold extends Answer, Standing {
  readonly order: OrderAnswer;
}

const ORDER: Schema = answers(shape({ ok: FLAG, ...STANDING, order: ORDERED }));

export const order: Operation<OrderInput, Answered<OrderTold>> = {
  name: "order",
  purpose: "The order of work that is handed out, as its agent is to read it",
  input: inputOf<OrderInput>({
    required: { workflow: text("which workflow") },
    optional: { dispatch: text("which dispatch; needed where several are open") },
  }),
  result: ORDER,
  examples: [{ workflow: "TapeDelay" }, { workflow: "add-parser", dispatch: "d2" }],
  readOnly: () => true,
  run,
};

async function run({ parts }: Context, input: OrderInput): Promise<Answered<OrderTold>> {
  const found = await find(parts, input.workflow);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  const chosen = chooseDispatch(found.state, input.dispatch);
  if (chosen.kind === "refused") return refusedIn(found, chosen.refusals);
  const told = await orderFor(parts, found, chosen.dispatch);
  return { ok: true, ...standingOf(found), order: orderAnswer(told) };
}
