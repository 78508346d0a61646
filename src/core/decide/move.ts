import {
  addNotes,
  childrenOf,
  emit,
  emitAll,
  fill,
  readFact,
  refuse,
  resolveValue,
} from "./draft.ts";
import type { Draft } from "./draft.ts";
import type { Event } from "../state/events.ts";
import { requireUnit } from "../state/evolve.ts";
import { holdsTrue, passes, runGuards } from "../guards/guard.ts";
import { checkIdle } from "./idle.ts";
import { isJsonArray, isJsonObject, member } from "../values/json.ts";
import { endLease } from "./lease.ts";
import { isForPeople, isReleased } from "./decisions/release.ts";
import { isFree } from "./unit-name.ts";
import { admits } from "./whose.ts";
import { budgetWords } from "../table/budgets.ts";
import { namedRows } from "../table/named-rows.ts";
import type { Counted, Machine, Move } from "../table/protocol.ts";
import { wantNewRuns, wantRuns } from "./work/run.ts";
import { applySeals } from "./seal.ts";
import { ROOT } from "../state/state.ts";
import type { Dispatch, Unit } from "../state/state.ts";
import { remedy } from "../table/remedy.ts";

/** How many automatic moves one command may cause. More means that two rows trigger each other forever. */
const AUTO_MOVES_MAX = 32;

export interface MoveRequest {
  readonly unit: string;
  readonly move: string;
  readonly reason: string;
  /** The move follows from something already decided, so open questions and dispatches do not block it. */
  readonly consequence: boolean;
}

/** Moves one unit by one row of its table, or refuses with every reason. */
export function requestMove(draft: Draft, request: MoveRequest): void {
  const unit = member(draft.state.units, request.unit);
  if (unit === undefined) {
    refuse(draft, {
      code: "unit-unknown",
      message: `There is no "${request.unit}" in ${draft.state.id}`,
      fix: remedy("status", { workflow: draft.state.id }, "See what there is"),
      rule: "core",
    });
    return;
  }
  const rows = namedRows(machineOf(draft, unit)).named.get(request.move) ?? [];
  const row = rows.find((one) => one.from.includes(unit.at) && holdsTrue(draft, unit, one.when));
  if (row === undefined) refuseUnknown(draft, unit, request.move, rows);
  else if (mayMove(draft, unit, row, request)) applyMove(draft, unit, row, request.reason);
}

function refuseUnknown(draft: Draft, unit: Unit, move: string, rows: readonly Move[]): void {
  const legal = [...new Set(legalMoves(draft, unit).map((one) => one.id))];
  const first = rows[0];
  refuse(draft, {
    code: "transition-illegal",
    message:
      first === undefined
        ? `"${move}" is not a move of ${draft.protocol.name}`
        : `"${move}" starts from ${[...new Set(rows.flatMap((one) => one.from))].join(", ")}; ${draft.state.id} is at ${unit.at}`,
    fix:
      legal.length === 0
        ? `${unit.at} is an end: there is no move from here.`
        : `From ${unit.at} these moves exist: ${legal.join(", ")}.`,
    rule: first?.rule ?? "core",
  });
}

/** The moves somebody could ask for here. Rows that only follow from a report are left out. */
export function legalMoves(draft: Draft, unit: Unit): readonly Move[] {
  return machineOf(draft, unit).moves.filter(
    (row) =>
      row.auto !== true &&
      row.by?.length !== 0 &&
      row.from.includes(unit.at) &&
      holdsTrue(draft, unit, row.when),
  );
}

export function machineOf(draft: Draft, unit: Unit): Machine {
  const machine = draft.protocol.kinds[unit.kind];
  if (machine === undefined) throw new Error(`Cannot find kind "${unit.kind}" in the protocol`);
  return machine;
}

