import type { Refusal } from "../answer.ts";
import type { Previous } from "../../state/commands.ts";
import type { Draft } from "../draft.ts";
import { heldLease } from "../lease.ts";
import type { Protocol } from "../../table/protocol.ts";
import { remedy } from "../../table/remedy.ts";
import type { Effect, Performer, Workflow } from "../../state/state.ts";

/**
 * Names the process that is to carry out an effect: the one that wanted it. If it dies, the next command of its
 * session takes over, or whoever holds the lease.
 */
export function wantedBy({ envelope }: Draft): { readonly by?: Performer } {
  const { session, process, place } = envelope;
  if (process === undefined) return {};
  return { by: { session, process, ...(place === undefined ? {} : { place }) } };
}

/**
 * Whether this session may finish an effect that another process started: only if that process is proven dead, or
 * if a person has taken the lease since.
 */
export function mayTake(
  { lease }: Workflow,
  { by }: Effect,
  session: string,
  previous: Previous,
): boolean {
  const holds = lease !== null && lease.session === session;
  const since = lease !== null && lease.fence > (by?.seq ?? 0);
  if (previous !== "dead") return holds && since && lease.holder.startsWith("person:");
  if (by === undefined) return holds || lease === null;
  return holds || (by.session === session && !since);
}

/** Refuses because another process is carrying out the effect: says whose it is and what to do. */
export function heldEffect(
  protocol: Protocol,
  { id, lease }: Workflow,
  { kind, by }: Effect,
  asks: { readonly session: string; readonly previous: Previous; readonly why: string },
): Refusal {
  const owner = by?.session ?? lease?.session ?? "";
  if (lease !== null && lease.session === owner && owner !== asks.session)
    return heldLease(protocol, id, lease);
  return {
    code: "effect-held",
    message: `The ${kind} of ${id} is for session ${owner} to carry out (${asks.why})`,
    fix:
      lease === null && asks.previous === "dead"
        ? remedy("lock", { workflow: id }, "Take it over, then go on")
        : `Wait for it${by?.place === undefined ? "" : ", or reconcile there"}. Where it is gone, a person takes the workflow over: lock --break, then lock.`,
    rule: "core",
  };
}
