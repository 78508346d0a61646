import type { Refusal } from "./answer.ts";
import type { Command } from "../state/commands.ts";
import type { Event } from "../state/events.ts";
import { holderKey } from "../state/ousted.ts";
import type { Holder } from "../state/ousted.ts";
import { member } from "../values/json.ts";
import { emit, refuse } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { isReleased } from "./decisions/release.ts";
import type { Protocol } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import type { Lease } from "../state/state.ts";
import { remedy } from "../table/remedy.ts";

/** Commands that need no lease: what people settle, and what the engine records. */
const FREE: readonly Command["type"][] = [
  "workflow.start",
  "workflow.adopt",
  "decision.answer",
  "answer.keep",
  "answer.drop",
  "gate.waive",
  "artifact.reseal",
  "lease.take",
  "lease.break",
  "effect.settle",
  "effect.aim",
  "finding.record",
  "note.add",
  "edit.refuse",
];

/**
 * Commands tied to one dispatch: fetching the order, reporting, and parking a report that a hook or a file
 * rejected.
 */
const BY_DISPATCH: readonly Command["type"][] = [
  "dispatch.take",
  "dispatch.report",
  "dispatch.park",
];

/**
 * Refuses whatever changes the workflow if another session has the lease, or if this session's number is from
 * before a takeover.
 */
export function checkLease(draft: Draft): void {
  const { lease, id } = draft.state;
  const { fence } = draft.envelope;
  if (FREE.includes(draft.command.type)) return;
  // The person who sent the work out and the agent that returns it are different sessions. The dispatch id is
  // enough to show that this work is meant.
  if (BY_DISPATCH.includes(draft.command.type) && draft.protocol.lease === "dispatch") return;
  if (lease === null) return isOusted(draft) ? undefined : checkOwned(draft);
  // A session may keep this kind of lease for a long time, and a person should not have to wait for it.
  if (draft.envelope.actor.kind === "person" && holdsOn(draft)) return;
  if (!isHolder(lease, draft.envelope)) {
    refuseHeld(draft);
  } else if (fence !== undefined && fence !== lease.fence) {
    refuse(draft, {
      code: "fence-stale",
      message: `This session's lease ${fence} on ${id} was taken over; the current number is ${lease.fence}`,
      fix: remedy("status", { workflow: id }, "Start again from where it stands"),
      rule: "core",
    });
  }
}

/** Whether this session, in this clone, has the lease. In another clone the same name may be another session. */
export function isHolder({ session, place }: Holder, asks: Holder): boolean {
  const here = place === undefined || asks.place === undefined || place === asks.place;
  return session === asks.session && here;
}

/**
 * This session was silent and another one ended its lease. Now it is back, with commands decided before others
 * went on.
 */
function isOusted(draft: Draft): boolean {
  const { id, ousted = {} } = draft.state;
  const lost = member(ousted, holderKey(draft.envelope));
  if (lost === undefined) return false;
  refuse(draft, {
    code: "fence-stale",
    message: `This session's lease ${lost} on ${id} was ended by somebody else, who may have gone on since`,
    fix: remedy("lock", { workflow: id }, "See where it stands, then take it anew"),
    rule: "core",
  });
  return true;
}

/** Refuses because another session has the lease, and says which. */
export function refuseHeld(draft: Draft): void {
  const { lease, id } = draft.state;
  if (lease !== null) refuse(draft, heldLease(draft.protocol, id, lease));
}

export function heldLease(protocol: Protocol, id: string, lease: Lease): Refusal {
  return {
    code: "lease-held",
    message: heldBy(id, lease),
    fix:
      protocol.lease === "owner"
        ? "Take something else; only a person may break the lease, and must say why."
        : remedy(
            "advance",
            { workflow: id, take: true },
            "Wait for its report; when that session is gone, take it over",
          ),
    rule: "core",
  };
}

function heldBy(id: string, { session, holder, takenAt, place }: Lease): string {
  const where = place === undefined ? "" : ` in ${place}`;
  return `${id} is held by session ${session} (${holder})${where} since ${takenAt}`;
}

function holdsOn({ protocol }: Draft): boolean {
  return protocol.lease === "workflow";
}

