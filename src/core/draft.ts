import type { Evidence, Refusal } from "./answer.ts";
import type { Claim, Command, Envelope } from "./commands.ts";
import type { Event } from "./events.ts";
import { evolve } from "./evolve.ts";
import { isJsonArray, isJsonObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Condition, EffectRow, GuardRow, Protocol, Scope, ValueRef } from "./protocol.ts";
import { ROOT } from "./state.ts";
import type { PendingAsk, Remark, Unit, Workflow } from "./state.ts";

/**
 * One decision in the making: the events so far, the state they lead to, and every fact that was read
 * on the way. It lives for one call of `decide` and never leaves it.
 */
export interface Draft {
  readonly protocol: Protocol;
  readonly envelope: Envelope;
  readonly command: Command;
  readonly evidence: Evidence;
  readonly before: Workflow;
  state: Workflow;
  readonly events: Event[];
  readonly used: Record<string, Json>;
  readonly needs: Set<string>;
  readonly refusals: Refusal[];
  /** Guards that failed but lead to a question rather than a refusal. */
  readonly holds: { readonly row: GuardRow; readonly sentence: string; readonly unit: string }[];
  readonly notes: Remark[];
  readonly effects: { readonly row: EffectRow; readonly unit: string }[];
  asks: PendingAsk | null;
  /** Further questions of the same step, asked together with it. */
  readonly more: PendingAsk[];
  /** A parked report that an answer has set free again. */
  resubmits: string | undefined;
  claim: Claim | undefined;
  dispatch: string | undefined;
  input: JsonObject;
}

export interface DraftInput {
  readonly protocol: Protocol;
  readonly state: Workflow;
  readonly envelope: Envelope;
  readonly command: Command;
  readonly evidence: Evidence;
}

export function beginDraft({ protocol, state, envelope, command, evidence }: DraftInput): Draft {
  return {
    protocol,
    envelope,
    command,
    evidence,
    before: state,
    state,
    events: [],
    used: {},
    needs: new Set(),
    refusals: [],
    holds: [],
    notes: [],
    effects: [],
    asks: null,
    more: [],
    resubmits: undefined,
    claim: undefined,
    dispatch: undefined,
    input: {},
  };
}

export function emit(draft: Draft, event: Event): void {
  draft.events.push(event);
  const stamp = { seq: draft.before.seq + 1, at: draft.envelope.at };
  draft.state = evolve(draft.state, event, stamp);
}

export function refuse(draft: Draft, refusal: Refusal): void {
  draft.refusals.push(refusal);
}

/** A fact that was not looked at is asked for, and reads as undefined in this round. */
export function readFact(draft: Draft, key: string): Json | undefined {
  const value = draft.evidence[key];
  if (value === undefined) {
    draft.needs.add(key);
    return undefined;
  }
  draft.used[key] = value;
  return value;
}

export function scopeOf(draft: Draft, unit: Unit): Scope {
  return {
    workflow: draft.state,
    before: draft.before,
    unit,
    envelope: draft.envelope,
    command: draft.command,
    claim: draft.claim,
    input: draft.input,
    dispatch: draft.dispatch,
    fact: (key) => readFact(draft, key),
    fill: (template) => fill(draft, unit, template),
  };
}

export function fill(draft: Draft, unit: Unit, template: string, about: JsonObject = {}): string {
  return template.replaceAll(/\{([a-z_A-Z.]+)\}/g, (_, name: string) => {
    if (name === "id") return draft.state.id;
    if (name === "unit") return unit.id;
    if (name === "lease") return draft.state.lease?.session ?? draft.envelope.session;
    return lookup([about, draft.claim, draft.input, unit.data, draft.state.vars], name);
  });
}

function lookup(sources: readonly (JsonObject | undefined)[], name: string): string {
  const found = sources.map((source) => source?.[name]).find((value) => present(value));
  return typeof found === "string" ? found : found === undefined ? "" : JSON.stringify(found);
}

function present(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== "";
}

export function holdsTrue(
  draft: Draft,
  unit: Unit,
  conditions: readonly Condition[] = [],
): boolean {
  // Every condition is read even after one failed, so that one look fetches all the facts.
  return conditions.map((condition) => isTrue(draft, unit, condition)).every(Boolean);
}

function isTrue(draft: Draft, unit: Unit, condition: Condition): boolean {
  if ("var" in condition) return includes(condition.in, draft.state.vars[condition.var] ?? null);
  if ("claim" in condition) return includes(condition.in, draft.claim?.[condition.claim] ?? null);
  if ("unitIs" in condition) return unit.id === draft.state.vars[condition.unitIs];
  if ("unit" in condition) return includes(condition.in, unit.data[condition.unit] ?? null);
  if ("fact" in condition) {
    const value = readFact(draft, fill(draft, unit, condition.fact));
    return value !== undefined && includes(condition.in, value);
  }
  const kind = "some" in condition ? condition.some : condition.no;
  const found = childrenOf(draft.state, kind).some((child) => matches(child, condition.where));
  return "some" in condition ? found : !found;
}

function includes(list: readonly Json[], value: Json): boolean {
  return list.some((one) => JSON.stringify(one) === JSON.stringify(value));
}

/** Children whose data (and `at`, where named) have the wanted values. */
export function matches(unit: Unit, where: JsonObject): boolean {
  return Object.entries(where).every(([name, wanted]) => {
    const value = name === "at" ? unit.at : (unit.data[name] ?? null);
    return isJsonArray(wanted) ? includes(wanted, value) : includes([wanted], value);
  });
}

export function childrenOf(state: Workflow, kind: string): readonly Unit[] {
  return Object.values(state.units).filter((unit) => unit.kind === kind && unit.id !== ROOT);
}

export function resolveValue(draft: Draft, unit: Unit, ref: ValueRef): Json {
  if ("value" in ref) return ref.value;
  if ("claim" in ref) return draft.claim?.[ref.claim] ?? ref.or ?? null;
  if ("input" in ref) return draft.input[ref.input] ?? ref.or ?? null;
  const fact = readFact(draft, fill(draft, unit, ref.fact)) ?? null;
  if (ref.at === undefined) return fact;
  return isJsonObject(fact) ? (fact[ref.at] ?? null) : null;
}
