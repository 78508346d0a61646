import type { Remedy } from "../decide/answer.ts";
import type { Claim, Command, Envelope } from "../state/commands.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Unit, Workflow } from "../state/state.ts";

/** The rows a protocol's tables are made of: conditions, guards, values, notes, effects, budgets. */

export interface Spend {
  readonly budget: string;
  /** A number, or the variable that holds it. */
  readonly max: number | string;
  /** The question asked instead of moving once the budget is used up. */
  readonly out: string;
}

/** A configured check, and the facts its result is bound to. */
export interface RunRow {
  readonly check: string;
  readonly binds: readonly string[];
}

export interface NoteRow {
  readonly list: string;
  readonly tag: string;
  readonly text: string;
}

/** Where a value comes from: a constant, a fact, the claim, or the command's input. */
export type ValueRef =
  | { readonly value: Json }
  | { readonly fact: string; readonly at?: string }
  | { readonly claim: string; readonly or?: Json }
  | { readonly input: string; readonly or?: Json };

/** A guard as data: which one, with what. By itself it is a condition. */
export interface Test {
  readonly guard: string;
  readonly args?: JsonObject;
  /** One of several is enough. */
  readonly any?: readonly Test[];
}

/**
 * A guard in its place: which one, with what, and what is said when it fails. A `soft` one never
 * refuses; it leaves a remark. One with `asks` holds for a person instead of refusing.
 */
export interface GuardRow extends Test {
  readonly code: string;
  readonly fix: Remedy;
  readonly rule: string;
  readonly soft?: boolean;
  readonly asks?: string;
  readonly when?: readonly Test[];
}

/** Passes, or says why not. A pure function of what it is shown. */
export type Guard = (scope: Scope, args: JsonObject) => string | undefined;

/** A guard that says which arguments it takes, so that a row with others is a named mistake. */
export interface CheckedGuard {
  readonly check: Guard;
  readonly args: Readonly<Record<string, ArgKind | `${ArgKind}?`>>;
}

/** What an argument is. Those that name something are checked against what the protocol has. */
export type ArgKind =
  | "text"
  | "texts"
  | "values"
  | "number"
  | "flag"
  | "object"
  | "root"
  | "fact"
  | "facts"
  | "variable"
  | "kind"
  | "state"
  | "states"
  | "question"
  | "questions";

export interface Scope {
  readonly workflow: Workflow;
  readonly unit: Unit;
  readonly envelope: Envelope;
  readonly command: Command;
  readonly claim: Claim | undefined;
  readonly input: JsonObject;
  /** The workflow before this command; differs from `workflow` while soft guards look at the outcome. */
  readonly before: Workflow;
  readonly dispatch: string | undefined;
  /** Reading a fact that has not been looked at asks for it, and reads as undefined this time. */
  readonly fact: (key: string) => Json | undefined;
  /** Fills `{id}`, `{unit}`, variables by name, and `{claim.x}`, `{input.x}`, `{about.x}`, `{unit.x}` into a text. */
  readonly fill: (template: string) => string;
  /** Asks for a check to be run on what these facts say, if that has not been done. */
  readonly run: (check: string, binds: readonly string[]) => void;
}

export interface EffectRow {
  readonly kind: string;
  readonly args: JsonObject;
  readonly when?: readonly Test[];
  /** The warning when `when` says the effect cannot be had here. */
  readonly otherwise?: string;
  /** The question asked when the effect cannot be done; without it the effect just stays wanted. */
  readonly failed?: string;
}