/** In a workflow that belongs to one session, nobody but a person may act while it has no owner. */
function checkOwned(draft: Draft): void {
  const { id, units } = draft.state;
  if (draft.protocol.lease !== "owner" || !(ROOT in units)) return;
  if (draft.envelope.actor.kind === "person") return;
  refuse(draft, {
    code: "lease-missing",
    message: `${id} belongs to no session, so nothing may move it`,
    fix: remedy("lock", { workflow: id }, "Take it first"),
    rule: "core",
  });
}

/** A finished workflow needs no owner. The lease ends only after the last effect is settled. */
export function endOwnership(draft: Draft): void {
  const { lease, effects, decisions, units } = draft.state;
  const root = units[ROOT];
  const over = root !== undefined && draft.protocol.kinds[root.kind]?.ends.includes(root.at);
  if (draft.protocol.lease !== "owner" || over !== true || lease === null) return;
  if (Object.values(effects).some((one) => one.status === "wanted")) return;
  if (Object.values(decisions).some((one) => one.status === "open")) return;
  emit(draft, { type: "lease.ended", session: lease.session, why: "finished" });
}

export function takeLease(draft: Draft, command: Extract<Command, { type: "lease.take" }>): void {
  const { lease } = draft.state;
  const { session, actor } = draft.envelope;
  if (lease !== null && !isHolder(lease, draft.envelope)) {
    // A silent session may still be alive, so only a person may take over from it. A dead one cannot object.
    const gone =
      command.previous === "dead" || (command.previous === "quiet" && actor.kind === "person");
    if (!gone || draft.protocol.lease === "owner") {
      refuse(draft, {
        code: "lease-held",
        message: `${heldBy(draft.state.id, lease)}${command.previous === "quiet" ? ` (${command.why})` : ""}`,
        fix: "Wait until it is released, or let a person break it with a reason.",
        rule: "core",
      });
      return;
    }
    if (command.previous !== "dead" && !isReleased(draft)) return;
    emit(draft, { type: "lease.ended", session: lease.session, why: command.why, by: session });
  }
  if (lease !== null && draft.protocol.lease === "owner") return;
  cancelWorkOf(draft, lease, command.why);
  emit(draft, leaseOf(draft));
}

export function leaseOf({ envelope: { session, actor, place } }: Draft): Event {
  const holder = `${actor.kind}:${actor.name}`;
  return { type: "lease.taken", session, holder, ...(place === undefined ? {} : { place }) };
}

/**
 * Ends the dispatches of the session that lost the lease, so that late reports of its agents are refused as
 * stale.
 */
function cancelWorkOf(draft: Draft, lease: Lease | null, why: string): void {
  if (lease === null || isHolder(lease, draft.envelope)) return;
  for (const dispatch of Object.values(draft.state.dispatches)) {
    if (!isHolder(lease, dispatch) || dispatch.status === "ended") continue;
    emit(draft, {
      type: "dispatch.ended",
      dispatch: dispatch.id,
      outcome: "cancelled",
      claim: { why },
      notes: [],
    });
  }
}

export function breakLease(draft: Draft, reason: string): void {
  const { lease, id } = draft.state;
  if (draft.envelope.actor.kind !== "person" || reason.trim() === "") {
    const isPerson = draft.envelope.actor.kind === "person";
    refuse(draft, {
      code: isPerson ? "reason-missing" : "person-required",
      message: `Only a person may break the lease on ${id}, and must say why`,
      fix: isPerson
        ? remedy("lock", { workflow: id, break: true, reason: "..." }, "Say why")
        : "Ask a person to do it, with a reason.",
      rule: "core",
    });
    return;
  }
  if (lease === null || !isReleased(draft)) return;
  const by = isHolder(lease, draft.envelope) ? {} : { by: draft.envelope.session };
  emit(draft, { type: "lease.ended", session: lease.session, why: reason, ...by });
  cancelWorkOf(draft, lease, reason);
}

export function releaseLease(draft: Draft): void {
  const { lease } = draft.state;
  if (lease !== null) emit(draft, { type: "lease.ended", session: lease.session, why: "released" });
}

/** When work is reported, a lease that lasts for one dispatch ends. */
export function endLease(draft: Draft, why: string): void {
  const { lease, dispatches } = draft.state;
  if (lease === null || draft.protocol.lease !== "dispatch") return;
  if (Object.values(dispatches).some((one) => one.status !== "ended")) return;
  emit(draft, { type: "lease.ended", session: lease.session, why });
}
