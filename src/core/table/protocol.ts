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
 * The table that `decide` works on. It has the words of `authoring.ts`, but every row has its name and its rule,
 * and defaults are filled in. Everything is data except the guards, which are named functions. So a table can be
 * drawn, checked, explained, and written in another notation.
 */
export interface Protocol {
  readonly name: string;
  readonly version: number;
  /** Digest of the current definition, if the engine knows it. */
  readonly digest?: string;
  /** Digest of each repository setting that its gates depend on, if the engine knows them. */
  readonly settings?: Readonly<Record<string, string>>;
  /**
   * Migrates a workflow from an older version: says what becomes of anything this version no longer has. Must be
   * pure.
   */
  readonly migrate?: (state: Workflow, from: number) => Migrated;
  readonly title: string;
  /** The kind of the root unit. */
  readonly root: string;
  readonly kinds: Readonly<Record<string, Machine>>;
  readonly questions: Readonly<Record<string, Question>>;
  readonly work: Readonly<Record<string, Work>>;
  /** Guards of this family, in addition to the library's. */
  readonly guards: Readonly<Record<string, Guard | CheckedGuard>>;
  /** Kinds of effects of this family, in addition to the engine's. The family carries them out. */
  readonly effects?: readonly string[];
  /** Variables with their initial values. Those in `open` may be set by a command, the others only by rows. */
  readonly vars: JsonObject;
  readonly open?: Readonly<Record<string, VarRule>>;
  /**
   * A Markdown file that shows the state of each workflow and that people may edit. `{id}` gives each workflow
   * its own file.
   */
  readonly stateFile?: string;
  /** The family's own requirement, by code, for refusals that the core raises in every family. */
  readonly rules?: Readonly<Record<string, string>>;
  /** Kinds of facts its rows may ask for. The family looks them up. */
  readonly looks: readonly string[];
  /**
   * How long a session keeps the lease: for one dispatch, or until it gives it back. With `owner` the workflow
   * belongs to one session from start to end: starting takes the lease, nothing moves without it, and only a
   * person may break it.
   */
  readonly lease: "dispatch" | "workflow" | "owner";
  /**
   * Who may record a finding by command, by the first word of its kind. A kind not listed is for the engine only.
   */
  readonly signs?: Readonly<Record<string, readonly Actor["kind"][]>>;
}

export interface Machine {
  readonly states: readonly string[];
  readonly start: string;
  readonly ends: readonly string[];
  readonly moves: readonly Move[];
  /** A question for a state, asked on every entry for which its guards pass. */
  readonly gates?: Readonly<Record<string, string>>;
  /**
   * How a unit of this kind begins: the first row whose conditions hold. For the root this is the start of the
   * workflow. For other kinds it is opening one by command, which is impossible without such a row.
   */
  readonly starts?: readonly Start[];
}

/**
 * How a workflow or unit begins. `from` names states of the root: those in which a child may be opened, or the
 * ends after which the workflow's name is free again.
 */
export interface Start extends Omit<Move, "from" | "to"> {
  readonly from?: readonly string[];
  /** Where it begins, if not in the start state of its machine. */
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
  /**
   * A step that stays in its state does not count as entering it, so what was recorded since the last entry stays
   * valid.
   */
  readonly inside?: boolean;
  readonly rule: string;
}

export interface Question extends Omit<QuestionRow, "options" | "needs"> {
  readonly options: readonly Option[];
  readonly needs?: readonly RuledNeed[];
  /** Its id as files show it: fixed (`UD-APPROVE-DESIGN`) or numbered (`UD-#`). */
  readonly id?: string;
  /** A move of the root made before the question is asked, if it can start here. */
  readonly via?: string;
  /** How often an invalid answer is asked for again before the question is withdrawn. */
  readonly within?: Counted<readonly Consequence[]>;
  /** A fact with the repository's own wording: labels for `options`, and a `statement` to replace the prompt. */
  readonly menu?: string;
  readonly rule: string;
}

export interface Option extends Omit<OptionRow, "does" | "why"> {
  readonly id: string;
  readonly discovery?: string;
  readonly does: readonly Consequence[];
  /** A reason is required. With `words`, the answer must say more than the option's name. */
  readonly why?: boolean | "words";
  /**
   * What happens to the report waiting for this answer. `taken`: it is processed again as it was. `returned`: it
   * is handed back and the work ends. `repeated`: the last finished work is sent out once more.
   */
  readonly report?: "taken" | "returned" | "repeated";
  /** For an option that does not answer the question: it stays open, or is withdrawn. */
  readonly leaves?: "open" | "cancelled";
}

export interface Work extends Omit<
  WorkRow,
  "done" | "outcomes" | "in" | "needs" | "accepts" | "within"
> {
  /** The kind of unit it is about, or the root. */
  readonly unit: string;
  readonly in: readonly string[];
  /** Checked when the work is sent out. */
  readonly needs?: readonly RuledNeed[];
  /** Checked when the report comes in. Soft ones look at the outcome and leave remarks. */
  readonly accepts?: readonly RuledNeed[];
  /** What sending it out causes. */
  readonly sent?: readonly Consequence[];
  readonly outcomes: Readonly<Record<string, readonly Consequence[]>>;
  readonly within?: Counted;
  readonly rule: string;
}
