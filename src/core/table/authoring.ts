import type { Actor } from "../state/commands.ts";
import type { JsonObject } from "../values/json.ts";
import type { Workflow } from "../state/state.ts";
import type {
  CheckedGuard,
  Counted,
  EffectRow,
  Guard,
  Migrated,
  Need,
  NoteRow,
  RunRow,
  Test,
  ValueRef,
  VarRule,
  Within,
} from "./row.ts";

/**
 * How a protocol is written. Record keys are the names; whatever uses a name takes it as a type parameter that only
 * the definition adds to, so that the compiler refuses a state, move, question or work that does not exist.
 */

/** What follows from an answer, a report or a spent budget, one key each. */
export type Consequence<
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> =
  | { readonly move: M; readonly on?: "unit" }
  | { readonly open: string; readonly unit: string; readonly data?: JsonObject }
  /** With `each`, one question for every entry of that list in the claim. */
  | { readonly ask: Q; readonly each?: string }
  /** The first of these that can be handed out. */
  | { readonly send: W | readonly W[] }
  /** Record what a report vouches for: on the unit, signed by the role, or on the root, signed by the unit. */
  | {
      readonly finding: string;
      readonly value: ValueRef;
      readonly on?: "root";
      readonly binds?: readonly string[];
    }
  | { readonly within: Counted<readonly Consequence<M, Q, W>[]> }
  | { readonly set: Readonly<Record<string, ValueRef>> }
  | { readonly reset: string }
  | { readonly effect: EffectRow<Q> }
  | { readonly note: NoteRow };

/** One move by its name, or a list of consequences. */
export type Leads<M extends string, Q extends string, W extends string> =
  | M
  | readonly Consequence<M, Q, W>[];

export interface MoveRow<
  S extends string = string,
  Q extends string = string,
  W extends string = string,
> {
  readonly from: S | readonly S[];
  /** A state, or `@back` for where the innermost detour left. Without one it is a step inside its state. */
  readonly to?: S | "@back";
  readonly needs?: readonly Need<Q>[];
  /** Of several rows under one name the first whose conditions hold is taken. */
  readonly when?: readonly Test<Q>[];
  readonly by?: readonly (Actor["kind"] | `role:${string}`)[];
  readonly auto?: boolean;
  readonly detour?: boolean;
  readonly why?: boolean;
  readonly whileHeld?: boolean;
  readonly whileOut?: boolean;
  readonly within?: Within<Q>;
  readonly ask?: Q;
  /** Work that is handed out with the move: the first of these that fits. */
  readonly send?: W | readonly W[];
  /** Checks the engine runs before the move is decided: by name, bound to the whole tree, or with what binds them. */
  readonly runs?: readonly (string | RunRow)[];
  readonly seals?: readonly string[];
  readonly unseals?: readonly string[];
  readonly voids?: readonly Q[];
  readonly sows?: { readonly kind: string; readonly fact: string };
  readonly closes?: string;
  readonly effects?: readonly EffectRow<Q>[];
  readonly set?: Readonly<Record<string, ValueRef>>;
  readonly notes?: readonly NoteRow[];
  readonly optional?: boolean;
  readonly label?: string;
  readonly rule?: string;
}

/** The row of a beginning. Its `from` names states of the workflow: where a unit may be opened, or its ends. */
export interface StartRow<S extends string = string, Q extends string = string> {
  readonly from?: readonly string[];
  readonly to?: S;
  readonly when?: readonly Test<Q>[];
  readonly needs?: readonly Need<Q>[];
  readonly effects?: readonly EffectRow<Q>[];
  readonly notes?: readonly NoteRow[];
  readonly voids?: readonly Q[];
  readonly rule?: string;
}

export type Moves<
  M extends string,
  S extends string,
  Q extends string,
  W extends string,
> = Readonly<Record<M, MoveRow<S, Q, W> | readonly MoveRow<S, Q, W>[]>>;

