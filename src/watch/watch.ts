/**
 * What must not be touched right now in this repository, by whom, and why. Every use of a tool is judged by it,
 * so it is small. It is derived from the journals after each step and only serves to warn early; what counts is
 * the measurement at the report.
 */
export interface Watch {
  readonly format: 1;
  /** The journals in which something is held, by file name, with their sizes when this was made. */
  readonly made: Readonly<Record<string, Made>>;
  /** When a journal was last added or removed. If this or a size differs, the watch is rebuilt. */
  readonly listed: number;
  /** The store, and all places that only git or the engine may write; absolute. */
  readonly own: readonly string[];
  /** Names of known agents. An agent with any other name may be any of them. */
  readonly roles: readonly string[];
  /** The families' own requirements for what is denied in every family, by code. */
  readonly cites: Readonly<Record<string, string>>;
  /** Several may have the same root, each from another workflow. */
  readonly places: readonly Place[];
  /** Identifies the changes that belong to it. */
  readonly id?: string;
  /** Journals that hold nothing any more according to changes, with their sizes. */
  readonly silent?: Readonly<Record<string, number>>;
}

/** What one journal holds after a step: one line beside the watch, which then need not be rewritten. */
export interface WatchChange extends Made {
  readonly file: string;
  readonly listed: number;
  readonly roles: readonly string[];
  readonly cites: Readonly<Record<string, string>>;
  readonly places: readonly Place[];
}

/** The watch after these changes. If several are about one journal, the last one counts. */
export function withChanges(watch: Watch, changes: readonly WatchChange[]): Watch {
  const last = changes.at(-1);
  if (last === undefined) return watch;
  const latest = new Map(changes.map((one) => [one.file, one]));
  const made = { ...watch.made };
  const silent = { ...watch.silent };
  for (const { file, size, root, places } of latest.values()) {
    delete made[file];
    delete silent[file];
    if (places.length === 0) silent[file] = size;
    else made[file] = { size, root };
  }
  return {
    ...watch,
    made,
    silent,
    listed: last.listed,
    roles: [...new Set([...watch.roles, ...changes.flatMap(({ roles }) => roles)])],
    cites: Object.assign({}, watch.cites, ...changes.map(({ cites }) => cites)),
    places: [
      ...watch.places.filter(({ from }) => !latest.has(from)),
      ...[...latest.values()].flatMap(({ places }) => places),
    ],
  };
}

export interface Made {
  readonly size: number;
  /** The worktree in which the workflow was last moved. */
  readonly root: string;
}

/** One worktree, and what is held in it. If nothing is under way, there is none. */
export interface Place {
  /** The journal it comes from; empty after merging several. */
  readonly from: string;
  /** Absolute, with links resolved. */
  readonly root: string;
  /**
   * What git may do here. `kept`: the engine makes the commits and the branch must not move. `locked`: reading,
   * and for the holder of the lock also whatever moves it forward. `free`: everything that stays inside this
   * worktree.
   */
  readonly git: "kept" | "locked" | "free";
  /** The session that holds the lock, if `git` is `locked`. */
  readonly holder?: string;
  /** Branches that belong to other worktrees. */
  readonly branches?: readonly string[];
  readonly rules: readonly WatchRule[];
}

/** The role of the agent that talks to the user. */
export const MAIN_AGENT = "main";

/** A use of a tool is denied by the first rule that covers one of its paths, unless an earlier rule allows it. */
export interface WatchRule {
  /** Patterns relative to the root, such as `plugins/Echo/.ideas/**`. */
  readonly paths: readonly string[];
  /** Case-insensitive regular expressions over paths relative to the root, for what no pattern can say. */
  readonly like?: readonly string[];
  readonly kind: "sealed" | "engine" | "worktree" | "lock" | "role" | "plan" | "allowed";
  /** Only for agents in these roles (a dispatch's role, or `main`). Without it, for all. */
  readonly roles?: readonly string[];
  /** Only for this session. Without it, for all. */
  readonly session?: string;
  readonly workflow: string;
  readonly code: string;
  readonly rule: string;
  /** What is held there and why, in one sentence. */
  readonly message: string;
  readonly fix: string;
  readonly lift: string;
}

/**
 * What a workflow holds in one worktree, given relative to the top of the repository; empty for the top itself.
 */
export interface Watched extends Omit<Place, "root" | "from"> {
  readonly place: string;
}
