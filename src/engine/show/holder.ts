import type { Refusal } from "../../core/decide/answer.ts";
import { cite } from "../../core/table/cite.ts";
import type { Previous } from "../../core/state/commands.ts";
import { member } from "../../core/values/json.ts";
import { heldEffect, mayTake } from "../../core/decide/work/performer.ts";
import type { Effect, Workflow } from "../../core/state/state.ts";
import type { Memory } from "../../ports/family.ts";
import type { Processes } from "../../ports/processes.ts";
import type { Liveness } from "../../ports/sessions.ts";
import { unfetched } from "../intake/fetched.ts";
import { streamOf } from "../parts.ts";
import type { Parts } from "../parts.ts";
import type { Request } from "../submit.ts";

/** Whoever brings the world up to the journal. Without an actor it is the engine, on nobody's behalf. */
export type Settling = Pick<Request, "family" | "workflow" | "session" | "evidence"> &
  Partial<Pick<Request, "actor">>;

/** An effect that is somebody else's to carry out. */
export interface Foreign {
  readonly refusal: Refusal;
  readonly fate: Liveness["kind"];
}

type Claimed =
  | { readonly kind: "mine" }
  /** Something has changed: look again. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "foreign" } & Foreign);

/** How long a command waits for what another process is just doing, before it is told whose it is. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 25;

/** Whose turn it is to go on from here. A clone that lacks what others made shows and does nothing. */
export async function whoseNext(
  parts: Parts,
  request: Settling & { readonly since: number; readonly when: "before" | "after" },
  state: Workflow,
  next: Effect | undefined,
): Promise<Claimed | undefined> {
  const missing = request.when === "before" ? await unfetched(parts, state) : undefined;
  if (missing !== undefined)
    return { kind: "foreign", fate: "unknown", refusal: cite(request.family.protocol, missing) };
  return next === undefined ? undefined : await claimEffect(parts, request, state, next);
}

/**
 * Whose an effect is. What this process wanted for this session, or since it last looked, is its own. What a dead one
 * left is taken over first, so that of two that come for it only one carries it out.
 */
export async function claimEffect(
  parts: Parts,
  request: Settling & { readonly since: number },
  state: Workflow,
  effect: Effect,
): Promise<Claimed> {
  const { family, session, actor } = request;
  const { self } = parts.processes;
  const holder = await holderOf(parts, request, effect);
  const own = isOwn(parts, holder);
  const entitled = (previous: Previous): boolean => mayTake(state, effect, session, previous);
  if (own && ((effect.by?.seq ?? 0) > request.since || entitled("dead"))) return { kind: "mine" };
  const { kind: fate, why } = fateOf(parts, holder, effect);
  const waits =
    (fate === "alive" || isElsewhere(parts.processes, effect.by)) &&
    !own &&
    !isStranger(request, state);
  if (waits && (await settles(parts, request, effect))) return { kind: "moved" };
  const previous = previousOf(fate);
  if (actor === undefined || !entitled(previous)) {
    const refusal = heldEffect(family.protocol, state, effect, { session, previous, why });
    return { kind: "foreign", fate, refusal: cite(family.protocol, refusal) };
  }
  // Whoever is faster has it; both look again, because it may have been settled meanwhile.
  await passOn(parts, keyOf(request, effect), { from: holder, to: self });
  return { kind: "moved" };
}

/** It could not be done now: whoever may do it need not prove that this process has ended. */
export async function letGo(parts: Parts, of: Settling, effect: Effect): Promise<void> {
  const from = await holderOf(parts, of, effect);
  if (isOwn(parts, from)) await passOn(parts, keyOf(of, effect), { from, to: NOBODY });
}

function isOwn({ processes: { self } }: Parts, holder: string): boolean {
  return holder === self || holder.startsWith(`${self} `);
}

/** Under a name of its own each time: a process may let an effect go and take it up again. */
async function passOn(
  { holders, ids }: Parts,
  key: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await holders.take(key, from, `${to} ${ids.next()}`);
}

/** What an attempt leaves for the next one. */
export function memoryOf({ holders }: Parts, of: Settling, effect: Effect): Memory {
  const key = keyOf(of, effect);
  return { recall: () => holders.recall(key), keep: (seen) => holders.keep(key, seen) };
}

/** It is settled: nobody needs to know any more who carried it out. */
export async function releaseEffect(parts: Parts, of: Settling, effect: Effect): Promise<void> {
  await parts.holders.forget(keyOf(of, effect));
}

/** Names are used again, and effects then count from one again; records never do. */
function keyOf({ family, workflow }: Settling, { id, by }: Effect): string {
  return `${streamOf(family, workflow)} ${id} ${by?.seq ?? 0}`;
}

async function holderOf({ holders }: Parts, of: Settling, effect: Effect): Promise<string> {
  return await holders.of(keyOf(of, effect), effect.by?.process ?? NOBODY);
}

/** The beginning of what stands in the place of a process where none is at it. */
const NOBODY = "-";

/** Who let it go is not at it any more; nor is whoever wanted it before journals said who that was. */
function fateOf({ processes }: Parts, holder: string, { by }: Effect): Liveness {
  const fate: Liveness = holder.startsWith(NOBODY)
    ? { kind: "dead", why: "no process is at it" }
    : processes.fate(holder);
  if (!isElsewhere(processes, by)) return fate;
  // Files and branches are that clone's: to be carried out here it takes a person who has taken the workflow over.
  const kind = fate.kind === "dead" ? "unknown" : fate.kind;
  return { kind, why: `${fate.why}, in ${by?.place ?? ""}` };
}

export function isElsewhere(
  { place }: Pick<Processes, "place">,
  by: { readonly place?: string } | undefined,
): boolean {
  return by?.place !== undefined && place !== undefined && by.place !== place;
}

/** Whether it may be settled any moment. What happens in another clone cannot be looked up. */
function isAtIt(parts: Parts, holder: string, effect: Effect): boolean {
  return isElsewhere(parts.processes, effect.by) || fateOf(parts, holder, effect).kind === "alive";
}

export function previousOf(kind: Liveness["kind"]): Previous {
  return kind === "dead" || kind === "quiet" ? kind : "none";
}

/** Wait while a process is at it: whether anything has come of it meanwhile. */
async function settles(parts: Parts, of: Settling, effect: Effect): Promise<boolean> {
  const before = await holderOf(parts, of, effect);
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    await new Promise((resolve) => {
      setTimeout(resolve, LOOK_MS);
    });
    const { state } = await parts.journal.load(streamOf(of.family, of.workflow));
    const now = member(state.effects, effect.id);
    if (now?.status !== "wanted" || (await holderOf(parts, of, now)) !== before) return true;
    if (!isAtIt(parts, before, effect)) return true;
  }
  return false;
}

/** Where a workflow belongs to one session, another agent has nothing to wait for, to show or to mend. */
export function isStranger({ family, session, actor }: Settling, { lease }: Workflow): boolean {
  if (family.protocol.lease !== "owner" || lease === null || lease.session === session)
    return false;
  return actor?.kind === "agent";
}

/** What may be asked for although somebody else has an effect to carry out: taking over from the dead, above all. */
export function passes({ command: { type }, actor }: Request, { fate }: Foreign): boolean {
  if (type === "lease.take") return fate === "dead" || actor.kind === "person";
  if (type === "effect.settle") return fate !== "alive" && actor.kind === "person";
  return type === "lease.break" || actor.kind === "engine";
}
