import type { Watch } from "../watch/watch.ts";

/** Where is kept what is held, beside the journals it was made from. */
export interface Watches {
  /** The store and git's own folder. */
  readonly own: readonly string[];
  /** When the last journal came or went. */
  readonly listed: () => Promise<number>;
  /** The journal of a stream, if it has one: the name of its file, and a number that grows with it. */
  readonly journal: (stream: string) => Promise<JournalFile | undefined>;
  /** Every journal there is. */
  readonly journals: () => Promise<readonly (JournalFile & { readonly stream: string })[]>;
  /** What was last kept, whether or not the journals have moved on. */
  readonly last: () => Watch | undefined;
  /** Whether nothing but this stream has moved since it was made. */
  readonly isFresh: (watch: Watch, but?: string) => Promise<boolean>;
  readonly keep: (watch: Watch) => void;
  /** Forget it: the next who asks makes it anew. */
  readonly drop: () => void;
  /** Sizes of journals in which nothing is held, by file name: they need not be read again. */
  readonly quiet: () => Readonly<Record<string, number>>;
  readonly keepQuiet: (quiet: Readonly<Record<string, number>>) => void;
}

export interface JournalFile {
  readonly file: string;
  readonly size: number;
}
