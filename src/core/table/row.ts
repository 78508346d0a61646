import type { Remedy } from "../decide/answer.ts";
import type { Actor, Claim, Command, Envelope } from "../state/commands.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Unit, Workflow } from "../state/state.ts";

/** The rows a protocol's tables are made of: conditions, guards, values, notes, effects, budgets. */

/** So many times, then what `else` says: the question that is asked instead, or what follows. */
export interface Within<Else = string> {
  /** A number, or the variable that holds it. */
  readonly times: number | string;
  readonly else: Else;
  /** Without one it is the row's own, and an answer begins it anew. */
  readonly budget?: string;
  /** What people call it, where its name does not say it; `{1}` is what stands in its first blank. */
  readonly called?: string;
}

/** The same in a table that is decided by, where every budget has its name. */
export type Counted<Else = string> = Within<Else> & { readonly budget: string };

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

/** A guard as data: which one, with what. By itself, under `when`, it is a condition. */
export interface Test<Question extends string = string> {
  readonly guard: string;
  readonly args?: JsonObject & { readonly question?: Question };
  /** One of several is enough. */
  readonly any?: readonly Test<Question>[];
}

/** What is said when a guard fails. A `soft` one only remarks; one with `ask` holds for a person. */
export interface Says<Question extends string = string> {
  readonly code: string;
  readonly fix: Remedy;
  readonly rule?: string;
  readonly soft?: boolean;
  readonly ask?: Question;
  readonly when?: readonly Test<Question>[];
}

/** A guard in its place, under `needs`. */
export interface Need<Question extends string = string> extends Test<Question>, Says<Question> {}

/** One that says which rule it keeps, as all do that are decided by. */
export interface RuledNeed extends Need {
  readonly rule: string;
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

export interface EffectRow<Question extends string = string> {
  readonly kind: string;
  readonly args: JsonObject;
  readonly when?: readonly Test<Question>[];
  /** The warning when `when` says the effect cannot be had here. */
  readonly otherwise?: string;
  /** The question asked when the effect cannot be done; without it the effect just stays wanted. */
  readonly failed?: Question;
}

/** What a protocol's `migrate` says about a workflow of an older version; what it does not name stays. */
export interface Migrated {
  /** The state each unit is in now, by unit; "." is the workflow itself. */
  readonly at?: Readonly<Record<string, string>>;
  readonly vars?: JsonObject;
  /** Units that are closed. */
  readonly closes?: readonly string[];
  /** Questions whose open decisions are withdrawn. */
  readonly voids?: readonly string[];
  /** Work that is taken back. */
  readonly cancels?: readonly string[];
}

export interface VarRule {
  readonly values: readonly Json[];
  readonly by: readonly Actor["kind"][];
  readonly rule: string;
}
