/**
 * After a second of waiting, shows what for and for how long. Only on a terminal, and without escape sequences.
 */
import type { Parts } from "../../../engine/parts.ts";
import { columnsOf, cutTo } from "./fit.ts";
import { safe } from "./style.ts";

const AFTER_MS = 1000;
/** The part of a command that is shown. */
const WHAT_COLUMNS_MAX = 60;

export interface Ticker {
  /** Removes the line, so that other output can be printed. It comes back with the next second. */
  readonly clear: () => void;
  /** Shows `what` while waiting for it: naming a check that runs says more than naming the verb. */
  readonly during: <T>(what: string, wait: Promise<T>) => Promise<T>;
  readonly stop: () => void;
}

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
  readonly write?: (text: string) => unknown;
}

/** Without `what`, it only shows what `during` names. */
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

/** Wraps the parts so that anything slow is shown: checks, and the repository's own hooks. */
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
