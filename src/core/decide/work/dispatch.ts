import { childrenOf, emit, fill, refuse } from "../draft.ts";
import type { Draft } from "../draft.ts";
import { rootOf } from "../../state/evolve.ts";
import { bind, holdsTrue, runGuards, runSoftGuards } from "../../guards/guard.ts";
import { checkIdle } from "../idle.ts";
import { member } from "../../values/json.ts";
import { readingKey, TIP } from "../../values/measured.ts";
import { leaseOf } from "../lease.ts";
import { legalMoves, spend } from "../move.ts";
import type { Work } from "../../table/protocol.ts";
import { ROOT } from "../../state/state.ts";
import type { Dispatch, Unit } from "../../state/state.ts";

export interface SendRequest {
  readonly spec: string;
  readonly unit: string;
  readonly consequence: boolean;
}

/** Sends work to an agent. Whatever can be checked now is checked now, not when the work is done. */
export function sendDispatch(
  draft: Draft,
  { spec: name, unit: id, consequence }: SendRequest,
): void {
  const spec = member(draft.protocol.work, name);
  const unit = member(draft.state.units, id);
  if (spec === undefined || unit === undefined || !fitsUnit(draft, spec, unit)) {
    refuse(draft, {
      code: "dispatch-illegal",
      message: `"${name}" cannot be handed out while ${draft.state.id} is at ${rootOf(draft.state).at}`,
      fix: `Here these exist: ${possible(draft).join(", ")}.`,
      rule: spec?.rule ?? "core",
    });
    return;
  }
  const already = draft.refusals.length;
  if (!consequence) {
    const same = (one: Dispatch): boolean => one.spec === name && one.unit === id;
    checkIdle(draft, { held: true, work: spec.parallel === true ? same : () => true });
  }
  runGuards(draft, unit, spec.needs);
  if (draft.refusals.length > already || draft.holds.length > 0) return;
  if (spec.within !== undefined && spend(draft, unit, spec.within) === "exhausted") return;
  takeLease(draft);
  emit(draft, {
    type: "dispatch.sent",
    dispatch: dispatchId(draft),
    spec: name,
    role: fill(draft, unit, spec.role),
    unit: id,
    session: draft.envelope.session,
    baseline: bind(draft, unit, [...(spec.baseline ?? []), readingKey("{unit}"), TIP]),
    ...(draft.envelope.place === undefined ? {} : { place: draft.envelope.place }),
  });
  remark(draft, unit, spec);
}

/** Failed soft guards do not stop the work; their messages are kept with it as notes. */
function remark(draft: Draft, unit: Unit, { needs }: Work): void {
  const before = draft.notes.length;
  runSoftGuards(draft, unit, needs);
  const tag = Object.keys(draft.state.dispatches).at(-1) ?? "";
  for (const { message } of draft.notes.slice(before))
    emit(draft, { type: "note.added", list: "remarks", tag, text: message });
}

/** What can be sent out or asked for in the current state, to name in the refusal. */
function possible(draft: Draft): readonly string[] {
  const { work } = draft.protocol;
  const specs = Object.keys(work).filter((one) => findDispatch(draft, [one]) !== undefined);
  return [...specs, ...legalMoves(draft, rootOf(draft.state)).map((row) => row.id)];
}

/** The first of these specs, with its first unit, that can be sent out now. */
export function findDispatch(
  draft: Draft,
  specs: readonly string[],
): { spec: string; unit: string } | undefined {
  for (const name of specs) {
    const spec = member(draft.protocol.work, name);
    if (spec === undefined) continue;
    const units = spec.unit === "root" ? [rootOf(draft.state)] : childrenOf(draft.state, spec.unit);
    const unit = units.find((one) => fitsUnit(draft, spec, one));
    if (unit !== undefined) return { spec: name, unit: unit.id };
  }
  return undefined;
}

export function fitsUnit(draft: Draft, spec: Work, unit: Unit): boolean {
  const kindFits =
    spec.unit === "root" ? unit.id === ROOT : unit.kind === spec.unit && unit.id !== ROOT;
  const rootFits = spec.rootIn?.includes(rootOf(draft.state).at) ?? true;
  return kindFits && rootFits && spec.in.includes(unit.at) && holdsTrue(draft, unit, spec.when);
}

function dispatchId(draft: Draft): string {
  return `W-${Object.keys(draft.state.dispatches).length + 1}`;
}

function takeLease(draft: Draft): void {
  if (draft.state.lease !== null) return;
  emit(draft, leaseOf(draft));
}
