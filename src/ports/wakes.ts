/**
 * Signals that a journal may have changed. They carry no content: the receiver reads the journal itself, and
 * without a signal reads it again after a while.
 */
export interface Wakes {
  readonly open: () => Wake;
}

export interface Wake {
  /**
   * Waits until there is a signal, the time is up, or `signal` aborts. A signal since the last wait counts at
   * once.
   */
  readonly wait: (msMax: number, signal: AbortSignal) => Promise<void>;
  readonly close: () => void;
}
