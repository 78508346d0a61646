/**
 * A line in front of a stream that many write: whoever has lost once stands in it before he decides again, so that 64
 * writers do not lose against each other 63 times each. It is a courtesy, held for a moment at most: what counts is the
 * head that the append expects.
 */
import { StoreProblem } from "../../../ports/problem.ts";
import type { Database, Held } from "./database.ts";
import { nameOf } from "./lines.ts";

/** How long a place at the front is kept for somebody who does not come back. */
const TURN_MS_MAX = 300;
/** For so long after somebody lost, the others stand in line before they try. */
const CROWD_MS = 1_000;
const CROWDS_MAX = 1_000;

export interface Queue {
  /** Whom to ask about this stream: at the front, the connection that holds the place. */
  readonly via: (stream: string) => Pick<Database, "query">;
  /** Until it is this process's turn; soon, or not at all. */
  readonly wait: (stream: string) => Promise<void>;
  readonly leave: (stream: string) => void;
  readonly isAtFront: (stream: string) => boolean;
  /** Whether somebody of this process lost here a moment ago. */
  readonly isCrowded: (stream: string) => boolean;
}

export function createQueue(database: Database): Queue {
  // One at a time: the others of this process need connections as well.
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
  /** A place that is lost with its connection is no reason to fail: it is asked again like anything else. */
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
        // Without a place in the line it is tried as it is.
      } finally {
        isWaiting = false;
      }
    },
    leave,
  };
}
