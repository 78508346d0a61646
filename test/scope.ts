/** A guard by itself: the scope it judges, made of the few things that the judgement is about. */
import { emptyWorkflow } from "../src/core/state/evolve.ts";
import type {
  Decision,
  Dispatch,
  Effect,
  Finding,
  Lease,
  Unit,
  Workflow,
} from "../src/core/state/state.ts";
import type { CheckedGuard, Guard, Scope } from "../src/core/table/protocol.ts";
import type { Json, JsonObject } from "../src/core/values/json.ts";

export type Some<T> = { readonly [K in keyof T]?: T[K] | undefined };

export type Stands = Some<{
  readonly id: string;
  readonly units: Readonly<Record<string, Some<Unit>>>;
  readonly findings: Readonly<Record<string, Some<Finding>>>;
  readonly decisions: Readonly<Record<string, Some<Decision>>>;
  readonly dispatches: Readonly<Record<string, Some<Dispatch>>>;
  readonly effects: Readonly<Record<string, Some<Effect>>>;
  readonly lease: Some<Lease>;
  readonly command: object;
  readonly vars: JsonObject;
  readonly notes: readonly object[];
  readonly facts: Readonly<Record<string, Json | undefined>>;
  readonly claim: JsonObject;
  readonly input: JsonObject;
  /** The unit that is judged, the root unless said otherwise. */
  readonly unit: string;
  readonly dispatch: string;
  readonly at: string;
  readonly actor: object;
  /** What differs from it before the command. */
  readonly before: Some<Workflow>;
  /** Which checks the guard asked to have run, and on what. */
  readonly runs: string[];
}>;

export const AT = "2026-03-01T10:00:00.000Z";

export function scopeFor(stands: Stands): Scope {
  const { id = "w", facts = {}, unit = ".", dispatch = "W-1", at = AT } = stands;
  const named = <T>(all: Readonly<Record<string, object>> = {}, more: object): Record<string, T> =>
    Object.fromEntries(
      Object.entries(all).map(([name, one]) => [name, { id: name, ...more, ...one } as T]),
    );
  const workflow = {
    ...emptyWorkflow(id),
    units: named<Unit>(
      { ".": {}, ...stands.units },
      { kind: "task", at: "", data: {}, entered: {}, back: [] },
    ),
    findings: named<Finding>(stands.findings, { unit: ".", bound: {}, seq: 9, by: "x", at }),
    decisions: named<Decision>(stands.decisions, {
      unit: ".",
      about: {},
      bound: {},
      prompt: "",
      askedSeq: 9,
      askedAt: at,
      settled: null,
      status: "open",
    }),
    dispatches: named<Dispatch>(stands.dispatches, {
      unit: ".",
      baseline: {},
      sentSeq: 5,
      sentAt: at,
      claim: null,
      outcome: null,
      status: "open",
    }),
    effects: named<Effect>(stands.effects, { args: {}, detail: {}, status: "done" }),
    lease: stands.lease ?? null,
    vars: stands.vars ?? {},
    notes: stands.notes ?? [],
  } as unknown as Workflow;
  return {
    workflow,
    before: { ...workflow, ...stands.before },
    unit: workflow.units[unit],
    claim: stands.claim,
    input: stands.input ?? {},
    dispatch,
    envelope: { id: "1", at, actor: stands.actor ?? { kind: "agent", name: "a" }, session: "s" },
    command: stands.command ?? { type: "lease.release" },
    fact: (key: string) => facts[key],
    fill: (text: string) => text.replaceAll("{id}", id).replaceAll("{unit}", unit),
    run: (check: string, binds: readonly string[]) =>
      void stands.runs?.push([check, ...binds].join(" ")),
  } as unknown as Scope;
}

/** What the guard says against it. */
export function judged(
  guards: Readonly<Record<string, Guard | CheckedGuard>>,
  name: string,
): (stands: Stands, args?: JsonObject) => string | undefined {
  const guard = guards[name];
  if (guard === undefined) throw new Error(`${name} is no guard`);
  const check = typeof guard === "function" ? guard : guard.check;
  return (stands, args = {}) => check(scopeFor(stands), args);
}
