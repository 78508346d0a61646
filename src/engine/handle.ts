import type { Command } from "../core/state/commands.ts";
import { isChanged, isRedefined } from "../core/table/definition.ts";
import { keptAnswer } from "../core/decide/work/keep.ts";
import type { Kept } from "../core/decide/work/keep.ts";
import { remedyText } from "../core/table/remedy.ts";
import { runKey } from "../core/decide/work/run.ts";
import { REPOSITORY } from "../core/state/policy.ts";
import { ROOT } from "../core/state/state.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Family } from "../ports/family.ts";
import type { Commit, Failed, Outcome, Pending } from "./outcome.ts";
import { ENGINE } from "./caller.ts";
import { carryRelease } from "./fence/carried.ts";
import { keepLeftAside } from "./intake/edits.ts";
import { refuseOutdated } from "./intake/outdated.ts";
import { whoseNext, isStranger, letGo, passes, releaseEffect } from "./show/holder.ts";
import type { Settling } from "./show/holder.ts";
import { openWorld, streamOf } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { unbelievedEffect } from "./prove/relied.ts";
import { perform } from "./show/perform.ts";
import { oneLook, oneWorld } from "./look/reading.ts";
import { tellChanged } from "./release/changed.ts";
import type { Seen } from "./release/changed.ts";
import { prove } from "./release/confirm.ts";
import { followPolicy } from "./release/follow.ts";
import { isShown, show } from "./show/show.ts";
import { undoneBy } from "./show/undone.ts";
import { watched } from "./watch.ts";
import { merge, recordSettled, together, warningsOf } from "./settled.ts";
import type { Settled } from "./settled.ts";
import { attempt, pauseBefore, submit, TRIES_MAX } from "./submit.ts";
import { busy, damaged, notRecorded } from "./unrecorded.ts";
import type { Request, Wanted } from "./submit.ts";

export type { Request } from "./submit.ts";

/** An effect's outcome may want further effects; this many rounds at most. */
const SETTLE_ROUNDS_MAX = 32;

/** A check may lead to a row that requires another check; this many rounds at most. */
const RUN_ROUNDS_MAX = 8;

/**
 * Commands refused while the state files could not be written: people must be able to read a decision in the
 * files before anything builds on it.
 */
const GOES_ON: readonly Command["type"][] = ["unit.move", "dispatch.send"];

/** The life of one command: load, look, decide, make ready, append, show. */
export async function handle(parts: Parts, request: Request): Promise<Outcome> {
  const stream = streamOf(request.family, request.workflow);
  const ran: string[] = [];
  const told: string[] = [];
  // Ignore a proof that the caller passes in. Only one verified here counts.
  const { proof: _, ...plain } = request;
  let proven: Request = plain;
  let seen: Seen | undefined;
  if (request.family.protocol.name !== REPOSITORY) await followPolicy(parts);
  for (let round = 0; round < RUN_ROUNDS_MAX; round += 1) {
    const known = request.run === undefined ? proven : { ...proven, ran };
    const outcome = await parts.turns.take(stream, () => handleNow(parts, known));
    if (outcome.kind === "unconfirmed") {
      const given = await prove(parts, plain, outcome);
      if (given.kind === "refused") return given;
      proven = given.request;
      seen = given.seen;
      continue;
    }
    if (outcome.kind === "refused" && seen !== undefined) {
      const of = { family: request.family, state: outcome.state };
      const world = openWorld(oneLook(parts));
      return { ...outcome, refusals: await tellChanged(world, of, seen, outcome.refusals) };
    }
    if ("events" in outcome && seen !== undefined && proven.proof !== undefined)
      await carryRelease(parts, seen.card, proven.proof);
    if (outcome.kind !== "runs") return withWarnings(await watched(parts, request, outcome), told);
    // A check takes minutes. Other commands run meanwhile, so afterwards the command is decided again.
    const run = await request.run?.(outcome.state, outcome.runs);
    if (run?.kind === "failed") return run;
    told.push(...(run?.warnings ?? []));
    ran.push(...outcome.runs.map(runKey));
  }
  throw new Error(`Cannot decide "${request.workflow}": its protocol never stops asking for runs`);
}

