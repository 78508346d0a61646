/** Whoever waits longer than a second sees what for, and how long already. Only on a terminal, and without escapes. */
import type { Parts } from "../../../engine/parts.ts";
import { columnsOf, cutTo } from "./fit.ts";
import { safe } from "./style.ts";

const AFTER_MS = 1000;
/** As much of a command as says which it is. */
const WHAT_COLUMNS_MAX = 60;

export interface Ticker {
  /** Take the line away, so that something else can stand there; it comes back with the next second. */
  readonly clear: () => void;
  /** What takes so long, while it does: a check that runs says more than the verb that runs it. */
  readonly during: <T>(what: string, wait: Promise<T>) => Promise<T>;
  readonly stop: () => void;
}

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly write?: (text: string) => unknown;
}

/** With no `what` it is silent but for what is named on the way. */
export function startTicker(stream: Screen, what?: string): Ticker {
  const { write } = stream;
  if (stream.isTTY !== true || write === undefined)
    return { clear: () => undefined, during: async (_, wait) => await wait, stop: () => undefined };
  const doing = what === undefined ? [] : [{ what, began: Date.now() }];
  let shown = "";
  const clear = (): void => {
    if (shown !== "") write.call(stream, `\r${" ".repeat(columnsOf(shown))}\r`);
    shown = "";
  };
  const draw = (): void => {
    clear();
    const now = doing.at(-1);
    const seconds = Math.round((Date.now() - (now?.began ?? Date.now())) / AFTER_MS);
    if (now === undefined || seconds < 1) return;
    shown = cutTo(`${lineOf(now.what)}, ${seconds} s`, (stream.columns ?? 80) - 1);
    write.call(stream, shown);
  };
  const timer = setInterval(draw, AFTER_MS);
  timer.unref();
  return {
    clear,
    during: async (one, wait) => {
      const task = { what: one, began: Date.now() };
      doing.push(task);
      return await wait.finally(() => {
        doing.splice(doing.indexOf(task), 1);
        clear();
      });
    },
    stop: () => {
      clearInterval(timer);
      clear();
    },
  };
}

function lineOf(what: string): string {
  return cutTo(safe(what.replaceAll(/\s+/g, " ")), WHAT_COLUMNS_MAX);
}

/** The parts with whatever may take long told to the ticker: checks, and the repository's own hooks. */
export function tickingParts(parts: Parts, { during }: Ticker): Parts {
  const { runner, git } = parts;
  return {
    ...parts,
    runner: {
      run: async (command, options) =>
        await during(command.join(" "), runner.run(command, options)),
    },
    git: { ...git, prepare: async (plan) => await during("git commit", git.prepare(plan)) },
  };
}
