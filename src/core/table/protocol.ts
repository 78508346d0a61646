import type { JsonObject } from "../values/json.ts";
import type { Actor } from "../state/commands.ts";
import type { Workflow } from "../state/state.ts";
import type { Consequence, MoveRow, OptionRow, QuestionRow, WorkRow } from "./authoring.ts";
import type { CheckedGuard, Counted, Guard, Migrated, RuledNeed, RunRow, VarRule } from "./row.ts";

export type { Consequence } from "./authoring.ts";
export type {
  ArgKind,
  CheckedGuard,
  Counted,
  EffectRow,
  Guard,
  Migrated,
  Need,
  NoteRow,
  RuledNeed,
  RunRow,
  Says,
  Scope,
  Test,
  ValueRef,
  VarRule,
} from "./row.ts";

/**
 * The table that is decided by. It is written as `authoring.ts` says, in the same words; here every row has its name and
 * its rule, and what was left out is filled in. Everything in it is named data; the only code is the guards, which are
 * named too. That is what lets it be drawn, checked, explained and written in another notation.
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
  readonly work: Readonly<Record<string, Work>>;
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

export interface Move extends Omit<MoveRow, "from" | "to" | "needs" | "within" | "send" | "runs"> {
  readonly id: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly needs?: readonly RuledNeed[];
  readonly within?: Counted;
  readonly send?: readonly string[];
  readonly runs?: readonly RunRow[];
  /** A step inside its state is no entry into it: what counts since the last entry goes on counting. */
  readonly inside?: boolean;
  readonly rule: string;
}

export interface Question extends Omit<QuestionRow, "options" | "needs"> {
  readonly options: readonly Option[];
  readonly needs?: readonly RuledNeed[];
  /** Its id where files show it: fixed (`UD-APPROVE-DESIGN`), or with a number that counts up (`UD-#`). */
  readonly id?: string;
  /** The root's move made before it is asked, where that move starts from here. */
  readonly via?: string;
  /** How often an answer that is none is asked for again; then the question is withdrawn. */
  readonly within?: Counted<readonly Consequence[]>;
  /** A fact with the repository's own words: `options` with labels, and a `statement` in place of the prompt. */
  readonly menu?: string;
  readonly rule: string;
}

export interface Option extends Omit<OptionRow, "does" | "why"> {
  readonly id: string;
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

export interface Work extends Omit<
  WorkRow,
  "done" | "outcomes" | "in" | "needs" | "accepts" | "within"
> {
  /** Which units it can be about: the root, or children of a kind. */
  readonly unit: string;
  readonly in: readonly string[];
  /** Checked when the work is handed out. */
  readonly needs?: readonly RuledNeed[];
  /** Checked when the report comes in. Soft ones look at the outcome and leave remarks. */
  readonly accepts?: readonly RuledNeed[];
  /** What handing it out does by itself. */
  readonly sent?: readonly Consequence[];
  readonly outcomes: Readonly<Record<string, readonly Consequence[]>>;
  readonly within?: Counted;
  readonly rule: string;
}
