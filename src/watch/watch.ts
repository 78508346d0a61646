/**
 * What must not be touched right now in this repository, by whom, and why: everything a tool's use is judged by,
 * and small enough to be read with every use. Made from the journals after each step, and only ever a warning:
 * what is measured at the report is what holds.
 */
export interface Watch {
  readonly format: 1;
  /** Journals and their sizes as they were when this was made; where one differs, it is made anew. */
  readonly made: Readonly<Record<string, number>>;
  /** The store and every place that belongs to the engine alone, absolute. */
  readonly own: readonly string[];
  readonly places: readonly Place[];
}

/** One worktree with what is held in it. Without anything under way there is none. */
export interface Place {
  /** Absolute, links resolved. */
  readonly root: string;
  readonly rules: readonly WatchRule[];
}

/** A tool's use is denied by the first rule that speaks of one of its paths, unless an earlier one allows it. */
export interface WatchRule {
  /** Patterns below the root, such as `plugins/Echo/.ideas/**`. */
  readonly paths: readonly string[];
  readonly kind: "sealed" | "engine" | "worktree" | "lock" | "role" | "plan" | "allowed";
  /** Only for agents of these types (a dispatch's role); without it, for everybody. */
  readonly roles?: readonly string[];
  readonly workflow: string;
  readonly code: string;
  readonly rule: string;
  /** What is held there and why, in a sentence. */
  readonly message: string;
  readonly fix: string;
  readonly lift: string;
}
