import { member } from "../values/json.ts";
import { evolveLease } from "./ousted.ts";
import type { Event } from "./events.ts";
import { trimMeasured } from "../values/measured.ts";
import { evolveFindings, evolveReleases } from "./vouched.ts";
import { createLedgers } from "./ledgers.ts";
import type { Ledgers } from "./ledgers.ts";
import { ROOT } from "./state.ts";
import { notAfter } from "../values/times.ts";
import type { Decision, Dispatch, Effect, Refused, Unit, Workflow } from "./state.ts";

/** The record an event belongs to. */
export interface Stamp {
  readonly seq: number;
  readonly at: string;
}

/** The state before anything happened. */
export function emptyWorkflow(id: string): Workflow {
  return {
    id,
    protocol: { name: "", version: 0 },
    seq: 0,
    startedAt: "",
    updatedAt: "",
    vars: {},
    units: {},
    decisions: {},
    dispatches: {},
    left: {},
    unordered: [],
    findings: {},
    effects: {},
    seals: {},
    spent: {},
    notes: [],
    refused: [],
    given: {},
    agreed: null,
    lease: null,
  };
}

/** Applies one event. It never refuses and does not need the protocol. */
export function evolve(state: Workflow, event: Event, stamp: Stamp): Workflow {
  return evolveAll(state, [event], stamp);
}

/**
 * Applies the events of one record, with the same result as one by one. A ledger is copied only when the first
 * event changes it: a plan may open thousands of units, and a copy for each would take minutes.
 */
export function evolveAll(state: Workflow, events: readonly Event[], stamp: Stamp): Workflow {
  const ledgers = createLedgers();
  const before = stamp.at < state.updatedAt ? notAfter(state, stamp.at) : state;
  return events.reduce(
    (now, event) => ({
      ...now,
      ...change(now, event, stamp, ledgers),
      seq: stamp.seq,
      updatedAt: stamp.at,
    }),
    before,
  );
}

function startedIn({
  protocol,
  vars,
}: Extract<Event, { type: "workflow.started" }>): Pick<Workflow, "protocol" | "vars"> {
  return { protocol, vars };
}

function change(state: Workflow, event: Event, stamp: Stamp, ledgers: Ledgers): Partial<Workflow> {
  switch (event.type) {
    case "workflow.started":
      // A workflow that is started again keeps nothing of its earlier run.
      return { ...emptyWorkflow(event.id), ...startedIn(event), startedAt: stamp.at };
    case "definition.changed":
      return { protocol: event.protocol };
    case "workflow.adopted":
      return { vars: { ...state.vars, adopted: event.from } };
    case "unit.opened":
    case "unit.moved":
    case "unit.closed":
      return { units: evolveUnits(state, event, stamp, ledgers) };
    case "decision.asked":
    case "decision.settled":
    case "decision.joined":
    case "answer.kept":
    case "answer.dropped":
      return { decisions: evolveDecisions(state, event, stamp, ledgers) };
    case "policy.agreed":
    case "release.given":
      return evolveReleases(state, event, stamp, ledgers);
    case "dispatch.sent":
    case "dispatch.taken":
    case "dispatch.parked":
    case "dispatch.ended":
      return { dispatches: evolveDispatches(state, event, stamp, ledgers) };
    case "finding.recorded":
      return { findings: evolveFindings(state, event, stamp, ledgers) };
    case "effect.wanted":
    case "effect.aimed":
    case "effect.settled":
      return { effects: evolveEffects(state, event, stamp, ledgers) };
    case "artifact.sealed": {
      const { type: _, ...seal } = event;
      return { seals: ledgers.put(state.seals, event.artifact, { ...seal, at: stamp.at }) };
    }
    case "artifact.unsealed":
      return { seals: ledgers.drop(state.seals, event.artifact) };
    case "budget.spent":
      return {
        spent: ledgers.put(state.spent, event.budget, (member(state.spent, event.budget) ?? 0) + 1),
      };
    case "budget.reset":
      return { spent: ledgers.drop(state.spent, event.budget) };
    case "work.left":
      return evolveLeft(state, event, stamp, ledgers);
    case "lease.taken":
    case "lease.ended":
      return evolveLease(state, event, stamp);
    case "vars.changed":
      return { vars: { ...state.vars, ...event.vars } };
    case "note.added": {
      const { list, tag, text } = event;
      return { notes: [...state.notes, { list, tag, text, at: event.at ?? stamp.at }] };
    }
    case "refusal.noted":
      return { refused: [...state.refused, refusedIn(event)] };
    case "option.looked":
    case "warned":
    case "edit.refused":
      return {};
  }
}

function evolveLeft(
  state: Workflow,
  { unit, baseline, changed }: Extract<Event, { type: "work.left" }>,
  { seq, at }: Stamp,
  { put }: Ledgers,
): Partial<Workflow> {
  const left = put(state.left, unit, { seq, at, baseline });
  if (changed === undefined) return { left };
  return {
    left,
    unordered: [...state.unordered, { seq, unit, changed: trimMeasured(changed) }],
  };
}

