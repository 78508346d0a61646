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

/** Commands that need no lease: people settle what is theirs, and the engine records what it saw. */
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

/** Fetching the order, a report, and a report that is kept because a hook or a file said no. */
const BY_DISPATCH: readonly Command["type"][] = [
  "dispatch.take",
  "dispatch.report",
  "dispatch.park",
];

/** Another session's lease refuses everything that moves; so does a number from before a takeover. */
export function checkLease(draft: Draft): void {
  const { lease, id } = draft.state;
  const { fence } = draft.envelope;
  if (FREE.includes(draft.command.type)) return;
  // The person who handed the work out and the agent that returns it are two sessions; the dispatch's
  // own id says that this is the work that was meant.
  if (BY_DISPATCH.includes(draft.command.type) && draft.protocol.lease === "dispatch") return;
  if (lease === null) return isOusted(draft) ? undefined : checkOwned(draft);
  // Where a session holds on between dispatches, a person need not wait for it.
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

/** A session in the clone it has the lease for; elsewhere the same name may be somebody else's. */
export function isHolder({ session, place }: Holder, asks: Holder): boolean {
  const here = place === undefined || asks.place === undefined || place === asks.place;
  return session === asks.session && here;
}

/** Silence ended its lease, and it speaks again: what it wants was thought out before others went on. */
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

/** Somebody else has it, who that is, and what can be done about it. */
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

/** Where a workflow belongs to one session, nobody moves it between two owners, except a person. */
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

/** A finished workflow is nobody's any more; it is let go only after the last effect is settled. */
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
    // Silence proves nothing: only a person may take what is merely quiet.
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

/** A dead session's agents may still report: their dispatches end here, so that a late report is stale. */
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
    refuse(draft, {
      code: draft.envelope.actor.kind === "person" ? "reason-missing" : "person-required",
      message: `Only a person may break the lease on ${id}, and must say why`,
      fix: "Ask a person to do it, with a reason.",
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

/** Work has come back: where the right to move lasts one dispatch, it ends here. */
export function endLease(draft: Draft, why: string): void {
  const { lease, dispatches } = draft.state;
  if (lease === null || draft.protocol.lease !== "dispatch") return;
  if (Object.values(dispatches).some((one) => one.status !== "ended")) return;
  emit(draft, { type: "lease.ended", session: lease.session, why });
}
