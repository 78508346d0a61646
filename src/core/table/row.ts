import type { Remedy } from "../decide/answer.ts";
import type { Actor, Claim, Command, Envelope } from "../state/commands.ts";
import type { Json, JsonObject } from "../values/json.ts";
import type { Unit, Workflow } from "../state/state.ts";

/** The parts that rows of a protocol are made of: conditions, guards, values, notes, effects, budgets. */

/** A limit: after so many times, `else` happens instead, as a question or as consequences. */
export interface Within<Else = string> {
  /** A number, or the variable that holds it. */
  readonly times: number | string;
  readonly else: Else;
  /** Name of a shared budget. Without it, the row has its own, which an answer resets. */
  readonly budget?: string;
  /** Its name for people, if the key does not say it. `{1}` stands for the value of its first blank. */
  readonly called?: string;
}

/** The same in a compiled table, where every budget has a name. */
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

/** Where a value comes from: a constant, a fact, the report, or the command's input. */
export type ValueRef =
  | { readonly value: Json }
  | { readonly fact: string; readonly at?: string }
  | { readonly claim: string; readonly or?: Json }
  | { readonly input: string; readonly or?: Json };

/** A guard as data: its name and arguments. Under `when` it is a condition. */
export interface Test<Question extends string = string> {
  readonly guard: string;
  readonly args?: JsonObject & { readonly question?: Question };
  /** At least one of these must hold. */
  readonly any?: readonly Test<Question>[];
}

/** What a failed guard says. A `soft` one only leaves a remark; one with `ask` asks a person. */
export interface Says<Question extends string = string> {
  readonly code: string;
  readonly fix: Remedy;
  readonly rule?: string;
  readonly soft?: boolean;
  readonly ask?: Question;
  readonly when?: readonly Test<Question>[];
}

/** A guard as it stands under `needs`. */
export interface Need<Question extends string = string> extends Test<Question>, Says<Question> {}

/** A guard that cites its requirement. In a compiled table all do. */
export interface RuledNeed extends Need {
  readonly rule: string;
}

/** Passes (undefined) or says why not. Must be a pure function of the scope and its arguments. */
export type Guard = (scope: Scope, args: JsonObject) => string | undefined;

/** A guard that declares its arguments, so that wrong ones are reported as a mistake in the table. */
export interface CheckedGuard {
  readonly check: Guard;
  readonly args: Readonly<Record<string, ArgKind | `${ArgKind}?`>>;
}

/** The type of an argument. Arguments that name something are checked against the protocol. */
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
  /** The workflow before this command. It differs from `workflow` only while soft guards look at the outcome. */
  readonly before: Workflow;
  readonly dispatch: string | undefined;
  /** Reads a fact. If it was not looked up yet, it is asked for and reads as undefined this time. */
  readonly fact: (key: string) => Json | undefined;
  /**
   * Fills `{id}`, `{unit}`, variables by name, and `{claim.x}`, `{input.x}`, `{about.x}`, `{unit.x}` into a text.
   */
  readonly fill: (template: string) => string;
  /** Asks for a check to be run on what these facts say, unless it has been. */
  readonly run: (check: string, binds: readonly string[]) => void;
}

export interface EffectRow<Question extends string = string> {
  readonly kind: string;
  readonly args: JsonObject;
  readonly when?: readonly Test<Question>[];
  /** The warning recorded when `when` says that the effect is not possible here. */
  readonly otherwise?: string;
  /** The question asked if the effect fails. Without it, the effect stays wanted and is retried. */
  readonly failed?: Question;
}

/**
 * The result of a protocol's `migrate` for a workflow of an older version. What it does not mention stays as it
 * is.
 */
export interface Migrated {
  /** The new state of each unit; "." is the workflow itself. */
  readonly at?: Readonly<Record<string, string>>;
  readonly vars?: JsonObject;
  /** Units to close. */
  readonly closes?: readonly string[];
  /** Questions whose open decisions are withdrawn. */
  readonly voids?: readonly string[];
  /** Work to cancel. */
  readonly cancels?: readonly string[];
}

export interface VarRule {
  readonly values: readonly Json[];
  readonly by: readonly Actor["kind"][];
  readonly rule: string;
}
