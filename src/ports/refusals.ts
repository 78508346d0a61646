import type { Refusal } from "../core/decide/answer.ts";

/**
 * Refusals, kept beside the journal: they change no state, and an agent that tries again and again must
 * not grow the truth. Bounded; the oldest go first.
 */
export interface Refusals {
  readonly add: (entry: RefusalEntry) => Promise<void>;
  readonly read: (stream: string) => Promise<readonly RefusalEntry[]>;
}

export interface RefusalEntry {
  readonly at: string;
  /** The last record when it was refused, its hash, and when the run began that it is of. */
  readonly seq?: number;
  readonly hash?: string;
  readonly run?: string;
  readonly stream: string;
  readonly command: string;
  /** The move, work or question it named. */
  readonly step: string;
  readonly actor: string;
  /** Which agent it was, where its client vouched for it. */
  readonly agent?: string;
  readonly session: string;
  readonly refusals: readonly Refusal[];
}
