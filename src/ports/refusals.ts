import type { Refusal } from "../core/decide/answer.ts";

/**
 * Refusals, stored beside the journal. They change no state, and an agent that keeps trying must not make the
 * journal grow. Limited in number; the oldest are dropped.
 */
export interface Refusals {
  readonly add: (entry: RefusalEntry) => Promise<void>;
  readonly read: (stream: string) => Promise<readonly RefusalEntry[]>;
}

export interface RefusalEntry {
  readonly at: string;
  /** The last record at that time, its hash, and when this run of the workflow began. */
  readonly seq?: number;
  readonly hash?: string;
  readonly run?: string;
  readonly stream: string;
  readonly command: string;
  /** The move, work or question that was asked for. */
  readonly step: string;
  readonly actor: string;
  /** The agent, as stated by its client. */
  readonly agent?: string;
  readonly session: string;
  readonly refusals: readonly Refusal[];
}
