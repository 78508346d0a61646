import type { Claim } from "../../state/commands.ts";
import { emit, refuse } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { requireUnit } from "../../state/evolve.ts";
import { runGuards, runSoftGuards } from "../../guards/guard.ts";
import { member } from "../../values/json.ts";
import { endLease } from "../lease.ts";
import { measure } from "./left.ts";
import { runAutoMoves } from "../move.ts";
import type { Work } from "../../table/protocol.ts";
import type { Dispatch, Unit } from "../../state/state.ts";
import { runConsequences } from "../consequence.ts";
import { remedy } from "../../table/remedy.ts";
import { refuseStale } from "../stale.ts";
import { checkReporter, keepReporter } from "./taken.ts";

/**
 * Takes an agent's report. A report is a claim: if a hard guard of its spec fails, nothing happens. Soft guards
 * look at the state afterwards and leave remarks on what the agent forgot to write.
 */
export function takeReport(draft: Draft, id: string, claim: Claim): void {
  const dispatch = member(draft.state.dispatches, id);
  const spec = dispatch === undefined ? undefined : member(draft.protocol.work, dispatch.spec);
  if (dispatch === undefined || spec === undefined || dispatch.status === "ended") {
    refuseStale(draft, id, dispatch, claim);
    return;
  }
  if (dispatch.status === "parked" && draft.resubmits !== id) {
    refuseParked(draft, id);
    return;
  }
  if (isElsewhere(draft, dispatch)) return;
  draft.claim = claim;
  draft.dispatch = id;
  measure(draft, dispatch);
  const unit = requireUnit(draft.state, dispatch.unit);
  checkReporter(draft, dispatch);
  checkClaim(draft, dispatch, spec, claim);
  runGuards(draft, unit, spec.accepts);
  if (draft.refusals.length > 0) return;
  const [hold] = draft.holds;
  if (hold !== undefined) {
    const about = { code: hold.row.code, message: hold.sentence, rule: hold.row.rule };
    park(draft, dispatch, claim, { question: hold.row.ask ?? "", about });
    return;
  }
  runConsequences(draft, member(spec.outcomes, claim.outcome) ?? [], dispatch.unit);
  finishReport(draft, spec, { unit, dispatch, claim });
}

/** The change was measured in the clone that got the order, so a report from another clone cannot be checked. */
function isElsewhere(draft: Draft, { id, place }: Dispatch): boolean {
  const { place: here } = draft.envelope;
  if (place === undefined || here === undefined || place === here) return false;
  refuse(draft, {
    code: "work-elsewhere",
    message: `${id} was handed out in ${place}, and what has changed since is measured there`,
    fix: "Report it from that clone; or end the dispatch, and hand the work out here.",
    rule: "core",
  });
  return true;
}

function checkClaim(draft: Draft, dispatch: Dispatch, spec: Work, claim: Claim): void {
  if (claim.agent !== dispatch.role) {
    refuse(draft, {
      code: "agent-mismatch",
      message: `The report is from "${claim.agent}", but ${dispatch.id} was given to ${dispatch.role}`,
      fix: `Let ${dispatch.role} report, or cancel the dispatch.`,
      rule: "core",
    });
  }
  if (!Object.hasOwn(spec.outcomes, claim.outcome)) {
    refuse(draft, {
      code: "outcome-unknown",
      message: `A report of ${dispatch.role} cannot end in "${claim.outcome}"`,
      fix: `Use one of ${Object.keys(spec.outcomes).join(", ")}.`,
      rule: spec.rule,
    });
  }
}

/** An agent must not replace a report that waits for a person. */
function refuseParked(draft: Draft, id: string): void {
  refuse(draft, {
    code: "held",
    message: `${id} is reported already, and the report waits for a person`,
    fix: remedy("answer", { workflow: draft.state.id }),
    rule: "core",
  });
}

/** Automatic moves come first, because remarks are about the state the workflow ends up in. */
function finishReport(
  draft: Draft,
  spec: Work,
  {
    unit,
    dispatch,
    claim,
  }: { readonly unit: Unit; readonly dispatch: Dispatch; readonly claim: Claim },
): void {
  if (draft.refusals.length > 0 || draft.needs.size > 0) return;
  runAutoMoves(draft);
  runSoftGuards(draft, member(draft.state.units, unit.id) ?? unit, spec.accepts);
  const notes = [...draft.notes];
  keepReporter(draft, dispatch);
  emit(draft, {
    type: "dispatch.ended",
    dispatch: dispatch.id,
    outcome: claim.outcome,
    claim,
    measured: measure(draft, dispatch),
    notes,
  });
  endLease(draft, claim.outcome);
}

/** Keeps a report that cannot count yet, and asks the person who can settle it. */
export function park(
  draft: Draft,
  dispatch: Dispatch,
  claim: Claim,
  asks: { readonly question: string; readonly about: Record<string, string> },
): void {
  draft.holds.splice(0);
  keepReporter(draft, dispatch);
  if (dispatch.status !== "parked")
    emit(draft, { type: "dispatch.parked", dispatch: dispatch.id, claim });
  draft.asks = { question: asks.question, unit: dispatch.unit, about: asks.about };
}