function evolveUnits(
  state: Workflow,
  event: Extract<Event, { type: "unit.opened" | "unit.moved" | "unit.closed" }>,
  stamp: Stamp,
  { put, drop }: Ledgers,
): Workflow["units"] {
  if (event.type === "unit.closed") return drop(state.units, event.unit);
  if (event.type === "unit.opened") {
    const { kind, at, data } = event;
    const unit: Unit = {
      id: event.unit,
      kind,
      at,
      back: [],
      entered: { [at]: stamp.seq },
      data,
    };
    return put(state.units, event.unit, unit);
  }
  const unit = requireUnit(state, event.unit);
  const moved: Unit = {
    ...unit,
    at: event.to,
    back: event.back,
    // Taking back a failed step does not count as a new entry, so findings recorded before the step stay valid.
    entered: event.move === "undo" ? unit.entered : { ...unit.entered, [event.to]: stamp.seq },
  };
  return put(state.units, unit.id, moved);
}

function evolveDecisions(
  state: Workflow,
  event: Extract<Event, { type: `decision.${string}` | `answer.${string}` }>,
  stamp: Stamp,
  { put }: Ledgers,
): Workflow["decisions"] {
  if (event.type === "decision.asked") {
    const { decision: id, type: _, ...asked } = event;
    const decision: Decision = {
      ...asked,
      id,
      status: "open",
      askedAt: stamp.at,
      askedSeq: stamp.seq,
      settled: null,
    };
    return put(state.decisions, id, decision);
  }
  const decision = member(state.decisions, event.decision);
  if (decision === undefined) throw new Error(`Cannot settle "${event.decision}": never asked`);
  if (event.type === "answer.kept") {
    const { decision: id, type: _, ...kept } = event;
    return put(state.decisions, id, { ...decision, kept });
  }
  if (event.type === "answer.dropped") {
    const { kept: _, ...rest } = decision;
    return put(state.decisions, decision.id, rest);
  }
  if (event.type === "decision.joined") {
    const joined = { ...decision.joined, [event.by]: event.option };
    return put(state.decisions, decision.id, { ...decision, joined });
  }
  const { option, text, by, status } = event;
  const settled = { option, text, by, at: stamp.at, seq: stamp.seq };
  return put(state.decisions, decision.id, { ...decision, status, settled });
}

function evolveDispatches(
  state: Workflow,
  event: Extract<Event, { type: `dispatch.${string}` }>,
  stamp: Stamp,
  { put }: Ledgers,
): Workflow["dispatches"] {
  if (event.type === "dispatch.sent") {
    const { dispatch: id, type: _, ...sent } = event;
    const dispatch: Dispatch = {
      ...sent,
      id,
      status: "open",
      outcome: null,
      claim: null,
      notes: [],
      sentAt: stamp.at,
      sentSeq: stamp.seq,
      endedAt: null,
    };
    return put(state.dispatches, id, dispatch);
  }
  const dispatch = member(state.dispatches, event.dispatch);
  if (dispatch === undefined) throw new Error(`Cannot end "${event.dispatch}": never sent`);
  if (event.type === "dispatch.taken") {
    const { agent: _, ...free } = dispatch;
    const taken = event.agent === null ? free : { ...free, agent: event.agent };
    return put(state.dispatches, dispatch.id, taken);
  }
  const ended: Partial<Dispatch> =
    event.type === "dispatch.parked"
      ? { status: "parked", claim: event.claim }
      : {
          status: "ended",
          claim: event.claim,
          outcome: event.outcome,
          ...(event.measured === undefined ? {} : { measured: trimMeasured(event.measured) }),
          notes: event.notes,
          endedAt: stamp.at,
        };
  return put(state.dispatches, dispatch.id, { ...dispatch, ...ended });
}

function evolveEffects(
  state: Workflow,
  event: Extract<Event, { type: `effect.${string}` }>,
  { seq }: Stamp,
  { put }: Ledgers,
): Workflow["effects"] {
  if (event.type === "effect.wanted") {
    const { effect: id, type: _, by, ...wanted } = event;
    const whose = by === undefined ? {} : { by: { ...by, seq } };
    const effect: Effect = { ...wanted, id, status: "wanted", detail: {}, ...whose };
    return put(state.effects, id, effect);
  }
  const effect = member(state.effects, event.effect);
  if (effect === undefined) throw new Error(`Cannot settle "${event.effect}": never wanted`);
  if (event.type === "effect.aimed")
    return put(state.effects, effect.id, { ...effect, aim: event.aim });
  // An effect that fails and cannot be undone stays wanted and is tried again. Its detail says what went wrong.
  const stays = event.status === "failed" && effect.undo === null;
  const status = stays ? "wanted" : event.status;
  return put(state.effects, effect.id, { ...effect, status, detail: event.detail });
}

export function requireUnit(state: Workflow, id: string): Unit {
  const unit = member(state.units, id);
  if (unit === undefined) throw new Error(`Cannot find unit "${id}" in "${state.id}"`);
  return unit;
}

export function rootOf(state: Workflow): Unit {
  return requireUnit(state, ROOT);
}

function refusedIn(event: Extract<Event, { type: "refusal.noted" }>): Refused {
  const { type: _, ...refused } = event;
  return refused;
}
