/**
 * LISTEN and NOTIFY, used only to wake readers. A notification is sent after the append, in a transaction of its
 * own and at most a few times a second. Inside the append's transaction it would make all commits of the database
 * wait for each other.
 */
import type { Client } from "pg";
import type { Wake, Wakes } from "../../../ports/wakes.ts";
import { createSign } from "../wakes.ts";
import { connect } from "./connect.ts";
import type { Database } from "./database.ts";
import type { Env } from "./target.ts";

/**
 * Each notification is a transaction that all others wait for, and readers look by themselves this often anyway.
 */
const NOTIFY_MS_MIN = 500;

/**
 * While another process is sending one, none is needed: readers hear that one after its end, and then see this
 * append too. Waiting for it would make 64 writers queue for longer than their appends take.
 */
const NOTIFY = "SELECT pg_notify($1, '') WHERE pg_try_advisory_xact_lock(hashtextextended($1, 11))";

export interface Bell extends Wakes {
  /** Something was appended. `first` runs before anybody is woken. */
  readonly ring: (first: () => Promise<void>) => void;
  /** Resolves when everything rung for is sent. */
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
    // Readers that are not woken look by themselves after a while.
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
  let again: NodeJS.Timeout | undefined;
  const listen = async (): Promise<void> => {
    const made = await connect(database.target, env);
    if (isClosed) {
      await made.end();
      return;
    }
    client = made;
    client.once("end", later);
    client.on("notification", () => sign.give());
    await client.query(`LISTEN "${channel}"`);
    client.unref();
    // Announces what came before it was listening.
    sign.give();
  };
  // Without listening, readers only wake by time. After a lost connection, listening is tried again.
  const later = (): void => {
    if (isClosed) return;
    again = setTimeout(() => void listen().catch(later), LISTEN_MS);
    again.unref();
  };
  listen().catch(later);
  return {
    wait: sign.wait,
    close: () => {
      isClosed = true;
      clearTimeout(again);
      client?.end().catch(() => undefined);
    },
  };
}

/** How long to wait before trying to listen again. */
const LISTEN_MS = 2_000;
