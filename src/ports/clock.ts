/** The time. Only the engine reads clocks; the core gets times as fields of commands. */
export interface Clock {
  /** Wall time, ISO 8601 in UTC. It may jump, so never subtract two of these. */
  readonly now: () => string;
  /** Milliseconds that never run backwards, comparable between processes of one boot. */
  readonly monotonicMs: () => number;
  /** The boot that `monotonicMs` belongs to; undefined if the system does not say. */
  readonly bootId: () => string | undefined;
}
