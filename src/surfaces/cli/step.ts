/** One step of a workflow, asked for by its name. */
import type { Refusal } from "../../core/answer.ts";
import type { Command } from "../../core/commands.ts";
import { isJsonObject, member, parseJson } from "../../core/json.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Offer } from "../../core/next.ts";
import { ROOT } from "../../core/state.ts";
import type { Workflow } from "../../core/state.ts";
import { offeredIn } from "../../engine/engine.ts";
import type { Found } from "../../engine/engine.ts";
import { openWorld } from "../../engine/parts.ts";
import type { Family } from "../../ports/family.ts";
import { refusedReply, usageReply } from "./reply.ts";
import { safe } from "./style.ts";
import type { Call, Reply, Verb } from "./verb.ts";

export const STEP_OPTIONS: Verb["options"] = {
  reason: { type: "string", about: "why; some steps need it" },
  unit: { type: "string", about: "which phase, task or agent the step is about" },
  input: { type: "string", about: "values the step asks for, as JSON" },
};

/** The command behind a name: what is offered here under it, or what it would be if it were. */
export async function namedCommand(
  call: Call,
  found: Found,
  step: string,
): Promise<Command | Reply> {
  const { flags } = call;
  const { family, state } = found;
  const { questions, dispatches } = family.protocol;
  if (step === "cancel") return cancelCommand(state, flags["reason"]);
  const wanted = member(family.words.aliases, step) ?? [step];
  const offer = (await offeredIn(openWorld(call.parts), found, call.caller)).find(
    (one) => wanted.includes(nameOf(one)) && fitsUnit(one, flags["unit"]),
  );
  if (offer !== undefined) return withInput(offer.command, flags);
  const input = readInput(flags["input"]);
  if (typeof input === "string") return inputReply(input);
  const unit = typeof flags["unit"] === "string" ? flags["unit"] : ROOT;
  const [name = step] = wanted;
  if (member(questions, name)?.by !== undefined) {
    const reason = typeof flags["reason"] === "string" ? { reason: flags["reason"] } : {};
    return { type: "decision.ask", question: name, unit, about: { ...reason, ...input } };
  }
  return Object.hasOwn(dispatches, name)
    ? { type: "dispatch.send", spec: name, unit }
    : withInput({ type: "unit.move", unit, move: name }, flags);
}

function fitsUnit({ command }: Offer, unit: string | boolean | undefined): boolean {
  return typeof unit !== "string" || ("unit" in command && command.unit === unit);
}

export function nameOf({ command }: Pick<Offer, "command">): string {
  if (command.type === "unit.move") return command.move;
  return command.type === "dispatch.send" ? command.spec : "";
}

function cancelCommand(
  { id, dispatches }: Workflow,
  reason: string | boolean | undefined,
): Command | Reply {
  const open = Object.values(dispatches).find((one) => one.status !== "ended");
  if (open === undefined) return refusedReply([nothingOut(id)]);
  const why = typeof reason === "string" && reason !== "" ? reason : "cancelled by hand";
  return { type: "dispatch.cancel", dispatch: open.id, reason: why };
}

function nothingOut(id: string): Refusal {
  return {
    code: "dispatch-unknown",
    message: `nothing of ${id} is handed out, so there is nothing to cancel`,
    fix: `holdpoint next ${id} shows what is open.`,
    rule: "core",
  };
}

/** A move with the reason and the values that were given for it. */
export function withInput(command: Command, flags: Call["flags"]): Command | Reply {
  if (command.type !== "unit.move") return command;
  const input = readInput(flags["input"]);
  if (typeof input === "string") return inputReply(input);
  const reason = typeof flags["reason"] === "string" ? flags["reason"] : "";
  return { ...command, reason, input: { reason, ...input } };
}

function readInput(text: string | boolean | undefined): JsonObject | string {
  if (typeof text !== "string") return {};
  const parsed = parseJson(text);
  return isJsonObject(parsed) ? parsed : "--input is not a JSON object.";
}

function inputReply(problem: string): Reply {
  return usageReply(problem, 'Write it as one: --input \'{"version":"1.1.0"}\'.');
}

/** A gate is told check by check, passed or not. */
export function withGate(
  reply: Reply,
  family: Family,
  command: Command,
  refusals: readonly Refusal[],
): Reply {
  const lines = command.type === "unit.move" ? family.words.gate(command.move, refusals) : [];
  if (lines.length === 0) return reply;
  const text = [...lines.map(safe), reply.text].filter((line) => line !== "").join("\n");
  return { ...reply, json: { ...reply.json, gate: [...lines] }, text };
}