function withWarnings(outcome: Outcome, told: readonly string[]): Outcome {
  if (outcome.kind === "failed" || told.length === 0) return outcome;
  return { ...outcome, warnings: [...new Set([...told, ...(outcome.warnings ?? [])])] };
}

/** If another process was faster, its effects are settled first, and then the command is decided again. */
async function handleNow(parts: Parts, request: Request): Promise<Outcome | Wanted> {
  let before: Settled | undefined;
  for (let round = 0; round < TRIES_MAX; round += 1) {
    const handled = await handleOnce(parts, request, before);
    if (handled.kind !== "settled") return handled;
    before = handled;
    await pauseBefore(round);
  }
  return busy(request.workflow);
}

/** Returns what was settled if another process appended first. */
async function handleOnce(
  parts: Parts,
  request: Request,
  before: Settled | undefined,
): Promise<Outcome | Wanted | Settled> {
  const begun = await settleNow(parts, request, "before");
  if (begun.kind === "settled" && begun.foreign !== undefined && !passes(request, begun.foreign))
    return { kind: "refused", refusals: [begun.foreign.refusal], state: begun.state };
  const stopped = begun.kind === "failed" ? begun : await stopUnshown(parts, request, begun);
  if (stopped.kind === "failed") return stopped;
  const settled = before === undefined ? stopped : together(before, stopped);
  const unshown = settled.pending.find((one) => one.effect === "show");
  if (unshown !== undefined && GOES_ON.includes(request.command.type)) {
    const { code, message, fix } = unshown;
    const refusals = [{ code: `view-${code}`, message, fix, rule: "core" }];
    return { kind: "refused", refusals, state: settled.state };
  }
  const world = oneWorld(parts);
  const outcome = await attempt(world, { ...request, settled: settled.state.seq });
  if (outcome.kind === "behind") return settled;
  if (!("events" in outcome)) return outcome;
  const ended = await settleNow(world, { ...request, since: settled.state.seq }, "after").catch(
    (error: unknown) => ({ ...NOTHING_DONE, state: outcome.state, pending: [undoneBy(error)] }),
  );
  const after = ended.kind === "failed" ? ended : await stopUnshown(world, request, ended);
  if (after.kind === "failed") return after;
  if (outcome.repeated === true) return { ...outcome, pending: after.pending };
  return merge(outcome, settled, after);
}

/**
 * Stops the workflow if a decision cannot be shown in its files and the family defines a move for that. The
 * journal records the stop at once, the files show it as soon as they can be written, and a person must say
 * before it goes on.
 */
async function stopUnshown(
  parts: Parts,
  { family, workflow, command, session }: Request,
  settled: Settled,
): Promise<Settled | Failed> {
  const { state } = settled;
  const unshown = settled.pending.find((one) => one.effect === "show");
  const decided = command.type === "decision.answer" || keptAnswer(state) !== undefined;
  if (unshown === undefined || !decided || family.edits.unshown === null) return settled;
  if (isStopped(family, state)) return settled;
  const { message, fix } = unshown;
  const move: Command = {
    type: "unit.move",
    unit: ROOT,
    move: family.edits.unshown,
    reason: `${message} ${remedyText(fix)}`,
  };
  // The move is made under the lease of the session that has it, because that session must stop too.
  const as = { actor: ENGINE, session: state.lease?.session ?? session };
  const stopped = await submit(parts, { family, workflow, command: move, ...as });
  if (stopped.kind === "failed") return stopped;
  return stopped.kind === "refused" ? settled : { ...settled, state: stopped.state };
}

function isStopped({ protocol, edits }: Family, { units }: Workflow): boolean {
  const rows = protocol.kinds[protocol.root]?.moves.filter((row) => row.id === edits.unshown) ?? [];
  return rows.some((row) => row.to === units[ROOT]?.at);
}

const NOTHING_DONE = { kind: "settled", warnings: [], commits: [] } as const;

/**
 * Brings everything outside up to the journal: writes the state files, carries out pending effects, records their
 * outcome. It also runs before every command, which is how crashes are recovered from.
 */