function mayMove(draft: Draft, unit: Unit, row: Move, request: MoveRequest): boolean {
  const already = draft.refusals.length;
  const acts = request.consequence || mayAct(draft, row);
  if (row.why === true && request.reason.trim() === "") {
    const of = unit.id === ROOT ? {} : { unit: unit.id };
    refuse(draft, {
      code: "reason-missing",
      message: `"${row.id}" needs a reason`,
      fix: remedy("advance", { workflow: draft.state.id, step: row.id, ...of, reason: "..." }),
      rule: row.rule,
    });
  }
  if (row.to === "@back" && unit.back.length === 0) {
    refuse(draft, {
      code: "way-back-unknown",
      message: `"${row.id}" goes back to where ${unit.id === ROOT ? draft.state.id : unit.id} came from, which nobody recorded`,
      fix: "Adopt it with the state it came from, or use another move.",
      rule: row.rule,
    });
  }
  if (!request.consequence)
    checkIdle(draft, { held: row.whileHeld !== true, work: () => row.whileOut !== true });
  if (draft.refusals.length === already) wantRuns(draft, unit, row.runs);
  runGuards(draft, unit, row.needs);
  return acts && draft.refusals.length === already && draft.holds.length === 0;
}

function mayAct(draft: Draft, row: Move): boolean {
  const { actor } = draft.envelope;
  if (admits(row.by, actor)) return !isForPeople(row.by) || isReleased(draft);
  if (row.by?.length === 0) {
    refuse(draft, {
      code: "actor-not-allowed",
      message: `"${row.id}" cannot be asked for: it follows from a report`,
      fix: remedy("report", { workflow: draft.state.id }, "Report the work"),
      rule: row.rule,
    });
    return false;
  }
  refuse(draft, {
    code: row.by?.includes("person") === true ? "person-required" : "actor-not-allowed",
    message: `"${row.id}" is for ${row.by?.join(", ").replaceAll("role:", "") ?? ""}; you are ${actor.kind} ${actor.name}`,
    fix:
      row.by?.includes("person") === true ? "Ask a person to do it." : "Let the right role do it.",
    rule: row.rule,
  });
  return false;
}

export function applyMove(draft: Draft, unit: Unit, row: Move, reason: string): void {
  if (row.within !== undefined && spend(draft, unit, row.within) === "exhausted") return;
  const target = row.to === "@back" ? unit.back.at(-1) : row.to;
  if (target === undefined) throw new Error(`Cannot go back: "${unit.id}" made no detour`);
  const back =
    row.to === "@back"
      ? unit.back.slice(0, -1)
      : row.detour === true
        ? [...unit.back, unit.at]
        : unit.back;
  if (row.inside !== true)
    emit(draft, {
      type: "unit.moved",
      unit: unit.id,
      move: row.id,
      from: unit.at,
      to: target,
      back,
      reason,
    });
  const moved = requireUnit(draft.state, unit.id);
  applySets(draft, moved, row);
  applySeals(draft, moved, row, reason);
  sow(draft, moved, row);
  addNotes(draft, moved, row.notes);
  for (const question of row.voids ?? []) voidQuestion(draft, question);
  for (const effect of row.effects ?? []) draft.effects.push({ row: effect, unit: unit.id });
  if (row.send !== undefined) draft.sends.push(row.send);
  const ask = row.ask ?? (row.inside === true ? undefined : gateQuestion(draft, moved));
  if (ask !== undefined) draft.asks = { question: ask, unit: unit.id, about: {} };
}

/** A gate asks on every entry, unless the same question has just been answered. */
function gateQuestion(draft: Draft, unit: Unit): string | undefined {
  const gate = machineOf(draft, unit).gates?.[unit.at];
  if (gate === undefined) return undefined;
  return passes(draft, unit, draft.protocol.questions[gate]?.needs) ? gate : undefined;
}

export function spend(draft: Draft, unit: Unit, within: Counted): "spent" | "exhausted" {
  const budget = fill(draft, unit, within.budget);
  const max = sizeOf(draft, within.times);
  if ((member(draft.state.spent, budget) ?? 0) >= max) {
    draft.asks = {
      question: within.else,
      unit: unit.id,
      about: { budget, max, tried: budgetWords(draft.protocol, budget) },
    };
    return "exhausted";
  }
  emit(draft, { type: "budget.spent", budget });
  return "spent";
}

