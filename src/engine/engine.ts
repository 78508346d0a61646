import type { Refusal } from "../core/answer.ts";
import type { Actor, Command } from "../core/commands.ts";
import { emptyWorkflow } from "../core/evolve.ts";
import { next } from "../core/next.ts";
import type { Next } from "../core/next.ts";
import { ROOT } from "../core/state.ts";
import type { Dispatch, Workflow } from "../core/state.ts";
import type { Family, Order, StartOptions, World } from "../ports/family.ts";
import { runChecks } from "./checks.ts";
import { handle, settle } from "./handle.ts";
import { lookUp } from "./look.ts";
import type { Outcome, Pending } from "./outcome.ts";
import { familyOfStream, idOf, openWorld, streamOf } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { driftOf } from "./show.ts";

/** Who is asking, and for which session. */
export interface Caller {
  readonly actor: Actor;
  readonly session: string;
  readonly fence?: number;
}

export interface Found {
  readonly family: Family;
  readonly state: Workflow;
}

export type Finding<T> = T | { readonly kind: "refused"; readonly refusals: readonly Refusal[] };

/** The workflow of this name, whichever family it belongs to. */
export async function find(
  parts: Parts,
  id: string,
): Promise<Finding<Found & { readonly kind: "found" }>> {
  const streams = (await parts.journal.list()).filter((one) => idOf(one.stream) === id);
  const [first, second] = streams;
  if (first === undefined || second !== undefined) {
    return { kind: "refused", refusals: [first === undefined ? unknown(id) : ambiguous(id)] };
  }
  const family = familyOfStream(parts, first.stream);
  if (family === undefined) return { kind: "refused", refusals: [unknown(id)] };
  const { state } = await parts.journal.load(first.stream);
  return { kind: "found", family, state };
}

function unknown(id: string): Refusal {
  const shown = JSON.stringify(id);
  return {
    code: "workflow-unknown",
    message: `There is no workflow ${shown} here`,
    fix: `Start it with holdpoint start, or take over existing files with holdpoint adopt; holdpoint list shows what there is.`,
    rule: "PW-251",
  };
}

function ambiguous(id: string): Refusal {
  return {
    code: "workflow-ambiguous",
    message: `Two protocols have a workflow ${id}`,
    fix: "Name it as <protocol>:<id>.",
    rule: "core",
  };
}

export async function start(
  parts: Parts,
  family: Family,
  request: { readonly id: string; readonly options: StartOptions; readonly caller: Caller },
): Promise<Outcome> {
  const { id, options, caller } = request;
  const world = openWorld(parts);
  const refusal = family.checkName(id);
  if (refusal !== undefined) return refused([refusal], id);
  const { state } = await parts.journal.load(streamOf(family, id));
  if (ROOT in state.units)
    return await handle(parts, { family, workflow: id, command: startCommand(id, {}), ...caller });
  const started = await family.start(world, id, options);
  if (started.kind === "refused") return refused(started.refusals, id);
  return await handle(parts, {
    family,
    workflow: id,
    command: startCommand(id, started.vars),
    ...caller,
  });
}

function startCommand(
  workflow: string,
  vars: Extract<Command, { type: "workflow.start" }>["vars"],
): Command {
  return { type: "workflow.start", workflow, vars };
}

/** A refusal before there is a workflow to refuse anything of. */
export function refused(refusals: readonly Refusal[], id: string): Outcome {
  return { kind: "refused", refusals, state: emptyWorkflow(id) };
}

/** Put a command to a workflow: run the checks its row asks for, then decide. */
export async function act(
  parts: Parts,
  { family, state }: Found,
  command: Command,
  caller: Caller,
): Promise<Outcome> {
  await parts.sessions.beat(caller.session);
  const ran = await runChecks(parts, { family, state }, command);
  if (ran.kind === "failed") return ran;
  return await handle(parts, { family, workflow: state.id, command, ...caller });
}

export interface Status {
  readonly drift: readonly string[];
  readonly pending: readonly Pending[];
  readonly next: Next;
  readonly world: World;
}

/** Everything a person or agent may want to know about one workflow. Changes nothing. */
export async function inspect(
  parts: Parts,
  { family, state }: Found,
  caller: Caller,
): Promise<Status> {
  const world = openWorld(parts);
  const drift = await driftOf(parts, family, state);
  const wanted = Object.values(state.effects).filter((one) => one.status === "wanted");
  const pending = wanted.map((effect) => ({
    effect: effect.id,
    code: "effect-pending",
    message: `the ${effect.kind} is not done yet`,
    fix: `holdpoint reconcile ${state.id}`,
  }));
  return { drift, pending, next: await nextWithLooks(parts, { family, state }, caller), world };
}

const LOOK_ROUNDS_MAX = 8;

async function nextWithLooks(
  parts: Parts,
  { family, state }: Found,
  caller: Caller,
): Promise<Next> {
  const world = openWorld(parts);
  const envelope = { id: "next", at: world.now, ...caller };
  let evidence = {};
  for (let round = 0; round < LOOK_ROUNDS_MAX; round += 1) {
    const found = next({ protocol: family.protocol, state, envelope, evidence });
    if (found.needs.length === 0) return found;
    evidence = { ...evidence, ...(await lookUp(family, world, state, found.needs)) };
  }
  throw new Error(`Cannot tell what comes next for ${state.id}: it never stops asking for facts`);
}

export async function orderFor(
  parts: Parts,
  { family, state }: Found,
  dispatch: Dispatch,
): Promise<Order> {
  return await family.order(openWorld(parts), state, dispatch);
}

/** Commands hidden in edits by hand, taken in as if they had been given. */
export async function takeInEdits(
  parts: Parts,
  { family, state }: Found,
  caller: Caller,
): Promise<readonly Outcome[]> {
  const commands = await family.edits(openWorld(parts), state);
  const outcomes: Outcome[] = [];
  for (const command of commands) {
    const actor: Actor = { ...caller.actor, name: `${caller.actor.name} (file edit)` };
    outcomes.push(await handle(parts, { family, workflow: state.id, command, ...caller, actor }));
  }
  return outcomes;
}

/** Try again whatever is still to be done to the world. */
export async function resettle(
  parts: Parts,
  { family, state }: Found,
  session: string,
): ReturnType<typeof settle> {
  return await settle(parts, { family, workflow: state.id, session });
}
