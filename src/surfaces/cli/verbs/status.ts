import { find, inspect } from "../../../engine/engine.ts";
import type { Found, Status } from "../../../engine/engine.ts";
import { ageOf } from "../age.ts";
import { withBrief } from "../brief.ts";
import { closingLines, questionLines, refusedReply, stateJson, usageReply } from "../reply.ts";
import { safe, style } from "../style.ts";
import type { Call, Reply, Verb } from "../verb.ts";
import { listVerb } from "./list.ts";
import { watch } from "./watch.ts";

export const statusVerb: Verb = {
  summary: "Where a workflow stands, who works on it, what is open",
  usage: "status [<name>] [--watch]",
  options: {
    watch: {
      type: "boolean",
      about: "follow it as it moves, until Ctrl-C; with --json one object a line",
    },
  },
  examples: [
    "holdpoint status TapeDelay",
    "holdpoint status --json",
    "holdpoint status 2026-02-17_add-dark-mode --watch",
  ],
  readOnly: () => true,
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id] = call.args;
  const follows = call.flags["watch"] === true;
  if (follows && id === undefined)
    return usageReply("--watch needs a name.", `Usage: holdpoint ${statusVerb.usage}`);
  if (id === undefined) return await listVerb.run(call);
  const found = await find(call.parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  if (follows) return await watch(call, found);
  const status = await inspect(call.parts, found, call.caller);
  const damaged = status.pending.some((one) => one.effect === "journal");
  const exit = damaged ? 1 : 0;
  const json = { ...jsonOf(found, status), ok: !damaged };
  const reply: Reply = { exit, json, text: textOf(found, status) };
  return await withBrief(status.world, found, reply, { advice: true });
}

function jsonOf(found: Found, { drift, pending }: Status): Reply["json"] {
  const { family, state } = found;
  const { details, finished, closing } = family.words.describe(state);
  return {
    ok: true,
    workflow: state.id,
    ...stateJson(found),
    finished,
    ...(closing === undefined ? {} : { closing: { ...closing } }),
    details: Object.fromEntries(details.map(({ name, value }) => [name, value])),
    dispatches: Object.values(state.dispatches)
      .filter((one) => one.status !== "ended")
      .map(({ id, role, unit, status, sentAt, session }) => ({
        id,
        role,
        unit,
        status,
        sentAt,
        session,
      })),
    lease: state.lease === null ? null : { ...state.lease },
    drift: [...drift],
    pending: pending.map((one) => ({ ...one })),
    updatedAt: state.updatedAt,
  };
}

function textOf({ family, state }: Found, { drift, pending, world }: Status): string {
  const { bold, dim, warn } = style();
  const description = family.words.describe(state);
  const { headline, state: at, details } = description;
  const out = Object.values(state.dispatches).filter((one) => one.status !== "ended");
  return [
    `${bold(state.id)}  ${headline}  ${dim(at)}`,
    ...closingLines(description),
    dim(`${family.protocol.title}, record ${state.seq}, ${ageOf(state.updatedAt, world.now)}`),
    ...details.map(
      ({ name, value }) =>
        `  ${name.padEnd(14)} ${safe(value).replaceAll("\n", `\n${" ".repeat(17)}`)}`,
    ),
    ...out.map(
      (one) =>
        `  ${one.status === "parked" ? "report kept" : "at work"}: ${one.role} on ${one.unit === "." ? state.id : one.unit} (${one.id}, ${ageOf(one.sentAt, world.now)})`,
    ),
    ...(state.lease === null
      ? []
      : [`  lease: ${safe(state.lease.session)} since ${state.lease.takenAt}`]),
    ...pending.map((one) => warn(`! ${safe(one.message)}: ${safe(one.fix)}`)),
    ...drift.map((one) => warn(`! ${safe(one)}`)),
    ...(drift.length === 0 ? [] : [dim(`  holdpoint reconcile ${state.id}`)]),
    ...questionLines(state),
  ].join("\n");
}