export async function settle(parts: Parts, request: Settling): Promise<Settled | Failed> {
  const stream = streamOf(request.family, request.workflow);
  return await parts.turns.take(stream, () => settleNow(parts, request, "before"));
}

async function settleNow(
  parts: Parts,
  request: Settling & { readonly since?: number },
  when: "before" | "after",
): Promise<Settled | Failed> {
  const { family, workflow } = request;
  const stream = streamOf(family, workflow);
  const world = oneWorld(parts);
  const warnings: string[] = [];
  const commits: Commit[] = [];
  let { since } = request;
  let recovers = when === "before";
  for (let round = 0; round < SETTLE_ROUNDS_MAX; round += 1) {
    const loaded = await parts.journal.load(stream);
    if (loaded.damage !== undefined) return damaged(stream, loaded);
    const { state } = loaded;
    since ??= state.seq;
    const pending: Pending[] = [];
    // Nothing is shown or done under a changed definition until a person accepts it.
    if (isRedefined(family.protocol, state))
      return { kind: "settled", state, warnings, commits, pending };
    const next = Object.values(state.effects).find((one) => one.status === "wanted");
    const whose = await whoseNext(world, { ...request, since, when }, state, next);
    if (whose?.kind === "moved") continue;
    if (whose?.kind === "foreign")
      return { kind: "settled", state, warnings, commits, pending, foreign: whose };
    if (when === "before" && isStranger(request, state))
      return { kind: "settled", state, warnings, commits, pending };
    if (recovers) {
      recovers = false;
      warnings.push(...(await keepLeftAside(parts)));
      if (await refuseOutdated(world, request, { state, warnings })) continue;
    }
    if (state.seq > 0 && !(await isShown(parts, family, state))) {
      const showing = await show(world, family, state, request);
      warnings.push(...showing.warnings);
      pending.push(...showing.pending);
    }
    const wanted = pending.length > 0 ? undefined : next;
    if (wanted === undefined) {
      const waits =
        pending.length > 0 || isStopped(family, state) || isChanged(family.protocol, state);
      const kept = waits ? undefined : keptAnswer(state);
      if (kept === undefined) return { kind: "settled", state, warnings, commits, pending };
      const given = await giveAgain(world, { family, workflow }, kept);
      if (given !== undefined) return given;
      continue;
    }
    const odd =
      when === "before" ? await unbelievedEffect(world, family, state, wanted) : undefined;
    if (odd !== undefined) return { kind: "settled", state, warnings, commits, pending: [odd] };
    const performed = await perform(world, request, state, wanted);
    world.workspace.refresh();
    if (performed.kind === "pending") {
      await letGo(world, request, wanted);
      return { kind: "settled", state, warnings, commits, pending: [performed.pending] };
    }
    warnings.push(...warningsOf(performed));
    if ("commit" in performed && performed.commit !== undefined) commits.push(performed.commit);
    const recorded = await recordSettled(world, request, state, { effect: wanted, performed });
    if (recorded.kind === "failed") return recorded;
    await releaseEffect(world, request, wanted);
    // Another process did the same and recorded it first. What comes next is in the journal.
    if (recorded.kind === "refused" && recorded.refusals[0]?.code !== "effect-settled")
      return notRecorded(workflow, recorded.refusals);
  }
  throw new Error(`Cannot settle "${workflow}": its effects never come to an end`);
}

/** Gives an answer again that was kept while the files could not be written. The person is not asked again. */
async function giveAgain(
  parts: Parts,
  of: Pick<Request, "family" | "workflow">,
  kept: Kept,
): Promise<Failed | undefined> {
  const id = `${of.workflow}.${kept.command.nonce ?? ""}.kept`;
  const outcome = await submit(parts, { ...of, ...kept, id });
  if (outcome.kind === "failed") return outcome;
  if (outcome.kind !== "refused") return undefined;
  const { decision } = kept.command;
  const command = {
    type: "answer.drop",
    decision,
    why: outcome.refusals[0]?.message ?? "",
  } as const;
  const dropped = await submit(parts, { ...of, ...kept, command });
  return dropped.kind === "failed" ? dropped : undefined;
}
