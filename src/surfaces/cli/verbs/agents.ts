import { isJsonObject, parseJson } from "../../../core/json.ts";
import type { JsonObject } from "../../../core/json.ts";
import type { Unit } from "../../../core/state.ts";
import { act, find } from "../../../engine/engine.ts";
import type { Found } from "../../../engine/engine.ts";
import { openWorkflow } from "../open.ts";
import { refusedReply, replyTo, usageReply } from "../reply.ts";
import { safe } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const agentsVerb: Verb = {
  summary: "The agents of a workflow, or one more of them with its justification",
  usage: "agents <name> [add <agent> --reason <text> --input <json>]",
  options: {
    reason: { type: "string", about: "why it is needed; recorded" },
    input: { type: "string", about: "what the protocol wants to know about it, as JSON" },
  },
  examples: [
    "holdpoint agents add-parser",
    'holdpoint agents add-parser add security --reason "tokens are parsed" --input \'{"justification":{}}\'',
  ],
  readOnly: () => false,
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, word, agent, extra] = call.args;
  const usage = `Usage: holdpoint ${agentsVerb.usage}`;
  const adds = word === "add" && agent !== undefined && extra === undefined;
  if (id === undefined || (word !== undefined && !adds))
    return usageReply("agents needs a name, and perhaps add with one agent.", usage);
  if (!adds) {
    const found = await find(call.parts, id);
    return found.kind === "refused" ? refusedReply(found.refusals) : listed(found);
  }
  const { reason, input } = call.flags;
  const given = typeof input === "string" ? parseJson(input) : {};
  if (!isJsonObject(given)) return usageReply("--input is not a JSON object.", usage);
  const found = await openWorkflow(call, id);
  if ("exit" in found) return found;
  const why = typeof reason === "string" ? reason : "";
  const command = {
    type: "unit.open",
    kind: AGENT,
    unit: agent,
    reason: why,
    data: given,
  } as const;
  return replyTo(await act(call.parts, found, command, call.caller), found.family);
}

/** The kind of unit that protocols with agents of their own call so. */
const AGENT = "agent";

function listed({ state }: Found): Reply {
  const units = Object.values(state.units).filter((unit) => unit.kind === AGENT);
  const out = (unit: Unit): string | null =>
    Object.values(state.dispatches).find((one) => one.unit === unit.id && one.status === "open")
      ?.spec ?? null;
  const agents = units.map((unit): JsonObject => ({
    agent: unit.id,
    at: unit.at,
    working: out(unit),
    ...unit.data,
  }));
  const lines = units.map((unit) => `${unit.id.padEnd(16)} ${unit.at}  ${out(unit) ?? ""}`.trim());
  return {
    exit: 0,
    json: { ok: true, workflow: state.id, agents },
    text: lines.length === 0 ? `${state.id} has no agents` : lines.map(safe).join("\n"),
  };
}
