import { fillText } from "../core/decide/draft.ts";
import { member } from "../core/values/json.ts";
import type { Protocol } from "../core/table/protocol.ts";
import { ROOT } from "../core/state/state.ts";
import type { Dispatch, Workflow } from "../core/state/state.ts";
import type { Order } from "../ports/family.ts";
import { outcomesOf } from "./report.ts";
import { saidSince } from "./said.ts";

/**
 * The order for an agent in a family without its own wording: the work's instruction, the files it may write,
 * what was said about it since the last order, and how to report.
 */
export function orderByTable(protocol: Protocol, state: Workflow, dispatch: Dispatch): Order {
  const { id, spec, role, unit } = dispatch;
  const { order = `Do the work called ${spec}.`, makes = [] } = member(protocol.work, spec) ?? {};
  const outcomes = outcomesOf(protocol, dispatch);
  const known = { state, unit: member(state.units, unit) ?? { id: unit, data: {} } };
  const paths = makes.map((one) => fillText(one, known));
  const about = unit === ROOT ? state.id : `${unit} of ${state.id}`;
  const lines = [
    `You are the ${role} of ${about} (${protocol.title}, now ${state.units[ROOT]?.at ?? ""}).`,
    fillText(order, known),
    ...(paths.length === 0 ? [] : [`Write nothing but: ${paths.join(", ")}.`]),
    ...saidSince(protocol, state, dispatch).map((one) => one.text),
    "",
    "When you are done, answer with one JSON object and nothing around it:",
    JSON.stringify({ outcome: outcomes[0] ?? "", files: ["path/of/a/file"], summary: "..." }),
    `outcome: ${outcomes.join(" or ")}. files: the paths you wrote. summary: what you did, in a sentence.`,
  ];
  const data = { outcomes, makes: paths };
  return { dispatch: id, role, prompt: lines.join("\n"), files: [], data };
}
