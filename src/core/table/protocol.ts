import type { Json, JsonObject } from "../values/json.ts";
import type { Actor } from "../state/commands.ts";
import type { Workflow } from "../state/state.ts";
import type {
  CheckedGuard,
  EffectRow,
  Guard,
  GuardRow,
  NoteRow,
  RunRow,
  Spend,
  Test,
  ValueRef,
} from "./row.ts";

export type {
  ArgKind,
  CheckedGuard,
  EffectRow,
  Guard,
  GuardRow,
  NoteRow,
  RunRow,
  Scope,
  Spend,
  Test,
  ValueRef,
} from "./row.ts";

/**
 * A protocol is mostly a table: kinds of units with their moves, questions for people, dispatches for
 * agents. Everything in it is named data; the only code is the guards, which are named too. That is what
 * lets it be drawn, checked, explained and written in another notation.
 */
export interface Protocol {
  readonly name: string;
  readonly version: number;
  /** Of the definition as it reads now, where the engine knows it. */
  readonly digest?: string;
  /** Of each setting of the repository that decides about its gates, where the engine knows them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Carries a workflow over from an older version: says what becomes of what this version no longer has. Pure. */
  readonly migrate?: (state: Workflow, from: number) => Migrated;
  readonly title: string;
  /** The kind of the root unit. */
  readonly root: string;
  readonly kinds: Readonly<Record<string, Machine>>;
  readonly questions: Readonly<Record<string, Question>>;
  readonly dispatches: Readonly<Record<string, DispatchSpec>>;
  /** Guards of this family, beside the library ones. */
  readonly guards: Readonly<Record<string, Guard | CheckedGuard>>;
  /** Kinds of effects its rows may want beside the engine's own; the family has an adapter for each. */
  readonly effects?: readonly string[];
  /** Variables and their first values. `open` ones may be set by a command, the others only by rows. */
  readonly vars: JsonObject;
  readonly open?: Readonly<Record<string, VarRule>>;
  /** A Markdown file that shows where each workflow stands, and that people may edit; `{id}` gives each its own. */
  readonly stateFile?: string;
  /** The family's own row for what the core refuses in every family, by code. */
  readonly rules?: Readonly<Record<string, string>>;
  /** Kinds of facts its rows may ask for; the family's adapter knows how to look each one up. */
  readonly looks: readonly string[];
  /**
   * How long a session keeps the right to move: for one dispatch, or until it gives it back. With `owner` it belongs to
   * one session from start to end: starting takes it, nothing moves without it, only a person may break it.
   */
  readonly lease: "dispatch" | "workflow" | "owner";
  /** Who may record a finding by command, by the first word of its kind; without a word here, the engine. */
  readonly signs?: Readonly<Record<string, readonly Actor["kind"][]>>;
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

export interface Machine {
  readonly states: readonly string[];
  readonly start: string;
  readonly ends: readonly string[];
  readonly moves: readonly Move[];
  /** A question that stands at a state: asked on every entry for which its guards pass. */
  readonly gates?: Readonly<Record<string, string>>;
  /**
   * How a unit of this kind comes into being: the first row whose conditions hold. The root's are for the start of the
   * workflow; the others' for opening one by command, which without a row nobody may.
   */
  readonly starts?: readonly Start[];
}

/**
 * The row of a beginning. Its `from` names states of the root: where a child may be opened, and at which ends a
 * workflow gives its name free for another run.
 */
export interface Start extends Omit<Move, "from" | "to"> {
  readonly from?: readonly string[];
  /** Where it begins, if not at the start of its machine. */
  readonly to?: string;
}

export interface Move {
  readonly id: string;
  readonly from: readonly string[];
  /** A state, or `@back` for where the innermost detour left. */
  readonly to: string;
  readonly by?: readonly (Actor["kind"] | `role:${string}`)[];
  /** Tried by itself after every command, in table order. */
  readonly auto?: boolean;
  readonly detour?: boolean;
  /** The command must say why. */
  readonly why?: boolean;
  /** Allowed although a question is open: leaving is never blocked by the thing one leaves. */
  readonly whileHeld?: boolean;
  /** Allowed although work is out: saying that one cannot go on does not wait for a report. */
  readonly whileOut?: boolean;
  readonly when?: readonly Test[];
  readonly guards?: readonly GuardRow[];
  readonly spends?: Spend;
  readonly asks?: string;
  /** Work that is handed out with the move: the first of these that fits. */
  readonly sends?: readonly string[];
  readonly voids?: readonly string[];
  readonly seals?: readonly string[];
  readonly unseals?: readonly string[];
  readonly sows?: { readonly kind: string; readonly fact: string };
  /** Close every unit of a kind, or with `@unit` the one that moves. */
  readonly closes?: string;
  readonly effects?: readonly EffectRow[];
  readonly set?: Readonly<Record<string, ValueRef>>;
  readonly notes?: readonly NoteRow[];
  /** Checks the engine must have run on this tree before the move is decided. */
  readonly runs?: readonly RunRow[];
  /** A step inside its state is no entry into it: what counts since the last entry goes on counting. */
  readonly inside?: boolean;
  /** A side step, taken only when it is asked for by name. */
  readonly optional?: boolean;
  readonly label?: string;
  readonly rule: string;
}

export interface Question {
  readonly prompt: string;
  readonly options: readonly Option[];
  /** Facts the answer is bound to; when they change the question is asked again. */
  readonly binds?: readonly string[];
  /** A variable that, when true, settles this question with its first option. */
  readonly grant?: readonly string[];
  /** So many different people must choose the same option before it counts. */
  readonly people?: number;
  /** Free text is taken, noted and the question stays. */
  readonly other?: boolean;
  /** Its id where files show it: fixed (`UD-APPROVE-DESIGN`), or with a number that counts up (`UD-#`). */
  readonly id?: string;
  /** The root's move made before it is asked, where that move starts from here. */
  readonly via?: string;
  /** Who may ask it by command. */
  readonly by?: readonly Actor["kind"][];
  /** What must hold before it may be asked, by command (`about` is the input) or at a gate. */
  readonly guards?: readonly GuardRow[];
  /** Only an option's own number, id or words answer it: "continue" does not mean the first one. */
  readonly explicit?: boolean;
  /** How often an answer that is none is asked for again; then the question is withdrawn. */
  readonly within?: Within;
  /** A fact with labels for this question's options, if the repository has its own. */
  readonly menu?: string;
  readonly rule: string;
}

export interface Option {
  readonly id: string;
  readonly label: string;
  /** Words that choose it besides its number and id, compared without case; `approved*` is any text that starts so. */
  readonly words?: readonly string[];
  /** So many different people must choose it; without it, as many as the question says. */
  readonly people?: number;
  readonly recommended?: boolean;
  readonly discovery?: string;
  readonly does: readonly Consequence[];
  /** It needs a reason; with `words`, the answer itself must say more than the option's name. */
  readonly why?: boolean | "words";
  /**
   * What becomes of the report that waits for this answer: it is taken in again as it was, or handed back, which ends
   * the work; or what came back last is handed out once more.
   */
  readonly report?: "taken" | "returned" | "repeated";
  /** What becomes of the question, where choosing it is no answer: it stays open, or is withdrawn. */
  readonly leaves?: "open" | "cancelled";
}

export interface Within {
  readonly budget: string;
  /** A number, or the variable that holds it. */
  readonly max: number | string;
  readonly otherwise: readonly Consequence[];
}

export type Consequence =
  | { readonly do: "move"; readonly move: string; readonly on?: "root" | "unit" }
  | {
      readonly do: "open";
      readonly kind: string;
      readonly unit: string;
      readonly data?: JsonObject;
    }
  /** Record what a report vouches for: on the unit, signed by the role, or on the root, signed by the unit. */
  | {
      readonly do: "finding";
      readonly kind: string;
      readonly on?: "root";
      readonly value: ValueRef;
      readonly binds?: readonly string[];
    }
  | { readonly do: "dispatch"; readonly specs: readonly string[] }
  /** With `each`, one question for every entry of that list in the claim. */
  | { readonly do: "ask"; readonly question: string; readonly each?: string }
  /** Spend from a budget; `otherwise` is what follows once it is used up. */
  | ({ readonly do: "within" } & Within)
  | { readonly do: "set"; readonly set: Readonly<Record<string, ValueRef>> }
  | { readonly do: "reset"; readonly budget: string }
  | { readonly do: "effect"; readonly effect: EffectRow }
  | { readonly do: "note"; readonly note: NoteRow };

export interface DispatchSpec {
  /** Who it is for; `{unit}` where the unit itself is the agent. */
  readonly role: string;
  /** Which units it can be about: the root, or children of a kind. */
  readonly unit: string;
  readonly in: readonly string[];
  /** States of the root in which it may be sent, where the unit is a child. */
  readonly rootIn?: readonly string[];
  /** Several may be open at once, one per unit and mode. */
  readonly parallel?: boolean;
  readonly when?: readonly Test[];
  /** Checked when the work is handed out. */
  readonly guards?: readonly GuardRow[];
  /** Checked when the report comes in. Soft ones look at the outcome and leave remarks. */
  readonly accepts?: readonly GuardRow[];
  /** Facts recorded when the work is handed out. */
  readonly baseline?: readonly string[];
  /** What handing it out does by itself. */
  readonly sent?: readonly Consequence[];
  readonly outcomes: Readonly<Record<string, readonly Consequence[]>>;
  /** What the agent is asked to do, where the family has no words of its own for it. */
  readonly order?: string;
  /** Paths the work may write, as patterns such as `src/**`. */
  readonly makes?: readonly string[];
  /**
   * It judges what others made, on its unit or in the whole workflow: an agent that worked there in another role may not
   * give its report.
   */
  readonly judges?: "unit" | "workflow";
  readonly tries?: Spend;
  readonly rule: string;
}