export interface WorkRow<
  S extends string = string,
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> {
  readonly role: string;
  /** What the agent is told to do. */
  readonly order?: string;
  /** The paths the work may touch, and must: nothing changed there is no work, a change elsewhere is refused. */
  readonly makes?: readonly string[];
  /** It judges what other roles made, on its unit or in the whole workflow: no agent judges its own work. */
  readonly judges?: "unit" | "workflow";
  /** The move a success leads to. */
  readonly done?: M;
  /** What other reports lead to, by outcome; without one, a failure only comes back. */
  readonly outcomes?: Readonly<Record<string, Leads<M, Q, W>>>;
  /** Where it may be handed out; without it, wherever the move of its success starts. */
  readonly in?: S | readonly S[];
  /** Which kind of unit it is about; without it, the root. */
  readonly unit?: string;
  readonly rootIn?: readonly string[];
  readonly parallel?: boolean;
  readonly when?: readonly Test<Q>[];
  readonly needs?: readonly Need<Q>[];
  /** What must hold when the report comes in. */
  readonly accepts?: readonly Need<Q>[];
  readonly baseline?: readonly string[];
  readonly within?: Within<Q>;
  readonly rule?: string;
}

export interface OptionRow<
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> {
  readonly label: string;
  readonly words?: readonly string[];
  readonly recommended?: boolean;
  /** The move it leads to, or a list of consequences. */
  readonly does?: Leads<M, Q, W>;
  readonly why?: boolean;
  /** So many different people must choose it; without it, as many as the question says. */
  readonly people?: number;
}

export interface QuestionRow<
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> {
  readonly prompt: string;
  readonly options: Readonly<Record<string, OptionRow<M, Q, W>>>;
  /** Facts the answer is for; a path stands for its digest. */
  readonly binds?: readonly string[];
  /** So many different people must choose the same option. */
  readonly people?: number;
  readonly grant?: readonly string[];
  readonly other?: boolean;
  readonly explicit?: boolean;
  readonly by?: readonly Actor["kind"][];
  readonly needs?: readonly Need<Q>[];
  readonly rule?: string;
}

export interface MachineRow<
  S extends string = string,
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> {
  readonly states: readonly S[];
  readonly start: NoInfer<S>;
  readonly ends: readonly NoInfer<S>[];
  readonly moves: Moves<M, NoInfer<S>, NoInfer<Q>, NoInfer<W>>;
  /** How it begins, if there is more to say than `start`: what it needs, and which ends free its name again. */
  readonly starts?: readonly StartRow<NoInfer<S>, NoInfer<Q>>[];
  /** A question that stands at a state: asked on every entry for which its needs pass. */
  readonly gates?: Readonly<Partial<Record<NoInfer<S>, NoInfer<Q>>>>;
}

/**
 * A protocol. One with a single machine has its states and moves at the top; one whose workflow has units of its own
 * has `kinds` instead, the workflow's first, each made with `machine`.
 */
export interface Definition<
  S extends string = string,
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> extends Partial<MachineRow<S, M, Q, W>> {
  readonly name: string;
  readonly version: number;
  /** Carries a workflow of an older version over: says what becomes of what this version no longer has. Pure. */
  readonly migrate?: (state: Workflow, from: number) => Migrated;
  readonly title: string;
  readonly kinds?: Readonly<Record<string, MachineRow>>;
  readonly questions?: Readonly<Record<Q, QuestionRow<NoInfer<M>, NoInfer<Q>, NoInfer<W>>>>;
  readonly work?: Readonly<Record<W, WorkRow<NoInfer<S>, NoInfer<M>, NoInfer<Q>, NoInfer<W>>>>;
  readonly vars?: JsonObject;
  readonly open?: Readonly<Record<string, Omit<VarRule, "rule"> & { readonly rule?: string }>>;
  readonly guards?: Readonly<Record<string, Guard | CheckedGuard>>;
  readonly looks?: readonly string[];
  readonly effects?: readonly string[];
  readonly signs?: Readonly<Record<string, readonly Actor["kind"][]>>;
  /** A Markdown file that shows where each workflow stands, and that people may edit; `{id}` gives each its own. */
  readonly stateFile?: string;
  readonly rules?: Readonly<Record<string, string>>;
  /** How long a session keeps the right to move: for one piece of work (the default), or until it gives it back. */
  readonly lease?: "dispatch" | "workflow" | "owner";
}
