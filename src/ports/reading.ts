/**
 * One reading of everything below a directory, by its bytes. Git's index, settings and opinion play no part.
 * Excluded are `.git`, Holdpoint's own folder, other worktrees of the repository, and what `.gitignore` files
 * exclude. The last two are listed.
 */
export interface TreeReading {
  /** Kind (`f` file, `x` executable, `l` link, `o` other) and digest of each path, sorted by path. */
  readonly files: ReadonlyMap<string, string>;
  /** What could not be read in full, and why. Whatever depends on it is unknown. */
  readonly problems: ReadonlyMap<string, string>;
  /** The ignore rules that applied: the text of each `.gitignore`, by its directory. */
  readonly rules: ReadonlyMap<string, string>;
  /**
   * What exists but was excluded by those rules, or as another worktree. A folder (with `/`) stands for
   * everything in it. Incomplete if it has `LEFT_MAX` entries.
   */
  readonly left: readonly string[];
  /**
   * Files that today's rules exclude, and that are in `files` only because an earlier reading's rules did not.
   */
  readonly hidden: ReadonlySet<string>;
}

export interface ReadingOptions {
  /** Rules of an earlier reading. A path is excluded only if these exclude it as well. */
  readonly rules?: ReadonlyMap<string, string>;
  /** Paths that are read despite the rules, because git tracks them. */
  readonly also?: readonly string[];
}

/** The list is only for messages, so it may be cut at a length nobody reads to the end. */
export const LEFT_MAX = 10_000;
