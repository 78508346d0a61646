import type { Protocol } from "../core/protocol.ts";
import { ROOT } from "../core/state.ts";
import type { Dispatch, Workflow } from "../core/state.ts";
import type { Order } from "../ports/family.ts";
import { outcomesOf } from "./report.ts";

/** What an agent is told where the family has no words of its own. */
export function orderByTable(protocol: Protocol, state: Workflow, dispatch: Dispatch): Order {
  const { id, spec, role, unit } = dispatch;
  const about = unit === ROOT ? state.id : `${unit} of ${state.id}`;
  const outcomes = outcomesOf(protocol, dispatch);
  const prompt = [
    `You are the ${role} of ${about} (${protocol.title}, ${state.units[ROOT]?.at ?? ""}). Your work: ${spec}.`,
    "",
    "When you are done, answer with one JSON object:",
    JSON.stringify({ outcome: outcomes[0] ?? "done", files: ["path/of/a/file"], summary: "..." }),
    `outcome is ${outcomes.join(" or ")}; files are the paths you wrote; summary says in a sentence what you did.`,
  ];
  return { dispatch: id, role, prompt: prompt.join("\n"), files: [], data: { outcomes } };
}
