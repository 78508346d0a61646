/** Time. Only the engine's edge asks; the core gets times as fields of commands. */
export interface Clock {
  /** Wall time, ISO 8601 in UTC. It may jump: never subtract two of these. */
  readonly now: () => string;
  /** Milliseconds that never run backwards, comparable between processes of one boot. */
  readonly monotonicMs: () => number;
  /** Which boot `monotonicMs` belongs to; undefined where the system does not tell. */
  readonly bootId: () => string | undefined;
}
