import { ROOT } from "../core/state/state.ts";
import type { JsonObject } from "../core/values/json.ts";
import { find } from "../engine/engine.ts";
import type { Found } from "../engine/engine.ts";
import { refusedAnswer } from "./parts/answers.ts";
import type { Answered, Taken } from "./parts/answers.ts";
import { inputOf, text, values } from "./operation.ts";
import type { Answer, Context, Operation } from "./operation.ts";
import { told } from "./parts/told.ts";
import { addUnit } from "./units.ts";
import { FLAG, TAKEN_SHAPE, TEXT, answers, listOf, orNull, shape } from "./parts/shapes.ts";
import type { Schema } from "../files/json/schema.ts";

export type AgentsInput = {
  readonly workflow: string;
  readonly add?: string;
  readonly reason?: string;
  readonly input?: JsonObject;
};

export interface AgentsListed extends Answer {
  readonly workflow: string;
  readonly agents: readonly AgentRow[];
}

/** These three, and whatever else the protocol records about an agent. */
export interface AgentRow extends JsonObject {
  readonly agent: string;
  readonly at: string;
  /** The work it is doing. */
  readonly working: string | null;
}

const AGENTS: Schema = answers(
  TAKEN_SHAPE,
  shape({
    ok: FLAG,
    workflow: TEXT,
    agents: listOf({
      type: "object",
      properties: { agent: TEXT, at: TEXT, working: orNull(TEXT) },
      required: ["agent", "at", "working"],
    }),
  }),
);

export const agents: Operation<AgentsInput, Answered<AgentsListed | Taken>> = told({
  name: "agents",
  purpose: "The agents of a workflow, or one more of them and why",
  input: inputOf<AgentsInput>({
    required: { workflow: text("which workflow") },
    optional: {
      add: text("an agent to add"),
      reason: text("why it is needed; recorded"),
      input: values("what the protocol wants to know about it"),
    },
  }),
  result: AGENTS,
  examples: [
    { workflow: "add-parser" },
    {
      workflow: "add-parser",
      add: "security",
      reason: "tokens are parsed",
      input: { justification: {} },
    },
  ],
  readOnly: ({ add }) => add === undefined,
  run,
});

async function run(
  context: Context,
  { workflow, add, reason = "", input = {} }: AgentsInput,
): Promise<Answered<AgentsListed | Taken>> {
  if (add === undefined) {
    const found = await find(context.parts, workflow);
    return found.kind === "refused" ? refusedAnswer(found.refusals) : listed(found);
  }
  return await addUnit(context, { workflow, add, kind: AGENT, reason, input });
}

/** The kind of unit used by protocols that track their agents. */
const AGENT = "agent";

function listed({ family, state }: Found): AgentsListed {
  const open = Object.values(state.dispatches).filter((one) => one.status !== "ended");
  if (family.protocol.kinds[AGENT] === undefined) {
    const atWork = open.map(({ role, status, id, unit }) => ({
      agent: role,
      at: status === "parked" ? "its report waits" : "at work",
      working: unit === ROOT ? id : `${id}, ${unit}`,
    }));
    return { ok: true, workflow: state.id, agents: atWork };
  }
  const rows = Object.values(state.units)
    .filter((unit) => unit.kind === AGENT)
    .map((unit) => ({
      agent: unit.id,
      at: unit.at,
      working: open.find((one) => one.unit === unit.id)?.spec ?? null,
      ...unit.data,
    }));
  return { ok: true, workflow: state.id, agents: rows };
}
