import type { RunRequest } from "../core/decide/answer.ts";
import type { Actor, Command, Proof } from "../core/state/commands.ts";
import { unchecked } from "../core/guards/checked.ts";
import { cite } from "../core/table/cite.ts";
import type { Event } from "../core/state/events.ts";
import { member } from "../core/values/json.ts";
import type { Workflow } from "../core/state/state.ts";
import type { Family } from "../ports/family.ts";
import type { Head, Loaded } from "../ports/journal.ts";
import { recordedWith, tellEdit } from "./intake/edits.ts";
import { stillHolds } from "./look/look.ts";
import { bodyOf, envelopeOf } from "./envelope.ts";
import type { Accepted, Failed, Outcome, Ran } from "./outcome.ts";
import { openWorld, streamOf } from "./parts.ts";
import type { Parts } from "./parts.ts";
import { keepAsked } from "./look/asked.ts";
import { keepReadings } from "./look/measure.ts";
import { prepare } from "./show/prepare.ts";
import { oneWorld } from "./look/reading.ts";
import type { OneWorld } from "./look/reading.ts";
import { decideConfirming } from "./release/confirm.ts";
import type { Confirm, Unconfirmed } from "./release/confirm.ts";
import { boundBy } from "./release/policy.ts";
import { keepState } from "./prove/recorded.ts";
import { unbelieved } from "./prove/relied.ts";
import { answeredBefore, isHeld, KEPT, PARKED } from "./intake/repeated.ts";
import { noteRefusal } from "./intake/refused.ts";
import type { Readiness } from "./show/prepare.ts";
import { busy, damaged, failed, overtaken } from "./unrecorded.ts";

/** How often a command that lost a race is decided again before it gives up, and the pause between. */
export const TRIES_MAX = 32;
const PAUSE_MS_MAX = 10;

/** How often it is decided again because the files changed meanwhile. */
const READINGS_MAX = 8;

export interface Request {
  readonly family: Family;
  readonly workflow: string;
  readonly command: Command;
  readonly actor: Actor;
  readonly session: string;
  readonly fence?: number;
  /** Verified proof that a person gave the command. */
  readonly proof?: Proof;
  /** Asks the person for that proof if the policy requires it. */
  readonly confirm?: Confirm;
  /** The command's id: the same id again returns the first answer. */
  readonly id?: string;
  /** The record that an edited file was rendered from. The command is not decided again on a later one. */
  readonly basedOn?: number;
  /** Runs the checks that `decide` asks for. Without it, they count as not run. */
  readonly run?: (state: Workflow, runs: readonly RunRequest[]) => Promise<Ran | Failed>;
  /** This only records evidence for another command, which will deal with edits in the files. */
  readonly evidence?: true;
  /** Checks already run for it. */
  readonly ran?: readonly string[];
  /** The record that everything outside was brought up to. If there is a later one, that is shown first. */
  readonly settled?: number;
}

/** One command, from loading to the append. Decided again if another process appends first. */
export async function submit(parts: Parts, request: Request): Promise<Outcome> {
  const { ran: _, settled: __, ...plain } = request;
  const tried = await attempt(parts, plain);
  if (tried.kind === "runs" || tried.kind === "unconfirmed" || tried.kind === "behind")
    throw new Error("Cannot happen: nobody said what was run or settled");
  return tried;
}

/** Checks to run before the command can be decided. */
export interface RunsWanted {
  readonly kind: "runs";
  readonly runs: readonly RunRequest[];
  readonly state: Workflow;
}

/** What has to happen first: checks are run, or a person is asked to prove their word. */
export type Wanted = RunsWanted | Unconfirmed;

/**
 * Another process has recorded something since everything was settled. While it writes its files, they would look
 * like somebody's edit, and deciding now would record them as one.
 */
export interface Behind {
  readonly kind: "behind";
}

/** The same for a command whose checks may still have to be run. */
export async function attempt(parts: Parts, request: Request): Promise<Outcome | Wanted | Behind> {
  const stream = streamOf(request.family, request.workflow);
  const id = request.id ?? parts.ids.next();
  const world = oneWorld(parts);
  let readings = 0;
  for (let round = 0; round < TRIES_MAX && readings < READINGS_MAX; round += 1) {
    const before =
      request.id === undefined ? undefined : await answeredBefore(parts, stream, request.id);
    if (before !== undefined) return before;
    const loaded = await parts.journal.load(stream);
    if (loaded.damage !== undefined) return damaged(stream, loaded);
    if ((request.basedOn ?? loaded.head.seq) !== loaded.head.seq)
      return overtaken(request.workflow, request.basedOn, loaded.state);
    // A record without events changes nothing, so the state's number counts and not the journal's.
    const { seq } = loaded.state;
    if ((request.settled ?? seq) !== seq) return { kind: "behind" };
    const tried = await tryOnce(world, { ...request, id }, loaded);
    if (tried !== "lost" && tried !== "changed") return tried;
    world.workspace.refresh();
    if (tried === "changed") readings += 1;
    await pauseBefore(round);
  }
  return busy(request.workflow);
}

/** Random, so that several losers of a race do not collide again. */
export async function pauseBefore(round: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, Math.random() * PAUSE_MS_MAX * round);
  });
}

type Identified = Request & { readonly id: string };

