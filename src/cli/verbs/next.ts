import type { Candidate } from "../../core/next.ts";
import { find, inspect, orderFor } from "../../engine/engine.ts";
import { formatMenu } from "../menu.ts";
import { decisionJson, openDecisions, orderJson, refusedReply, stateJson } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";
import { listVerb } from "./list.ts";

export const nextVerb: Verb = {
  summary: "What may be done now, and what each other step still lacks",
  usage: "next [<name>]",
  options: {},
  examples: ["holdpoint next TapeDelay", "holdpoint next TapeDelay --json"],
  readOnly: () => true,
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id] = call.args;
  if (id === undefined) return await listVerb.run(call);
  const found = await find(call.parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  const { next } = await inspect(call.parts, found, call.caller);
  const out = Object.values(found.state.dispatches).filter((one) => one.status === "open");
  const orders = await Promise.all(out.map((dispatch) => orderFor(call.parts, found, dispatch)));
  const [decision] = openDecisions(found.state);
  const { bold } = style();
  const text = [
    ...(decision === undefined ? [] : [formatMenu(decision), ""]),
    ...orders.flatMap((order) => [
      bold(`Order for ${order.role} (${order.dispatch})`),
      safe(order.prompt),
      "",
    ]),
    ...next.candidates.map(line),
  ].join("\n");
  return {
    exit: 0,
    json: {
      ok: true,
      workflow: id,
      ...stateJson(found),
      decisions: next.open.map(decisionJson),
      orders: orders.map(orderJson),
      candidates: next.candidates.map(({ command, label, refusals }) => ({
        do: nameOf(command),
        label,
        allowed: refusals.length === 0,
        refusals: refusals.map((one) => ({ ...one })),
      })),
    },
    text,
  };
}

function nameOf(command: Candidate["command"]): string {
  if (command.type === "unit.move") return command.move;
  return command.type === "dispatch.send" ? command.spec : command.type;
}

function line({ command, label, refusals }: Candidate): string {
  const { good, dim } = style();
  if (refusals.length === 0) return `${good("→")} ${nameOf(command).padEnd(18)} ${label}`;
  return dim(
    `  ${nameOf(command).padEnd(18)} ${safe(refusals.map((one) => one.message).join("; "))}`,
  );
}
