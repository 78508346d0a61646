import type { Watch, WatchChange } from "../watch/watch.ts";

/** Stores what is currently held, together with the journals it was derived from. */
export interface Watches {
  /** The paths of the store and of git's own directory. */
  readonly own: readonly string[];
  /** When a journal was last added or removed. */
  readonly listed: () => Promise<number>;
  /** The file of a stream's journal, if there is one, and a number that grows with it. */
  readonly journal: (stream: string) => Promise<JournalFile | undefined>;
  readonly journals: () => Promise<readonly (JournalFile & { readonly stream: string })[]>;
  /** The files of all journals, by name alone. */
  readonly names: () => Promise<readonly string[]>;
  /** What was last stored, even if the journals have moved on. */
  readonly last: () => Watch | undefined;
  readonly keep: (watch: Watch) => void;
  /** Stores what one journal holds now, and leaves the rest as it is. */
  readonly add: (change: WatchChange) => void;
  /** Forgets it, so that the next reader computes it again. */
  readonly drop: () => void;
  /**
   * Sizes of journals that hold nothing, by file name. They need not be read again while the size is the same.
   */
  readonly quiet: () => Readonly<Record<string, number>>;
  readonly keepQuiet: (quiet: Readonly<Record<string, number>>) => void;
}

export interface JournalFile {
  readonly file: string;
  readonly size: number;
}
