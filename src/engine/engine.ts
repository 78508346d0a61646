import { fenceBreaches } from "./fence/standing.ts";
import type { Refusal } from "../core/decide/answer.ts";
import { checksIn } from "../core/guards/checked.ts";
import type { Actor, Command } from "../core/state/commands.ts";
import { decide } from "../core/decide/decide.ts";
import { changedRefusal, isChanged } from "../core/table/definition.ts";
import { emptyWorkflow } from "../core/state/evolve.ts";
import { keptAnswer } from "../core/decide/work/keep.ts";
import { next, offered } from "../core/decide/next.ts";
import type { Next, NextInput, Offered } from "../core/decide/next.ts";
import { holderKey } from "../core/state/ousted.ts";
import { ROOT } from "../core/state/state.ts";
import type { Dispatch } from "../core/state/state.ts";
import type { Family, Order, StartOptions, World } from "../ports/family.ts";
import { aside, holderIn, type Caller } from "./caller.ts";
import { unfetched } from "./intake/fetched.ts";
import { fixOf, type Found } from "./intake/find.ts";
import { findTwin } from "./intake/twin.ts";
import { handleChecked } from "./look/checks.ts";
import { basedOn, editActor, takeInClaims } from "./intake/claims.ts";
import { handle, settle } from "./handle.ts";
import { lookUp, untilKnown } from "./look/look.ts";
import type { Outcome, Pending } from "./outcome.ts";
import { openWorld, streamOf, uncounted } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { lookQuietly } from "./look/quiet.ts";
import { oneLook } from "./look/reading.ts";
import { driftNow } from "./show/drift.ts";
import { remedy } from "../core/table/remedy.ts";

export type { Caller } from "./caller.ts";

export { find } from "./intake/find.ts";
export type { Finding, Found } from "./intake/find.ts";

export async function start(
  parts: Parts,
  family: Family,
  request: { readonly id: string; readonly options: StartOptions; readonly caller: Caller },
): Promise<Outcome> {
  const { id, options, caller } = request;
  const world = openWorld(parts);
  const refusal = family.names.check(id);
  if (refusal !== undefined) return refused([refusal], id);
  const { state } = await parts.journal.load(streamOf(family, id));
  // First finish what an earlier command left undone: only then is it known whether the workflow has ended.
  const again = ROOT in state.units && startsAgain(family.protocol);
  if (ROOT in state.units && !again)
    return await handle(parts, { family, workflow: id, command: startCommand(id, {}), ...caller });
  const twin = again ? undefined : await findTwin(parts, streamOf(family, id));
  if (twin !== undefined) return refused([twin], id);
  const started = await family.starting.vars(world, id, { ...options, by: caller.actor.kind });
  if (started.kind === "refused") return refused(started.refusals, id);
  const command = startCommand(id, started.vars);
  const outcome = await handle(parts, { family, workflow: id, command, ...caller });
  const warnings = [...uncounted(parts), ...(await unconfigured(world, family, outcome))];
  return withWarnings(outcome, [...warnings, ...(started.warnings ?? [])]);
}

/** Gates whose check is not configured. Reported at the start, before there is work for them to block. */
async function unconfigured(
  world: World,
  family: Family,
  { kind, ...outcome }: Outcome,
): Promise<readonly string[]> {
  if (kind === "failed" || kind === "refused" || !("state" in outcome)) return [];
  const names = checksIn(family.protocol);
  const keys = names.map((name) => `check:${name}`);
  const facts = await lookUp(family, world, outcome.state, keys);
  return names
    .filter((name) => facts[`check:${name}`] === false)
    .map(
      (name) =>
        `There is no check "${name}" here, and its gate will be held: say in holdpoint.config.json what to run ({"checks": {"${name}": {"run": ["..."]}}}) or why there is none ({"none": "..."}), and commit it`,
    );
}

function withWarnings(outcome: Outcome, warnings: readonly string[]): Outcome {
  if (outcome.kind === "failed" || warnings.length === 0) return outcome;
  return { ...outcome, warnings: [...warnings, ...(outcome.warnings ?? [])] };
}

