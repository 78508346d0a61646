/** Whoever waits longer than a second sees what for, and how long already. Only on a terminal, and without escapes. */

const AFTER_MS = 1000;

export interface Ticker {
  /** Take the line away, so that something else can stand there; it comes back with the next second. */
  readonly clear: () => void;
  readonly stop: () => void;
}

interface Screen {
  readonly isTTY?: boolean;
  readonly write?: (text: string) => unknown;
}

export function startTicker(stream: Screen, what: string): Ticker {
  const { write } = stream;
  if (stream.isTTY !== true || write === undefined)
    return { clear: () => undefined, stop: () => undefined };
  const began = Date.now();
  let shown = "";
  const clear = (): void => {
    if (shown !== "") write.call(stream, `\r${" ".repeat(shown.length)}\r`);
    shown = "";
  };
  const timer = setInterval(() => {
    clear();
    shown = `${what}: ${Math.round((Date.now() - began) / AFTER_MS)} s`;
    write.call(stream, shown);
  }, AFTER_MS);
  timer.unref();
  return {
    clear,
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}
