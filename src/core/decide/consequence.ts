import { ask } from "./decisions/ask.ts";
import { who } from "./who.ts";
import { findDispatch, sendDispatch } from "./work/dispatch.ts";
import type { SendRequest } from "./work/dispatch.ts";
import { addNotes, emit, fill, refuse, resolveValue } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { requireUnit } from "../state/evolve.ts";
import { bind, holdsTrue } from "../guards/guard.ts";
import { listOf } from "../values/list.ts";
import { isJsonArray, isJsonObject, member, showJson } from "../values/json.ts";
import type { Json, JsonObject } from "../values/json.ts";
import { endLease } from "./lease.ts";
import { measure } from "./work/left.ts";
import { requestMove, runAutoMoves, sizeOf } from "./move.ts";
import { isFree } from "./unit-name.ts";
import { wantedBy } from "./work/performer.ts";
import type { EffectRow, Consequence, ValueRef } from "../table/protocol.ts";
import { ROOT } from "../state/state.ts";
import type { PendingAsk, Undo, Unit } from "../state/state.ts";
import { remedy } from "../table/remedy.ts";

/** How many questions in a row may be answered by an advance grant. More means a loop. */
const GRANTS_MAX = 16;

/** Carries out the consequences that a table names. */
export function runConsequences(draft: Draft, thens: readonly Consequence[], unit: string): void {
  for (const then of thens) runConsequence(draft, then, unit);
}

function runConsequence(draft: Draft, then: Consequence, unitId: string): void {
  const unit = requireUnit(draft.state, Object.hasOwn(draft.state.units, unitId) ? unitId : ROOT);
  if ("move" in then) {
    const target = then.on === "unit" ? unit.id : ROOT;
    const said = draft.input["reason"];
    const reason = typeof said === "string" ? said : "";
    requestMove(draft, { unit: target, move: then.move, reason, consequence: true });
  } else if ("open" in then) openChild(draft, then, unit);
  else if ("finding" in then) vouch(draft, then, unit);
  else if ("send" in then) dispatchFirst(draft, listOf(then.send));
  else if ("ask" in then) askEach(draft, then, unit.id);
  else if ("within" in then) {
    const { budget, times, else: otherwise } = then.within;
    if (withinBudget(draft, fill(draft, unit, budget), sizeOf(draft, times))) return;
    runConsequences(draft, otherwise, unitId);
  } else if ("set" in then) setVars(draft, then.set, unit);
  else if ("reset" in then)
    emit(draft, { type: "budget.reset", budget: fill(draft, unit, then.reset) });
  else if ("effect" in then) draft.effects.push({ row: then.effect, unit: unit.id });
  else addNotes(draft, unit, [then.note]);
}

type Opens = Extract<Consequence, { readonly open: string }>;
type Vouches = Extract<Consequence, { readonly finding: string }>;
type Asks = Extract<Consequence, { readonly ask: string }>;

function openChild(draft: Draft, then: Opens, unit: Unit): void {
  const { open: kind, data = {} } = then;
  const at = draft.protocol.kinds[kind]?.start ?? "";
  const name = fill(draft, unit, then.unit);
  if (isFree(draft, { unit: name, kind, rule: "core" }))
    emit(draft, { type: "unit.opened", unit: name, kind, at, data });
}

/** Records a finding: on the unit, signed by whoever reports; or on the root, signed by the unit. */
function vouch(draft: Draft, then: Vouches, unit: Unit): void {
  const { finding: kind, binds } = then;
  const value = resolveValue(draft, unit, then.value);
  const bound = bind(draft, unit, binds);
  const signed =
    then.on === "root"
      ? { unit: ROOT, by: unit.id }
      : { unit: unit.id, by: draft.claim?.agent ?? who(draft) };
  emit(draft, { type: "finding.recorded", kind, value, bound, ...signed });
}

function setVars(draft: Draft, set: Readonly<Record<string, ValueRef>>, unit: Unit): void {
  const entries = Object.entries(set).map(([name, ref]) => [name, resolveValue(draft, unit, ref)]);
  emit(draft, { type: "vars.changed", vars: Object.fromEntries(entries) });
}

/** Asks one question, or one for each entry of a list in the report. */
function askEach(draft: Draft, then: Asks, unit: string): void {
  const { ask: question, each } = then;
  if (each === undefined) {
    draft.asks = { question, unit, about: claimedWhy(draft) };
    return;
  }
  const entries = draft.claim?.[each];
  for (const entry of isJsonArray(entries) ? entries : []) {
    const about = isJsonObject(entry) ? entry : { entry };
    draft.more.push({ question, unit, about, apart: true });
  }
}

/** The reason a report gives in `why`, to be shown to the person who is asked. */
function claimedWhy({ claim }: Draft): JsonObject {
  const message = claim?.["why"];
  return typeof message === "string" && message !== "" ? { message } : {};
}

function withinBudget(draft: Draft, budget: string, max: number): boolean {
  if ((member(draft.state.spent, budget) ?? 0) >= max) return false;
  emit(draft, { type: "budget.spent", budget });
  return true;
}

/** Sends out a piece of work and runs the consequences in its `sent`. */
export function handOut(draft: Draft, request: SendRequest): void {
  const before = Object.keys(draft.state.dispatches).length;
  sendDispatch(draft, request);
  if (Object.keys(draft.state.dispatches).length === before) return;
  runConsequences(draft, member(draft.protocol.work, request.spec)?.sent ?? [], request.unit);
}

function dispatchFirst(draft: Draft, specs: readonly string[]): void {
  const found = findDispatch(draft, specs);
  if (found !== undefined) {
    handOut(draft, { ...found, consequence: true });
    return;
  }
  if (draft.needs.size > 0) return;
  refuse(draft, {
    code: "dispatch-illegal",
    message: `None of ${specs.join(", ")} can be handed out now`,
    fix: remedy("next", { workflow: draft.state.id }, "See what can be"),
    rule: "core",
  });
}