/** Whether a workflow's name may be used again once it has ended. */
function startsAgain({ root, kinds }: Family["protocol"]): boolean {
  return kinds[root]?.starts?.some(({ from = [] }) => from.length > 0) === true;
}

function startCommand(
  workflow: string,
  vars: Extract<Command, { type: "workflow.start" }>["vars"],
): Command {
  return { type: "workflow.start", workflow, vars };
}

/** A refusal that comes before there is a workflow. */
export function refused(refusals: readonly Refusal[], id: string): Outcome {
  return { kind: "refused", refusals, state: emptyWorkflow(id) };
}

/** Gives a command to a workflow, and runs the checks that its rows require. */
export async function act(
  parts: Parts,
  { family, state }: Found,
  command: Command,
  caller: Caller,
): Promise<Outcome> {
  await parts.sessions.beat(holderKey(holderIn(parts, caller)));
  if (command.type === "dispatch.report")
    await family.work.deliver(openWorld(parts), state, command.claim);
  const outcome = await handleChecked(parts, { family, workflow: state.id, command, ...caller });
  const warnings = [...uncounted(parts), ...(await fenceBreaches(parts))];
  return withWarnings(warnWithoutGit(parts, family, outcome), warnings);
}

/** Work is sent out even without git. The caller is told that nothing will be committed, and why. */
function warnWithoutGit(parts: Parts, { protocol }: Family, outcome: Outcome): Outcome {
  const { place } = openWorld(parts);
  if (outcome.kind === "refused" || outcome.kind === "failed" || place.kind === "repository")
    return outcome;
  const sent = outcome.events.some((event) => event.type === "dispatch.sent");
  if (!sent || !protocol.looks.includes("git")) return outcome;
  const warning = `Nothing will be committed: ${place.message} ${GIT_FIXES[place.why]}`;
  return { ...outcome, warnings: [...outcome.warnings, warning] };
}

const GIT_FIXES = {
  "no-git": "Install git.",
  "no-repository": "Run git init.",
  bare: "Work in a clone that has files.",
  unusable: "Correct what git names, until `git status` works here.",
} as const;

export interface Status {
  readonly drift: readonly string[];
  readonly pending: readonly Pending[];
  readonly next: Next;
  readonly world: World;
}

/** Everything that a person or agent may want to know about one workflow. Changes nothing. */
export async function inspect(
  parts: Parts,
  { family, state }: Found,
  caller: Caller,
): Promise<Status> {
  const own = oneLook(parts);
  const world = openWorld(own);
  const { drift } = await driftNow(own, family, state);
  const wanted = Object.values(state.effects).filter((one) => one.status === "wanted");
  const pending: Pending[] = wanted.map((effect) => ({
    effect: effect.id,
    code: "effect-pending",
    message: `the ${effect.kind} is not done yet`,
    fix: remedy("reconcile", { workflow: state.id }, "Try it again"),
  }));
  pending.unshift(...(await unshown(own, { family, state })));
  const missing = await unfetched(parts, state);
  if (missing !== undefined) pending.unshift({ effect: "fetch", ...missing });
  if (isChanged(family.protocol, state)) {
    const { code, message, fix } = changedRefusal(family.protocol, state);
    pending.unshift({ effect: "definition", code, message, fix });
  }
  const { damage } = await parts.journal.load(streamOf(family, state.id));
  if (damage !== undefined) pending.unshift({ effect: "journal", ...damage, fix: fixOf(damage) });
  return { drift, pending, next: await nextIn(world, { family, state }, caller), world };
}

/** What may be done now, and what every other step lacks. */
export async function nextIn(world: World, found: Found, caller: Caller): Promise<Next> {
  return await withLooks(world, { found, caller }, next);
}

/** What can be asked for by name, without the slower check of whether each would be accepted. */
export async function offeredIn(
  world: World,
  found: Found,
  caller: Caller,
): Promise<Offered["offers"]> {
  return (await withLooks(world, { found, caller }, offered)).offers;
}

