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

/** Whoever brings things up to the journal. Without an actor it is the engine, on nobody's behalf. */
export type Settling = Pick<Request, "family" | "workflow" | "session" | "evidence"> &
  Partial<Pick<Request, "actor">>;

/** An effect that another process is to carry out. */
export interface Foreign {
  readonly refusal: Refusal;
  readonly fate: Liveness["kind"];
}

type Claimed =
  | { readonly kind: "mine" }
  /** Something has changed: look again. */
  | { readonly kind: "moved" }
  | ({ readonly kind: "foreign" } & Foreign);

/** How long a command waits for another process before it is refused and told about it. */
const PATIENCE_MS = 3_000;
const LOOK_MS = 25;

/** Whose turn it is now. A clone that lacks commits of others neither shows nor does anything. */
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
 * Decides whose an effect is. It is this process's own if it wanted it for this session or since it last looked.
 * An effect left by a dead process is taken over first, so that only one of several that try carries it out.
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
  // Only one process gets it. All look again, because the effect may have been settled meanwhile.
  await passOn(parts, keyOf(request, effect), { from: holder, to: self });
  return { kind: "moved" };
}

/**
 * Gives up an effect that could not be done now, so that the next process need not prove that this one has died.
 */
export async function letGo(parts: Parts, of: Settling, effect: Effect): Promise<void> {
  const from = await holderOf(parts, of, effect);
  if (isOwn(parts, from)) await passOn(parts, keyOf(of, effect), { from, to: NOBODY });
}

function isOwn({ processes: { self } }: Parts, holder: string): boolean {
  return holder === self || holder.startsWith(`${self} `);
}

/** Each time with a new name: a process may give up an effect and take it up again. */
async function passOn(
  { holders, ids }: Parts,
  key: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  await holders.take(key, from, `${to} ${ids.next()}`);
}

/** What an attempt stores for the next one. */
export function memoryOf({ holders }: Parts, of: Settling, effect: Effect): Memory {
  const key = keyOf(of, effect);
  return { recall: () => holders.recall(key), keep: (seen) => holders.keep(key, seen) };
}

/** The effect is settled, so it no longer matters who carried it out. */
export async function releaseEffect(parts: Parts, of: Settling, effect: Effect): Promise<void> {
  await parts.holders.forget(keyOf(of, effect));
}

/** Workflow names and effect ids are reused, but record numbers never are. */
function keyOf({ family, workflow }: Settling, { id, by }: Effect): string {
  return `${streamOf(family, workflow)} ${id} ${by?.seq ?? 0}`;
}

async function holderOf({ holders }: Parts, of: Settling, effect: Effect): Promise<string> {
  return await holders.of(keyOf(of, effect), effect.by?.process ?? NOBODY);
}

/** Starts the entry of an effect that no process is carrying out. */
const NOBODY = "-";

/**
 * An effect counts as abandoned if it was given up, or if it is from a journal that did not record who wanted it.
 */
function fateOf({ processes }: Parts, holder: string, { by }: Effect): Liveness {
  const fate: Liveness = holder.startsWith(NOBODY)
    ? { kind: "dead", why: "no process is at it" }
    : processes.fate(holder);
  if (!isElsewhere(processes, by)) return fate;
  // Files and branches belong to the other clone. Carrying out the effect here takes a person who has taken over
  // the workflow.
  const kind = fate.kind === "dead" ? "unknown" : fate.kind;
  return { kind, why: `${fate.why}, in ${by?.place ?? ""}` };
}

export function isElsewhere(
  { place }: Pick<Processes, "place">,
  by: { readonly place?: string } | undefined,
): boolean {
  return by?.place !== undefined && place !== undefined && by.place !== place;
}

/** Whether it may be settled at any moment. What happens in another clone cannot be checked. */
function isAtIt(parts: Parts, holder: string, effect: Effect): boolean {
  return isElsewhere(parts.processes, effect.by) || fateOf(parts, holder, effect).kind === "alive";
}

export function previousOf(kind: Liveness["kind"]): Previous {
  return kind === "dead" || kind === "quiet" ? kind : "none";
}

/** Waits while a process is at work; true once the effect is settled, has changed hands, or that process is gone. */
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

/** In a workflow that belongs to one session, another agent has nothing to wait for, show or repair. */
export function isStranger({ family, session, actor }: Settling, { lease }: Workflow): boolean {
  if (family.protocol.lease !== "owner" || lease === null || lease.session === session)
    return false;
  return actor?.kind === "agent";
}

/**
 * Commands allowed although another process has an effect to carry out, above all taking over from a dead one.
 */
export function passes({ command: { type }, actor }: Request, { fate }: Foreign): boolean {
  if (type === "lease.take") return fate === "dead" || actor.kind === "person";
  if (type === "effect.settle") return fate !== "alive" && actor.kind === "person";
  return type === "lease.break" || actor.kind === "engine";
}
