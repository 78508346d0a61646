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
 * How a protocol is written. The keys of the records are the names. Wherever a name is used, its type is a
 * parameter that only the definition can widen, so the compiler rejects a state, move, question or work that does
 * not exist.
 */

/** What follows from an answer, a report or a spent budget. Each has exactly one of these keys. */
export type Consequence<
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> =
  | { readonly move: M; readonly on?: "unit" }
  | { readonly open: string; readonly unit: string; readonly data?: JsonObject }
  /** With `each`, one question for every entry of that list in the report. */
  | { readonly ask: Q; readonly each?: string }
  /** Sends out the first of these that fits. */
  | { readonly send: W | readonly W[] }
  /** Records what a report vouches for: on the unit, signed by the role; or on the root, signed by the unit. */
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

/** The name of one move, or a list of consequences. */
export type Leads<M extends string, Q extends string, W extends string> =
  | M
  | readonly Consequence<M, Q, W>[];

export interface MoveRow<
  S extends string = string,
  Q extends string = string,
  W extends string = string,
> {
  readonly from: S | readonly S[];
  /**
   * A state, or `@back` for the state that the innermost detour left. Without it, the step stays in its state.
   */
  readonly to?: S | "@back";
  readonly needs?: readonly Need<Q>[];
  /** If several rows have one name, the first whose conditions hold is taken. */
  readonly when?: readonly Test<Q>[];
  readonly by?: readonly (Actor["kind"] | `role:${string}`)[];
  readonly auto?: boolean;
  readonly detour?: boolean;
  readonly why?: boolean;
  readonly whileHeld?: boolean;
  readonly whileOut?: boolean;
  readonly within?: Within<Q>;
  readonly ask?: Q;
  /** Work sent out with the move: the first of these that fits. */
  readonly send?: W | readonly W[];
  /** Checks to run before the move is decided. A plain name is bound to the whole tree. */
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

/**
 * How a workflow or unit begins. `from` names states of the workflow: those in which a unit may be opened, or the
 * ends after which the name is free again.
 */
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
  /** The instruction to the agent. */
  readonly order?: string;
  /** Paths the work must change, and the only ones it may change. */
  readonly makes?: readonly string[];
  /** It judges what other roles made, on its unit or in the whole workflow. No agent may judge its own work. */
  readonly judges?: "unit" | "workflow";
  /** The move after success. */
  readonly done?: M;
  /** What follows other outcomes. Without it, a failure is recorded and nothing else happens. */
  readonly outcomes?: Readonly<Record<string, Leads<M, Q, W>>>;
  /** States in which it may be sent out. Without it, wherever the move after success can start. */
  readonly in?: S | readonly S[];
  /** The kind of unit it is about. Without it, the root. */
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
  /** A move, or a list of consequences. */
  readonly does?: Leads<M, Q, W>;
  readonly why?: boolean;
  /** How many different people must choose it, if not as many as the question says. */
  readonly people?: number;
}

export interface QuestionRow<
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> {
  readonly prompt: string;
  readonly options: Readonly<Record<string, OptionRow<M, Q, W>>>;
  /** Facts the answer is bound to. A path stands for its digest. */
  readonly binds?: readonly string[];
  /** How many different people must choose the same option. */
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
  /**
   * Needed if there is more to say than `start`: conditions for beginning, and the ends that free the name again.
   */
  readonly starts?: readonly StartRow<NoInfer<S>, NoInfer<Q>>[];
  /** A question for a state, asked on every entry for which its needs pass. */
  readonly gates?: Readonly<Partial<Record<NoInfer<S>, NoInfer<Q>>>>;
}

/**
 * A protocol. With a single machine, its states and moves are at the top level. With several kinds of units,
 * `kinds` lists them, the workflow's own first, each made with `machine`.
 */
export interface Definition<
  S extends string = string,
  M extends string = string,
  Q extends string = string,
  W extends string = string,
> extends Partial<MachineRow<S, M, Q, W>> {
  readonly name: string;
  readonly version: number;
  /**
   * Migrates a workflow from an older version: says what becomes of anything this version no longer has. Must be
   * pure.
   */
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
  /**
   * A Markdown file that shows the state of each workflow and that people may edit. `{id}` gives each workflow
   * its own file.
   */
  readonly stateFile?: string;
  readonly rules?: Readonly<Record<string, string>>;
  /**
   * How long a session keeps the lease: for one dispatch (the default), for as long as it wants, or as the owner
   * from start to end.
   */
  readonly lease?: "dispatch" | "workflow" | "owner";
}
