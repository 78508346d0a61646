/**
 * A waiting line for streams with many writers: a writer that lost a race waits here before it decides again, so
 * that 64 writers do not lose against each other 63 times each. It only improves fairness and lasts a moment;
 * what counts is the head that an append expects.
 */
import { StoreProblem } from "../../../ports/problem.ts";
import type { Database, Held } from "./database.ts";
import { nameOf } from "./lines.ts";

/** How long the front place is kept for a caller that does not come back. */
const TURN_MS_MAX = 300;
/** How long after a lost race other callers wait in line first. */
const CROWD_MS = 1_000;
const CROWDS_MAX = 1_000;

export interface Queue {
  /** The connection to use for this stream: at the front of the line, the one that holds the place. */
  readonly via: (stream: string) => Pick<Database, "query">;
  /** Resolves when it is this process's turn, or if waiting is not possible. */
  readonly wait: (stream: string) => Promise<void>;
  readonly leave: (stream: string) => void;
  readonly isAtFront: (stream: string) => boolean;
  /** Whether somebody in this process lost a race here recently. */
  readonly isCrowded: (stream: string) => boolean;
}

export function createQueue(database: Database): Queue {
  // One at a time, because other work of this process needs connections too.
  let front:
    | { readonly stream: string; readonly held: Held; readonly timer: NodeJS.Timeout }
    | undefined;
  let isWaiting = false;
  const crowds = new Map<string, number>();
  const leave = (stream: string): void => {
    if (front?.stream !== stream) return;
    const { held, timer } = front;
    front = undefined;
    clearTimeout(timer);
    held.query("SELECT pg_advisory_unlock_all()").then(held.release, held.release);
  };
  /** If the connection that holds the place is lost, the query runs on another one. */
  const orAnother =
    (held: Held, give: () => void): Database["query"] =>
    async (sql, values) => {
      try {
        return await held.query(sql, values);
      } catch (error) {
        if (!(error instanceof StoreProblem && error.gone)) throw error;
        give();
        return await database.query(sql, values);
      }
    };
  return {
    via: (stream) => {
      const held = front?.stream === stream ? front.held : undefined;
      return held === undefined ? database : { query: orAnother(held, () => leave(stream)) };
    },
    isAtFront: (stream) => front?.stream === stream,
    isCrowded: (stream) => Date.now() < (crowds.get(stream) ?? 0),
    wait: async (stream) => {
      if (crowds.size >= CROWDS_MAX) crowds.clear();
      crowds.set(stream, Date.now() + CROWD_MS);
      if (front !== undefined || isWaiting) return;
      isWaiting = true;
      try {
        const held = await database.hold();
        try {
          const line = `${database.target.schema} ${nameOf(stream).key}`;
          await held.query("SELECT pg_advisory_lock(hashtextextended($1, 0))", [line]);
          const timer = setTimeout(() => leave(stream), TURN_MS_MAX);
          timer.unref();
          front = { stream, held, timer };
        } catch {
          held.release();
        }
      } catch {
        // Waiting failed, so the append is tried without it.
      } finally {
        isWaiting = false;
      }
    },
    leave,
  };
}
