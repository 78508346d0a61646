import type { Command } from "../../../core/commands.ts";
import type { Candidate } from "../../../core/next.ts";
import { ROOT } from "../../../core/state.ts";
import type { Workflow } from "../../../core/state.ts";
import { act, find, nextIn, orderFor, takeInEdits } from "../../../engine/engine.ts";
import type { Found } from "../../../engine/engine.ts";
import type { Outcome } from "../../../engine/outcome.ts";
import { openWorld } from "../../../engine/parts.ts";
import type { Family } from "../../../ports/family.ts";
import { withBrief } from "../brief.ts";
import { openWorkflow } from "../open.ts";
import { nameOf, namedCommand, STEP_OPTIONS, withGate, withInput } from "../step.ts";
import { openDecisions, refusedReply, replyTo, stateJson, usageReply } from "../reply.ts";
import type { Call, Reply, Verb } from "../verb.ts";

export const advanceVerb: Verb = {
  summary: "Take the next step: hand work to an agent, or move on",
  usage:
    "advance <name> [<step>] [--reason <text>] [--set <name>=<value>] [--unit <unit>] [--take]",
  options: {
    ...STEP_OPTIONS,
    set: { type: "string", about: "set an open setting first, such as express=true" },
    take: { type: "boolean", about: "take over the lease of a session that is provably dead" },
  },
  examples: [
    "holdpoint advance TapeDelay",
    "holdpoint advance TapeDelay research --json",
    "holdpoint advance TapeDelay install",
    'holdpoint advance TapeDelay improved --input \'{"version":"1.1.0","description":"less noise"}\'',
    'holdpoint advance TapeDelay cancel --reason "the agent hangs"',
  ],
  run,
};

async function run(call: Call): Promise<Reply> {
  const [id, step, extra] = call.args;
  if (id === undefined || extra !== undefined)
    return usageReply(
      "advance needs a name and at most one step.",
      `Usage: holdpoint ${advanceVerb.usage}`,
    );
  const first = await openWorkflow(call, id);
  if ("exit" in first) return first;
  const taken = await prepareCall(call, first);
  if (taken !== undefined) return taken;
  const found = await find(call.parts, id);
  if (found.kind === "refused") return refusedReply(found.refusals);
  const command = await commandFor(call, found, step);
  if ("exit" in command) return command;
  const outcome = await act(call.parts, found, command, call.caller);
  const told = await withOrder(call, found, outcome);
  const refusals = outcome.kind === "refused" ? outcome.refusals : [];
  const reply = outcome.kind === "failed" ? told : withGate(told, found.family, command, refusals);
  return outcome.kind === "held"
    ? await withBrief(openWorld(call.parts), { ...found, state: outcome.state }, reply, {
        advice: false,
      })
    : reply;
}

/** Take over a dead session, set what was asked for, take in what was edited by hand. */
async function prepareCall(call: Call, found: Found): Promise<Reply | undefined> {
  const { parts, caller, flags } = call;
  if (
    flags["take"] === true &&
    found.state.lease !== null &&
    found.state.lease.session !== caller.session
  ) {
    const { kind, why } = await parts.sessions.liveness(found.state.lease.session);
    const outcome = await act(
      parts,
      found,
      { type: "lease.take", previous: kind === "dead" ? "dead" : "none", why },
      caller,
    );
    if (outcome.kind === "refused" || outcome.kind === "failed")
      return replyTo(outcome, found.family);
  }
  if (typeof flags["set"] === "string") {
    const [name = "", value = ""] = flags["set"].split("=");
    const outcome = await act(
      parts,
      found,
      { type: "vars.set", name, value: readValue(value) },
      caller,
    );
    if (outcome.kind === "refused" || outcome.kind === "failed")
      return replyTo(outcome, found.family);
  }
  const edits = await takeInEdits(parts, found, caller);
  const failed = edits.find((one) => one.kind === "failed");
  return failed === undefined ? undefined : replyTo(failed, found.family);
}

function readValue(text: string): string | boolean {
  return text === "true" ? true : text === "false" ? false : text;
}

