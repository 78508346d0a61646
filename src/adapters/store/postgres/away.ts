/** Reading while the server is unreachable: from this clone's copies, and always with a notice. */
import { compareTexts } from "../../../core/values/json.ts";
import type { StreamSummary } from "../../../ports/journal.ts";
import type { Problem } from "../../../ports/problem.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import type { Cache } from "./stream.ts";
import { readCopies } from "./stream.ts";

export interface Away<S> {
  /**
   * The server's answer, or this clone's copy while the server is unreachable. Without a copy, the error remains.
   */
  readonly or: <T>(ask: () => Promise<T>, copied: () => T | undefined) => Promise<T>;
  /** The list as far as this clone knows it: its copies, and the last answer in this process. */
  readonly list: (told: readonly StreamSummary[]) => readonly StreamSummary[];
  readonly notices: () => readonly string[];
  readonly why: () => Problem | undefined;
  readonly cache: Cache<S>;
}

export function createAway<S>(cache: Cache<S>): Away<S> {
  let why: StoreProblem | undefined;
  return {
    cache,
    or: async (ask, copied) => {
      try {
        const answer = await ask();
        why = undefined;
        return answer;
      } catch (error) {
        const copy = error instanceof StoreProblem && error.gone ? copied() : undefined;
        if (copy === undefined) throw error;
        why = error instanceof StoreProblem ? error : undefined;
        return copy;
      }
    },
    list: (told) => {
      const seen = new Map(told.map((one) => [one.stream, one]));
      for (const { name: stream, head, at, state } of readCopies(cache))
        if (head.seq > (seen.get(stream)?.seq ?? 0))
          seen.set(stream, { stream, seq: head.seq, at, summary: cache.fold.summary(state) });
      return [...seen.values()].toSorted((one, other) => compareTexts(one.stream, other.stream));
    },
    why: () => why?.problem,
    notices: () => (why === undefined ? [] : [notice(cache, why)]),
  };
}

function notice<S>(cache: Cache<S>, { problem }: StoreProblem): string {
  const latest = readCopies(cache).reduce((at, copy) => (copy.at > at ? copy.at : at), "");
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(latest)) / 60_000));
  const seen = latest === "" ? "" : `; its last record is from ${latest}, ${minutes} minutes ago`;
  return `${problem.message}. This is what this clone has seen before${seen}. Others may have gone on since. ${problem.fix}`;
}
