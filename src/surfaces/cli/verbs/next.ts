import type { Candidate } from "../../../core/next.ts";
import { ROOT } from "../../../core/state.ts";
import { find, lacks, nextIn, orderFor } from "../../../engine/engine.ts";
import type { Found } from "../../../engine/engine.ts";
import { openWorld } from "../../../engine/parts.ts";
import { withBrief } from "../brief.ts";
import { withChoices } from "../choice.ts";
import {
  decisionJson,
  orderJson,
  questionLines,
  refusedReply,
  stateJson,
  usageReply,
} from "../reply.ts";
import { nameOf, namedCommand, STEP_OPTIONS, withGate } from "../step.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";
import { listVerb } from "./list.ts";

export const nextVerb: Verb = {
  summary:
    "What may be done now and what each step, or one of them, lacks; without a name, what could be started",
  usage: "next [<name> [<step>]] [--unit <unit>] [--reason <text>] [--input <json>]",
  options: STEP_OPTIONS,
  examples: [
    "holdpoint next TapeDelay",
    "holdpoint next TapeDelay --json",
    "holdpoint next add-parser synthesize && echo ready",
  ],
  readOnly: () => true,
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, step, extra] = call.args;
  if (extra !== undefined)
    return usageReply(
      "next needs at most a name and a step.",
      `Usage: holdpoint ${nextVerb.usage}`,
    );
  if (id === undefined) return await withChoices(call, await listVerb.run(call));
  const found = await find(call.parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  if (step !== undefined) return await checkStep(call, found, step);
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
        do: nameOf({ command }),
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

/** Whether one step may be taken now, and what it lacks; nothing is done. */
async function checkStep(call: Call, found: Found, step: string): Promise<Reply> {
  const command = await namedCommand(call, found, step);
  if ("exit" in command) return command;
  const refusals = await lacks(openWorld(call.parts), found, call.caller, command);
  const json = { workflow: found.state.id, ...stateJson(found), do: step };
  const { good } = style();
  const reply: Reply =
    refusals.length > 0
      ? refusedReply(refusals, json)
      : { exit: 0, json: { ok: true, ...json }, text: `${good("→")} ${safe(step)} may be done` };
  return withGate(reply, found.family, command, refusals);
}

function line(candidate: Candidate): string {
  const { command, label, refusals } = candidate;
  const { good, dim } = style();
  // Tasks share the names of their steps: each says whose it is.
  const unit = "unit" in command && command.unit !== ROOT ? ` ${command.unit}` : "";
  const name = safe(`${nameOf(candidate)}${unit}`).padEnd(18);
  if (refusals.length === 0) return `${good("→")} ${name} ${label}`;
  return dim(`  ${name} ${safe(refusals.map((one) => one.message).join("; "))}`);
}
