import type { Candidate } from "../../core/next.ts";
import { ROOT } from "../../core/state.ts";
import { find, nextIn, orderFor } from "../../engine/engine.ts";
import { openWorld } from "../../engine/parts.ts";
import { withBrief } from "../brief.ts";
import { withChoices } from "../choice.ts";
import { decisionJson, orderJson, questionLines, refusedReply, stateJson } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";
import { listVerb } from "./list.ts";

export const nextVerb: Verb = {
  summary:
    "What may be done now and what each other step lacks; without a name, what could be started",
  usage: "next [<name>]",
  options: {},
  examples: ["holdpoint next TapeDelay", "holdpoint next TapeDelay --json"],
  readOnly: () => true,
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id] = call.args;
  if (id === undefined) return await withChoices(call, await listVerb.run(call));
  const found = await find(call.parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  const world = openWorld(call.parts);
  const next = await nextIn(world, found, call.caller);
  const out = Object.values(found.state.dispatches).filter((one) => one.status === "open");
  const orders = await Promise.all(out.map((dispatch) => orderFor(call.parts, found, dispatch)));
  const { bold } = style();
  const questions = questionLines(found.state).slice(1);
  const text = [
    ...(questions.length === 0 ? [] : [...questions, ""]),
    ...orders.flatMap((order) => [
      bold(`Order for ${order.role} (${order.dispatch})`),
      safe(order.prompt),
      "",
    ]),
    ...next.candidates.map(line),
  ].join("\n");
  const reply: Reply = {
    exit: 0,
    json: {
      ok: true,
      workflow: id,
      ...stateJson(found),
      decisions: next.open.map(decisionJson),
      orders: orders.map(orderJson),
      candidates: next.candidates.map(({ command, label, refusals }) => ({
        do: nameOf(command),
        ...("unit" in command && command.unit !== ROOT ? { unit: command.unit } : {}),
        label,
        allowed: refusals.length === 0,
        refusals: refusals.map((one) => ({ ...one })),
      })),
    },
    text,
  };
  return await withBrief(world, found, reply, { advice: true });
}

function nameOf(command: Candidate["command"]): string {
  if (command.type === "unit.move") return command.move;
  return command.type === "dispatch.send" ? command.spec : command.type;
}

function line({ command, label, refusals }: Candidate): string {
  const { good, dim } = style();
  // Tasks share the names of their steps: each says whose it is.
  const unit = "unit" in command && command.unit !== ROOT ? ` ${command.unit}` : "";
  const name = safe(`${nameOf(command)}${unit}`).padEnd(18);
  if (refusals.length === 0) return `${good("→")} ${name} ${label}`;
  return dim(`  ${name} ${safe(refusals.map((one) => one.message).join("; "))}`);
}