/** "lost": another process appended first. "changed": the files have changed since the decision. */
async function tryOnce(
  parts: OneWorld,
  request: Identified,
  loaded: Loaded<Workflow>,
): Promise<Outcome | Wanted | "lost" | "changed"> {
  const { family, command } = request;
  const stream = streamOf(family, request.workflow);
  const world = openWorld(parts);
  const { state, head } = loaded;
  const plain = envelopeOf(parts, request, state);
  const envelope = { ...plain, ...(await boundBy(parts, family, state)), head: head.hash };
  const ran = request.ran === undefined ? {} : { ran: request.ran };
  const answer = await decideConfirming(world, request, { state, envelope, command, ...ran });
  if (answer === "unconfirmed") return { kind: "unconfirmed", state, head };
  if (answer.kind === "runs") return { ...answer, state };
  if (answer.kind === "refused") {
    // A refusal counts only for the state it was decided on, just like an acceptance. If a race was lost, decide
    // again on the winner's state.
    if (!isSame((await parts.journal.load(stream)).head, loaded.head)) return "lost";
    await noteRefusal(parts, { stream, command, loaded }, envelope, answer.refusals);
    return { kind: "refused", refusals: answer.refusals, state: loaded.state };
  }
  const odd = await unbelieved(parts, stream, { ...envelope, events: answer.events });
  if (odd !== undefined) return { kind: "refused", refusals: [odd], state };
  const [unkept] = await Promise.all([
    keepSealed(parts, answer.events),
    keepReadings(parts, { family, state }, answer.events),
    keepAsked(parts, { family, state }, answer),
  ]);
  const { at } = envelope;
  const made = [...answer.events, ...unchecked(answer.events, answer.used)];
  const events = await recordedWith(parts, request, state, { events: made, at });
  const prepared = await prepare(parts, { family, state, events, at });
  if (prepared.kind === "changed") return "changed";
  if (prepared.kind === "rejected") return await rejected(parts, request, loaded, prepared);
  const ready = { ...prepared, warnings: [...unkept, ...prepared.warnings] };
  if (ready.events.length === 0)
    return accepted(loaded.state, { ready, events: [], notes: answer.notes });
  if (!(await stillHolds(parts, family, loaded.state, answer.used))) return "changed";
  const kept = await keepState(parts.blobs, loaded, ready.events);
  const body = { ...bodyOf(parts, request, ready.events, answer.used), ...kept };
  parts.onStep("append");
  const appended = await parts.journal.append(stream, loaded.head, {
    id: request.id,
    at: envelope.at,
    body,
  });
  parts.onStep("appended");
  if (appended.kind === "conflict" || appended.kind === "repeated") return "lost";
  if (appended.kind === "failed") return failed(appended);
  return accepted(appended.state, { ready, events: ready.events, notes: answer.notes });
}

function isSame(one: Head, other: Head): boolean {
  return one.seq === other.seq && one.hash === other.hash;
}

function accepted(
  state: Workflow,
  {
    ready,
    events,
    notes,
  }: {
    ready: Extract<Readiness, { kind: "ready" }>;
    events: readonly Event[];
    notes: Accepted["notes"];
  },
): Accepted {
  return {
    kind: kindOf(state),
    state,
    events,
    notes,
    warnings: [...ready.warnings, ...warningsIn(events)],
    commits: [],
    pending: [],
  };
}

/** Warnings: what was left out (such as the commit without git), and edits that do not count. */
function warningsIn(events: readonly Event[]): readonly string[] {
  return events.flatMap((event) => {
    if (event.type === "edit.refused") return tellEdit(event);
    return event.type === "warned" ? [event.text] : [];
  });
}

export function kindOf(state: Workflow): Accepted["kind"] {
  return isHeld(state) ? "held" : "done";
}

/** Keeps a copy of every file that is sealed, so that it can be restored without git. */
async function keepSealed(
  { workspace, blobs }: Parts,
  events: readonly Event[],
): Promise<readonly string[]> {
  const warnings = events.map(async (event): Promise<readonly string[]> => {
    if (event.type !== "artifact.sealed" || event.digest === null) return [];
    const file = await workspace.bytes(event.artifact);
    if (file.kind === "bytes") await blobs.put(file.bytes);
    if (file.kind !== "unreadable") return [];
    return [`${event.artifact} is sealed, but no copy is kept to put it back: ${file.message}`];
  });
  return (await Promise.all(warnings)).flat();
}

/**
 * A hook or a state file stood in the way. A report is parked and a person asked; any other command is refused.
 */
async function rejected(
  parts: Parts,
  request: Identified,
  loaded: Loaded<Workflow>,
  ready: Extract<Readiness, { kind: "rejected" }>,
): Promise<Outcome> {
  const { command, family } = request;
  const { code, message, fix, asks } = ready;
  const known = asks !== null && asks in family.protocol.questions;
  if (command.type === "dispatch.report" && known) {
    const { dispatch, claim } = command;
    const park: Command = {
      type: "dispatch.park",
      dispatch,
      claim,
      asks,
      about: { code, message, fix },
    };
    return await submit(parts, { ...request, id: `${request.id}${PARKED}`, command: park });
  }
  const decision =
    command.type === "decision.answer"
      ? member(loaded.state.decisions, command.decision)
      : undefined;
  // An answer is kept only if a file could not be written: a hook would refuse it again. A signed answer is not
  // kept, because what it was bound to will have changed; it must be signed again.
  const unwritable = code.startsWith("view-") && request.proof === undefined;
  if (command.type === "decision.answer" && decision !== undefined && unwritable) {
    const { text, reason = "" } = command;
    const { id, nonce } = decision;
    const keep: Command = { type: "answer.keep", decision: id, nonce, text, reason };
    return await submit(parts, { ...request, id: `${request.id}${KEPT}`, command: keep });
  }
  const refusals = [cite(family.protocol, { code, message, fix, rule: "core" })];
  const stream = streamOf(family, request.workflow);
  const envelope = envelopeOf(parts, request, loaded.state);
  await noteRefusal(parts, { stream, command, loaded }, envelope, refusals);
  return { kind: "refused", refusals, state: loaded.state };
}