async function commandFor(
  call: Call,
  found: Found,
  step: string | undefined,
): Promise<Command | Reply> {
  const { flags } = call;
  if (step !== undefined) return await namedCommand(call, found, step);
  const { candidates } = await nextIn(openWorld(call.parts), found, call.caller);
  const candidate = pickForward(found, candidates);
  // At a question the way on is the answer, not the step that lacks it.
  const waits = candidate?.refusals.length !== 0 && openDecisions(found.state).length > 0;
  if (candidate !== undefined && !waits) return withInput(candidate.command, flags);
  return nothingLeft(found, candidates);
}

/** The step that leads on: work to hand out first, then a move that needs neither a person nor a reason. */
function pickForward(
  { family, state }: Found,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const forward = candidates.filter(({ command }) => {
    if (command.type === "dispatch.send")
      return (
        leadsOn(family, state, command.spec) &&
        !family.work.unneeded(state, command.spec, command.unit)
      );
    if (command.type !== "unit.move") return true;
    const kind = state.units[command.unit]?.kind ?? "";
    const row = family.protocol.kinds[kind]?.moves.find((one) => one.id === command.move);
    return (
      row?.why !== true && row?.by === undefined && command.unit === ROOT && row?.optional !== true
    );
  });
  const allowed = forward.filter((one) => one.refusals.length === 0);
  // A step that ends where it began would be taken again and again.
  return allowed.find((one) => !staysPut(family, state, one)) ?? allowed[0] ?? forward[0];
}

function staysPut({ protocol }: Family, { units }: Workflow, { command }: Candidate): boolean {
  const root = units[ROOT];
  if (command.type !== "unit.move" || root === undefined) return false;
  const rows = protocol.kinds[root.kind]?.moves.filter((row) => row.id === command.move) ?? [];
  return rows.some((row) => row.from.includes(root.at) && row.to === root.at);
}

/** Work that would end where the workflow stands already, such as planning once more, is asked for by name. */
function leadsOn({ protocol }: Family, { units }: Workflow, spec: string): boolean {
  const root = units[ROOT];
  const ends = Object.values(protocol.dispatches[spec]?.outcomes ?? {})
    .flat()
    .flatMap((one) => (one.do === "move" && one.on !== "unit" ? [one.move] : []));
  const rows = protocol.kinds[root?.kind ?? ""]?.moves.filter(
    (row) => ends.includes(row.id) && row.from.includes(root?.at ?? ""),
  );
  return rows === undefined || rows.length === 0 || rows.some((row) => row.to !== root?.at);
}

function nothingLeft({ state, family }: Found, candidates: readonly Candidate[]): Reply {
  const { headline, closing } = family.words.describe(state);
  const waiting = openDecisions(state).map((one) => ({
    code: "held",
    message: `${state.id} waits for a person: ${one.prompt}`,
    fix: `holdpoint answer ${state.id} <choice> --decision ${one.id}`,
    rule: family.protocol.questions[one.question]?.rule ?? "core",
  }));
  if (waiting.length > 0) return refusedReply(waiting, stateJson({ family, state }));
  if (closing !== undefined)
    return refusedReply([{ code: "nothing-to-do", ...closing, rule: "PW-176" }]);
  const names = [...new Set(candidates.map(nameOf))].filter((name) => name !== "");
  const refusal = {
    code: "nothing-to-do",
    message: `${state.id} is at ${headline}; there is no step that leads on by itself`,
    fix:
      names.length === 0
        ? `holdpoint status ${state.id} shows how it ended.`
        : `Ask for a step by name: ${names.join(", ")}; holdpoint next ${state.id} shows what each needs.`,
    rule: "PW-176",
  };
  return refusedReply([refusal]);
}

/** Work that was just handed out comes with its order. */
export async function withOrder(call: Call, { family }: Found, outcome: Outcome): Promise<Reply> {
  if (outcome.kind === "refused" || outcome.kind === "failed") return replyTo(outcome, family);
  const sent = Object.values(outcome.state.dispatches).findLast((one) => one.status === "open");
  const fresh =
    sent !== undefined && outcome.events.some((event) => event.type === "dispatch.sent");
  const settled = sent !== undefined && sent.sentSeq === outcome.state.seq;
  const order =
    sent !== undefined && (fresh || settled)
      ? await orderFor(call.parts, { family, state: outcome.state }, sent)
      : undefined;
  return replyTo(outcome, family, { order });
}
