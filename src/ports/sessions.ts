/** Signs of life of sessions. Not truth: it only tells whether a lease's holder can be called dead. */
export interface Sessions {
  readonly beat: (session: string) => Promise<void>;
  readonly liveness: (session: string) => Promise<Liveness>;
}

/** `unknown` counts as alive. `why` says what was seen, for the record. */
export interface Liveness {
  readonly kind: "alive" | "dead" | "unknown";
  readonly why: string;
}
