/** Signs of life of sessions, used only to tell whether the holder of a lease may be dead. */
export interface Sessions {
  readonly beat: (session: string) => Promise<void>;
  readonly liveness: (session: string) => Promise<Liveness>;
}

/**
 * `dead` is proven. `quiet` is a long silence and proves nothing. Anything else that cannot be told is `unknown`.
 * `why` says what was seen, and is recorded with a takeover.
 */
export interface Liveness {
  readonly kind: "alive" | "quiet" | "dead" | "unknown";
  readonly why: string;
}