export function repeatLast(draft: Draft): void {
  const last = Object.values(draft.state.dispatches).findLast((one) => one.status === "ended");
  if (last !== undefined) handOut(draft, { spec: last.spec, unit: last.unit, consequence: true });
}

/** The report that waits for an answer about this unit. Several reports may wait, one for each unit. */
export function parkedDispatch(draft: Draft, unit: string): string | undefined {
  const parked = Object.values(draft.state.dispatches).filter((one) => one.status === "parked");
  return (parked.find((one) => one.unit === unit) ?? parked[0])?.id;
}

export function failParked(draft: Draft, unit: string, outcome: string): void {
  const id = parkedDispatch(draft, unit);
  if (id === undefined) return;
  const dispatch = member(draft.state.dispatches, id);
  if (dispatch === undefined) return;
  const measured = measure(draft, dispatch);
  const claim = dispatch.claim ?? {};
  emit(draft, { type: "dispatch.ended", dispatch: id, outcome, claim, measured, notes: [] });
  endLease(draft, outcome);
}

/**
 * Ends every accepted command: automatic moves, then effects, then the question. If there are effects, the
 * question waits for them, so that nobody is asked about a commit that then fails.
 */
export function finish(draft: Draft): void {
  for (let round = 0; round < GRANTS_MAX; round += 1) {
    if (stopped(draft)) return;
    holdForGuards(draft);
    runAutoMoves(draft);
    for (const specs of draft.sends.splice(0)) dispatchFirst(draft, specs);
    if (stopped(draft)) return;
    const waits = wantEffects(draft);
    if (waits) return;
    for (const one of draft.more.splice(0)) ask(draft, one, false);
    if (draft.asks === null) return;
    const pending = draft.asks;
    draft.asks = null;
    if (!askOrGo(draft, pending)) return;
  }
  throw new Error(`Cannot settle "${draft.state.id}": grants answer one another without end`);
}

/** A failed guard that has a question does not refuse: its question is asked instead of taking the step. */
function holdForGuards(draft: Draft): void {
  const [hold] = draft.holds.splice(0);
  if (hold === undefined) return;
  const { code, rule, ask = "" } = hold.row;
  draft.asks = { question: ask, unit: hold.unit, about: { code, message: hold.sentence, rule } };
}

/**
 * Asks a question, or goes on if a grant answers it. If going on would be refused, everything is rolled back and
 * the person is asked after all. Otherwise the refusal would hit the command that led here, and the outcome of an
 * effect could never be recorded.
 */
function askOrGo(draft: Draft, pending: PendingAsk): boolean {
  const before = { state: draft.state, events: draft.events.length, effects: draft.effects.length };
  const granted = ask(draft, pending, true);
  if (granted === undefined) return false;
  runConsequences(draft, granted.does, pending.unit);
  const [refusal] = draft.refusals;
  if (refusal === undefined || draft.needs.size > 0) return true;
  const { code, message, rule } = refusal;
  draft.state = before.state;
  draft.events.splice(before.events);
  draft.effects.splice(before.effects);
  draft.refusals.splice(0);
  draft.holds.splice(0);
  draft.asks = null;
  ask(draft, { ...pending, about: { ...pending.about, code, message, rule } }, false);
  return false;
}

function stopped(draft: Draft): boolean {
  return draft.refusals.length > 0 || draft.needs.size > 0;
}

function wantEffects(draft: Draft): boolean {
  const rows = draft.effects.splice(0).filter(({ row, unit }) => isWanted(draft, row, unit));
  rows.forEach(({ row, unit }, index) => {
    const last = index === rows.length - 1;
    emit(draft, {
      type: "effect.wanted",
      effect: `E-${Object.keys(draft.state.effects).length + 1}`,
      kind: row.kind,
      args: fillArgs(draft, unit, row.args),
      unit,
      asks: last ? draft.asks : null,
      undo: row.failed === undefined ? null : undoOf(draft, row.failed),
      ...wantedBy(draft),
    });
  });
  if (rows.length > 0) draft.asks = null;
  return rows.length > 0;
}

/** Skips an effect that is not possible here, such as a commit without git, and records a warning. */
function isWanted(draft: Draft, row: EffectRow, unit: string): boolean {
  const named = requireUnit(draft.state, Object.hasOwn(draft.state.units, unit) ? unit : ROOT);
  if (holdsTrue(draft, named, row.when)) return true;
  if (row.otherwise !== undefined)
    emit(draft, { type: "warned", about: row.kind, text: fill(draft, named, row.otherwise) });
  return false;
}

function fillArgs(draft: Draft, unit: string, args: JsonObject): JsonObject {
  const named = requireUnit(draft.state, Object.hasOwn(draft.state.units, unit) ? unit : ROOT);
  const filled = (value: Json): string => fill(draft, named, showJson(value));
  // Lists stay lists: joined into one text, a path containing a comma would become two.
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      isJsonArray(value) ? value.map(filled) : filled(value),
    ]),
  );
}

function undoOf(draft: Draft, asks: string): Undo {
  const moved = new Set(
    draft.events.flatMap((event) => (event.type === "unit.moved" ? [event.unit] : [])),
  );
  const units = Object.values(draft.before.units)
    .filter((unit) => moved.has(unit.id))
    .map(({ id, at, back }) => ({ id, at, back }));
  const names = draft.events.flatMap((event) =>
    event.type === "vars.changed" ? Object.keys(event.vars) : [],
  );
  const { vars } = draft.before;
  return { units, vars: Object.fromEntries(names.map((name) => [name, vars[name] ?? null])), asks };
}
