/**
 * Signs that a journal may have changed. They only wake: whoever is woken looks for himself, and whoever is not
 * looks again after a while.
 */
export interface Wakes {
  readonly open: () => Wake;
}

export interface Wake {
  /** Until there is a sign, the time is over or the signal aborts. A sign since the last wait counts at once. */
  readonly wait: (msMax: number, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}