/** If the variable holds no number, the budget is zero: an unknown limit must not mean no limit. */
export function sizeOf({ state }: Draft, max: number | string): number {
  const size = typeof max === "number" ? max : state.vars[max];
  return typeof size === "number" ? size : 0;
}

function applySets(draft: Draft, unit: Unit, row: Move): void {
  if (row.set === undefined) return;
  const vars = Object.fromEntries(
    Object.entries(row.set).map(([name, ref]) => [name, resolveValue(draft, unit, ref)]),
  );
  emit(draft, { type: "vars.changed", vars });
}

/** Opens the children that a fact lists, `[{ id, ...data }]`, and closes those of an earlier list. */
function sow(draft: Draft, unit: Unit, row: Move): void {
  if (row.closes === "@unit") emit(draft, { type: "unit.closed", unit: unit.id });
  else if (row.closes !== undefined) closeAll(draft, row.closes);
  if (row.sows === undefined) return;
  closeAll(draft, row.sows.kind);
  const seeds = readFact(draft, fill(draft, unit, row.sows.fact));
  const { kind } = row.sows;
  const at = draft.protocol.kinds[kind]?.start ?? "";
  const opened = (isJsonArray(seeds) ? seeds : []).flatMap((seed): readonly Event[] => {
    if (!isJsonObject(seed) || typeof seed["id"] !== "string") return [];
    const { id, ...data } = seed;
    if (!isFree(draft, { unit: id, kind, rule: row.rule })) return [];
    return [{ type: "unit.opened", unit: id, kind, at, data }];
  });
  emitAll(draft, opened);
}

function closeAll(draft: Draft, kind: string): void {
  const children = childrenOf(draft.state, kind).map((child) => child.id);
  const gone = new Set(children);
  endWork(draft, (one) => gone.has(one.unit) && one.status !== "ended");
  emitAll(
    draft,
    children.map((unit) => ({ type: "unit.closed", unit }) as const),
  );
}

/**
 * Ends work whose unit or question is gone, so that its report cannot count later. The dispatch being reported
 * right now is left out: it ends with its own outcome.
 */
function endWork(draft: Draft, which: (dispatch: Dispatch) => boolean): void {
  for (const { id, claim } of Object.values(draft.state.dispatches).filter(which)) {
    if (id === draft.dispatch) continue;
    emit(draft, {
      type: "dispatch.ended",
      dispatch: id,
      outcome: "void",
      claim: claim ?? {},
      notes: [],
    });
    endLease(draft, "void");
  }
}

export function voidQuestion(draft: Draft, question: string): void {
  for (const one of Object.values(draft.state.decisions)) {
    if (one.question !== question || one.status !== "open") continue;
    emit(draft, {
      type: "decision.settled",
      decision: one.id,
      status: "void",
      option: "",
      text: "",
      by: "engine",
    });
    const { unit } = one;
    const asked = Object.values(draft.state.decisions).some(
      (other) => other.unit === unit && other.status === "open",
    );
    if (!asked)
      endWork(draft, (dispatch) => dispatch.unit === unit && dispatch.status === "parked");
  }
}

/** Runs after every command: takes automatic rows in table order until none applies. */
export function runAutoMoves(draft: Draft): void {
  for (let round = 0; round < AUTO_MOVES_MAX; round += 1) {
    if (!runOneAutoMove(draft)) return;
  }
  throw new Error(`Cannot settle "${draft.state.id}": automatic moves do not come to rest`);
}

function runOneAutoMove(draft: Draft): boolean {
  for (const unit of Object.values(draft.state.units)) {
    for (const row of namedRows(machineOf(draft, unit)).auto) {
      const fits = row.from.includes(unit.at) && holdsTrue(draft, unit, row.when);
      if (!fits) continue;
      wantNewRuns(draft, unit, row.runs);
      if (!passes(draft, unit, row.needs)) continue;
      const before = draft.events.length;
      applyMove(draft, unit, row, "");
      // A row whose budget is used up asks a question instead of moving. It must not be tried again.
      if (draft.events.length > before) return true;
    }
  }
  return false;
}
