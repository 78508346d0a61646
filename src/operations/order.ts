import type { Refusal } from "../core/decide/answer.ts";
import type { Dispatch } from "../core/state/state.ts";
import { act, find, orderFor } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import {
  failedAnswer,
  orderAnswer,
  refusedAnswer,
  refusedIn,
  standingOf,
} from "./parts/answers.ts";
import type { Answered, OrderAnswer, Standing } from "./parts/answers.ts";
import { chooseDispatch } from "./report.ts";
import { flag, inputOf, text } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { underWay, unnamed } from "./parts/under-way.ts";
import { FLAG, ORDERED, STANDING, answers, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type OrderInput = {
  readonly workflow?: string;
  readonly dispatch?: string;
  readonly take?: boolean;
};

export interface OrderTold extends Answer, Standing {
  readonly order: OrderAnswer;
}

const ORDER: Schema = answers(shape({ ok: FLAG, ...STANDING, order: ORDERED }));

export const order: Operation<OrderInput, Answered<OrderTold>> = told({
  name: "order",
  purpose: "The order of work that is out, as its agent is to read it",
  input: inputOf<OrderInput>({
    required: {},
    optional: {
      workflow: text("which workflow; without it, the only one that is under way"),
      dispatch: text("which dispatch; needed where several are open"),
      take: flag("give it free from the agent that has it and is gone; for people"),
    },
  }),
  result: ORDER,
  examples: [
    { workflow: "TapeDelay" },
    { workflow: "add-parser", dispatch: "d2" },
    { workflow: "add-parser", dispatch: "d2", take: true },
  ],
  readOnly: ({ take }) => take !== true,
  run,
});

async function run(context: Context, input: OrderInput): Promise<Answered<OrderTold>> {
  const open = input.workflow === undefined ? await underWay(context.parts) : [];
  const [workflow = input.workflow, second] = open;
  if (workflow === undefined || second !== undefined)
    return refusedAnswer([open.length === 0 ? NO_SESSION : unnamed(open)]);
  const found = await find(context.parts, workflow);
  if (found.kind === "refused") return refusedAnswer(found.refusals);
  const chosen = chooseDispatch(found.state, input.dispatch);
  if (chosen.kind === "refused") return refusedIn(found, chosen.refusals);
  const refused = await take(context, found, chosen.dispatch, input.take === true);
  if (refused !== undefined) return refused;
  const told = await orderFor(context.parts, found, chosen.dispatch);
  return { ok: true, ...standingOf(found), order: orderAnswer(told) };
}

/** An agent whose dispatch belongs to no session must say so, and not look for work by itself. */
const NO_SESSION: Refusal = {
  code: "session-missing",
  message: "missing session context in dispatch: nothing is under way here",
  fix: "Report that you are blocked by it, in these words; whoever handed it out must say where it belongs.",
  rule: "core",
};

/** Assigns the work to the identified agent. Its main agent may still look at it. */
async function take(
  { parts, caller }: Context,
  found: Found,
  { id: dispatch, status, agent: holder }: Dispatch,
  free: boolean,
): Promise<Answered<never> | undefined> {
  const { agent } = caller.actor;
  if (!free && (agent === undefined || status !== "open")) return undefined;
  if (!free && holder?.startsWith(`${agent ?? ""}/`) === true) return undefined;
  const command = {
    type: "dispatch.take",
    dispatch,
    agent: free ? null : (agent ?? null),
  } as const;
  const outcome = await act(parts, found, command, caller);
  if (outcome.kind === "refused") return refusedIn(found, outcome.refusals);
  return outcome.kind === "failed" ? failedAnswer(outcome) : undefined;
}
