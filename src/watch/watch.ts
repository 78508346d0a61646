/**
 * What must not be touched right now in this repository, by whom, and why: everything a tool's use is judged by,
 * and small enough to be read with every use. Made from the journals after each step, and only ever a warning:
 * what is measured at the report is what holds.
 */
export interface Watch {
  readonly format: 1;
  /** Journals of workflows in which something is held, by file name, as they were when this was made. */
  readonly made: Readonly<Record<string, Made>>;
  /** When the last journal came or went; where this or a size differs, the watch is made anew. */
  readonly listed: number;
  /** The store and every place that belongs to git or the engine alone, absolute. */
  readonly own: readonly string[];
  /** Names of agents that are known; an agent of any other name may be each of them. */
  readonly roles: readonly string[];
  /** The families' own rules for what is denied in every family, by code. */
  readonly cites: Readonly<Record<string, string>>;
  /** Several may have the same root, each from a workflow of its own. */
  readonly places: readonly Place[];
}

export interface Made {
  readonly size: number;
  /** The worktree the workflow was last moved from. */
  readonly root: string;
}

/** One worktree with what is held in it. Without anything under way there is none. */
export interface Place {
  /** The journal it follows from; empty once several are put together. */
  readonly from: string;
  /** Absolute, links resolved. */
  readonly root: string;
  /**
   * What git may be asked for here. `kept`: the engine makes the commits, and the branch stays where it is. `locked`:
   * reading, and for the holder of the lock also what moves it forward. `free`: whatever does not reach further.
   */
  readonly git: "kept" | "locked" | "free";
  /** The session that has the lock of a place that is `locked`. */
  readonly holder?: string;
  /** Branches that belong into other worktrees. */
  readonly branches?: readonly string[];
  readonly rules: readonly WatchRule[];
}

/** The agent that talks to the user, as one of the roles a rule may be for. */
export const MAIN_AGENT = "main";

/** A tool's use is denied by the first rule that speaks of one of its paths, unless an earlier one allows it. */
export interface WatchRule {
  /** Patterns below the root, such as `plugins/Echo/.ideas/**`. */
  readonly paths: readonly string[];
  /** Regular expressions for what no pattern says, over paths below the root; capitals do not matter. */
  readonly like?: readonly string[];
  readonly kind: "sealed" | "engine" | "worktree" | "lock" | "role" | "plan" | "allowed";
  /** Only for agents of these types (a dispatch's role, or `main`); without it, for everybody. */
  readonly roles?: readonly string[];
  /** Only for this session; without it, for all. */
  readonly session?: string;
  readonly workflow: string;
  readonly code: string;
  readonly rule: string;
  /** What is held there and why, in a sentence. */
  readonly message: string;
  readonly fix: string;
  readonly lift: string;
}

/** What a workflow holds in one worktree: the path from the top of the repository, empty for the top itself. */
export interface Watched extends Omit<Place, "root" | "from"> {
  readonly place: string;
}
