/** Signs of life of sessions. They prove nothing; they only tell whether the holder of a lease may be dead. */
export interface Sessions {
  readonly beat: (session: string) => Promise<void>;
  readonly liveness: (session: string) => Promise<Liveness>;
}

/** `unknown` is treated as alive. `why` says what was seen, and is recorded with a takeover. */
export interface Liveness {
  readonly kind: "alive" | "dead" | "unknown";
  readonly why: string;
}