/** Why a command would be refused now. Nothing is done, and questions that it would raise do not count. */
export async function lacks(
  world: World,
  found: Found,
  caller: Caller,
  command: Command,
): Promise<readonly Refusal[]> {
  const told = await withLooks(world, { found, caller }, (input) => {
    const answer = decide({ ...input, command });
    return {
      needs: answer.kind === "needs" ? answer.facts : [],
      refusals: answer.kind === "refused" ? answer.refusals : [],
    };
  });
  return told.refusals;
}

/** State files that cannot be written, and the answer that waits for them. */
async function unshown(
  { workspace }: Parts,
  { family, state }: Found,
): Promise<readonly Pending[]> {
  const found = await Promise.all(
    family.views(state).map(async ({ path }): Promise<readonly Pending[]> => {
      const file = await workspace.read(path);
      if (file.kind !== "unreadable") return [];
      const { code, message, fix } = file;
      return [{ effect: "show", code: `view-${code}`, message, fix }];
    }),
  );
  const kept = keptAnswer(state)?.command.decision;
  if (kept === undefined) return found.flat();
  const message = `the answer to ${kept} is kept in the journal, and counts once the files can show it`;
  const fix = remedy("reconcile", { workflow: state.id }, "Mend the file, then try again");
  return [...found.flat(), { effect: "show", code: "answer-kept", message, fix }];
}

async function withLooks<T extends { readonly needs: readonly string[] }>(
  world: World,
  { found: { family, state }, caller }: { readonly found: Found; readonly caller: Caller },
  tell: (input: NextInput) => T,
): Promise<T> {
  const envelope = { id: "next", at: world.now, ...caller };
  return await untilKnown(family, world, state, (evidence) => {
    const answer = tell({ protocol: family.protocol, state, envelope, evidence });
    return answer.needs.length === 0 ? { answer } : answer;
  });
}

export async function orderFor(
  parts: Parts,
  { family, state }: Found,
  dispatch: Dispatch,
): Promise<Order> {
  const order = await family.work.order(openWorld(parts), state, dispatch);
  const agent = family.words.agents.find((one) => one.role === order.role)?.name;
  return agent === undefined || agent === order.role ? order : { ...order, agent };
}

/**
 * Takes in edits made by hand, as if the commands they amount to had been given. Edits in `skips` are left alone.
 */
export async function takeInEdits(
  parts: Parts,
  { family, state }: Found,
  caller: Caller,
  skips: (command: Command) => boolean = () => false,
): Promise<readonly Outcome[]> {
  const stream = streamOf(family, state.id);
  // Taken in turns, so that two commands that find the same edit do not take it in twice.
  return await parts.turns.take(`edits ${stream}`, () =>
    takeInNow(parts, { family, state }, caller, skips),
  );
}

async function takeInNow(
  parts: Parts,
  { family, state }: Found,
  caller: Caller,
  skips: (command: Command) => boolean,
): Promise<readonly Outcome[]> {
  if (isChanged(family.protocol, state)) return [];
  const looked = await lookQuietly(parts, { family, id: state.id }, (now) =>
    family.edits.commands(openWorld(parts), now),
  );
  if (looked === undefined) return [];
  const outcomes: Outcome[] = [];
  for (const command of looked.seen.filter((one) => !skips(one))) {
    const actor = editActor(state, command);
    const based = basedOn(parts, looked.state, outcomes);
    const request = { family, workflow: state.id, command, ...aside(caller), ...based, actor };
    outcomes.push(await handle(parts, request));
  }
  return [...outcomes, ...(await takeInClaims(parts, { family, state }, aside(caller)))];
}

/** Tries again whatever effects are still pending. */
export async function resettle(
  parts: Parts,
  { family, state }: Found,
  session: string,
  actor?: Actor,
): ReturnType<typeof settle> {
  const who = actor === undefined ? { session } : { session, actor };
  return await settle(parts, { family, workflow: state.id, ...who });
}
