/**
 * One reading of everything below a directory, by its bytes: no index, setting or opinion of git is in it. Left out
 * are `.git`, Holdpoint's own corner, other worktrees of the repository, and what `.gitignore` files leave out; the last
 * two are named.
 */
export interface TreeReading {
  /** What stands at each path, sorted by path: its kind (`f` file, `x` program, `l` link, `o` other) and digest. */
  readonly files: ReadonlyMap<string, string>;
  /** What could not be read in full, and why. What depends on it is unknown. */
  readonly problems: ReadonlyMap<string, string>;
  /** The ignore rules that counted: the text of each `.gitignore`, by its directory. */
  readonly rules: ReadonlyMap<string, string>;
  /** What was left out by them, or as another worktree, and is there, a folder (with `/`) for all that is in it; not all where it is `LEFT_MAX`. */
  readonly left: readonly string[];
  /** What is in `files` only because an earlier reading's rules do not leave it out, as those of now do. */
  readonly hidden: ReadonlySet<string>;
}

export interface ReadingOptions {
  /** Rules of an earlier reading: only what they leave out as well is left out. */
  readonly rules?: ReadonlyMap<string, string>;
  /** Paths that are read although rules leave them out, because git tracks them. */
  readonly also?: readonly string[];
}

/** What is left out is told, not judged by: so many names are more than anybody reads. */
export const LEFT_MAX = 10_000;
