/** Verbs that only read. */
import { agents } from "../../../operations/agents.ts";
import type { AgentsInput, AgentsListed } from "../../../operations/agents.ts";
import type { Answered, RefusedAnswer, Taken } from "../../../operations/parts/answers.ts";
import { graph } from "../../../operations/graph.ts";
import type { Drawn, GraphInput } from "../../../operations/graph.ts";
import { order } from "../../../operations/order.ts";
import type { OrderInput, OrderTold } from "../../../operations/order.ts";
import { show } from "../../../operations/show.ts";
import type { ShowInput, Shown } from "../../../operations/show.ts";
import { takenText } from "../text/reply.ts";
import { safe } from "../terminal/style.ts";
import { units } from "../../../operations/units.ts";
import type { UnitsInput, UnitsListed } from "../../../operations/units.ts";
import type { Verb } from "../verb.ts";

export const agentsVerb: Verb<AgentsInput, Answered<AgentsListed | Taken>> = {
  operation: agents,
  args: ["workflow", "add!"],
  text: (answer, more) => ("agents" in answer ? agentsText(answer) : takenText(answer, more)),
};

function agentsText({ workflow, agents: rows }: AgentsListed): string {
  if (rows.length === 0) return `No agent is at work on ${safe(workflow)}`;
  return rows
    .map(({ agent, at, working }) => `${agent.padEnd(16)} ${at}  ${working ?? ""}`.trim())
    .map(safe)
    .join("\n");
}

export const unitsVerb: Verb<UnitsInput, Answered<UnitsListed | Taken>> = {
  operation: units,
  args: ["workflow", "add!"],
  text: (answer, more) => ("units" in answer ? unitsText(answer) : takenText(answer, more)),
};

function unitsText({ workflow, units: rows }: UnitsListed): string {
  if (rows.length === 0) return `${workflow} has no units`;
  return rows
    .map(({ unit, kind, at, working }) =>
      `${unit.padEnd(16)} ${kind.padEnd(12)} ${at}  ${working ?? ""}`.trim(),
    )
    .map(safe)
    .join("\n");
}

export const graphVerb: Verb<GraphInput, Answered<Drawn>> = {
  operation: graph,
  args: ["of"],
  shows: {},
  whole: true,
  text: ({ mermaid }) => mermaid.trimEnd(),
};

export const orderVerb: Verb<OrderInput, Answered<OrderTold>> = {
  operation: order,
  args: ["workflow"],
  whole: true,
  text: ({ order: { prompt } }) => safe(prompt),
};

export const showVerb: Verb<ShowInput, Shown | RefusedAnswer> = {
  operation: show,
  args: ["workflow", "id"],
  // A single word is the id of a stored text, for which no workflow is needed.
  prepare: async (_, { workflow, id }) =>
    id === undefined && workflow !== undefined
      ? { id: workflow }
      : { ...(workflow === undefined ? {} : { workflow }), ...(id === undefined ? {} : { id }) },
  whole: true,
  text: ({ text, value }) => safe(text ?? JSON.stringify(value, undefined, 2)),
};
