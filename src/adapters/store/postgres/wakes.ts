/**
 * LISTEN and NOTIFY, which only wake. A notification is sent behind the append, in a transaction of its own and a few
 * times a second at most: inside it would make all commits of the database wait for each other.
 */
import type { Client } from "pg";
import type { Wake, Wakes } from "../../../ports/wakes.ts";
import { createSign } from "../wakes.ts";
import { connect } from "./connect.ts";
import type { Database } from "./database.ts";
import type { Env } from "./target.ts";

/** Each one is a transaction that all other notifications wait for, and whoever watches looks by himself as often as this. */
const NOTIFY_MS_MIN = 500;

/**
 * While another's is under way, none is needed: it is heard after its end, and what was appended before is there by then.
 * Waiting for it, 64 writers would stand in a line that is longer than their appends.
 */
const NOTIFY = "SELECT pg_notify($1, '') WHERE pg_try_advisory_xact_lock(hashtextextended($1, 11))";

export interface Bell extends Wakes {
  /** Something was appended. Before anybody is woken, `first` is done. */
  readonly ring: (first: () => Promise<void>) => void;
  /** Until what was rung for is sent. */
  readonly rung: () => Promise<void>;
}

export function createBell(database: Database, env: Env): Bell {
  const channel = `holdpoint_${database.target.schema}`.slice(0, 63);
  let sending = Promise.resolve();
  let isDue = false;
  let last = 0;
  let before: (() => Promise<void>) | undefined;
  const send = async (): Promise<void> => {
    isDue = false;
    last = Date.now();
    // Whoever is not woken looks again by himself.
    await before?.().catch(() => undefined);
    await database.query(NOTIFY, [channel]).catch(() => undefined);
  };
  return {
    ring: (first) => {
      before = first;
      if (isDue) return;
      isDue = true;
      const wait = Math.max(0, last + NOTIFY_MS_MIN - Date.now());
      if (wait === 0) sending = send();
      else
        setTimeout(() => {
          if (isDue) sending = send();
        }, wait).unref();
    },
    rung: async () => {
      if (isDue) sending = send();
      await sending;
    },
    open: () => openWake(database, env, channel),
  };
}

function openWake(database: Database, env: Env, channel: string): Wake {
  const sign = createSign();
  let isClosed = false;
  let client: Client | undefined;
  const listen = async (): Promise<void> => {
    const made = await connect(database.target, env);
    if (isClosed) {
      await made.end();
      return;
    }
    client = made;
    client.on("notification", () => sign.give());
    await client.query(`LISTEN "${channel}"`);
    client.unref();
    // What came before it listened.
    sign.give();
  };
  // Without it only the time wakes.
  listen().catch(() => undefined);
  return {
    wait: sign.wait,
    close: () => {
      isClosed = true;
      client?.end().catch(() => undefined);
    },
  };
}
