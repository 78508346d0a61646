/**
 * The server as the store uses it: a few connections, each for one query at a time. After a lost connection the
 * query is repeated a few times, so every query must be safe to repeat.
 */
import { connect, ended } from "./connect.ts";
import type { Client } from "pg";
import { isLost, isWorthAnotherTry, storeError } from "./failure.ts";
import type { StoreProblem } from "../../../ports/problem.ts";
import type { Env, Target } from "./target.ts";

export type Row = Readonly<Record<string, unknown>>;

export interface Database {
  readonly target: Target;
  /** `@.` stands for the schema. Throws a `StoreProblem`. */
  readonly query: (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;
  /** Runs `work` on a connection of its own. If it throws, the connection is closed. */
  readonly alone: <T>(work: (client: Client) => Promise<T>) => Promise<T>;
  /** A connection until it is released. Its queries are not repeated if it is lost. */
  readonly hold: () => Promise<Held>;
  readonly close: () => Promise<void>;
}

export interface Held extends Pick<Database, "query"> {
  readonly release: () => void;
}

export interface DatabaseOptions {
  readonly env: Env;
  readonly connectionsMax?: number;
}

const PAUSES_MS = [50, 200, 500, 1_200];
/** How long a lost connection is retried. */
const PATIENCE_MS = 6_000;
/** How long a server that was unreachable is not asked again. */
const GONE_MS = 3_000;

export function openDatabase(target: Target, options: DatabaseOptions): Database {
  const { env, connectionsMax = 4 } = options;
  const pool = createPool(() => connect(target, env), connectionsMax);
  const schema = `"${target.schema}".`;
  const texts = new Map<string, { readonly name: string; readonly text: string }>();
  let gone: { readonly until: number; readonly error: StoreProblem } | undefined;

  const statement = (sql: string): { readonly name: string; readonly text: string } => {
    const known = texts.get(sql);
    if (known !== undefined) return known;
    const made = { name: `hp${texts.size}`, text: sql.replaceAll("@.", schema) };
    texts.set(sql, made);
    return made;
  };
  const query: Database["query"] = async (sql, values = []) => {
    if (gone !== undefined && Date.now() < gone.until) throw gone.error;
    const { name, text } = statement(sql);
    const begun = Date.now();
    for (let round = 0; ; round += 1) {
      try {
        const { rows } = await pool.use((client) => client.query({ name, text, values }));
        gone = undefined;
        return rows;
      } catch (error) {
        const pause = PAUSES_MS[round];
        const tired = pause === undefined || Date.now() - begun > PATIENCE_MS;
        if (!isWorthAnotherTry(error) || tired) {
          const said = storeError(error, target.where);
          if (said.gone) gone = { until: Date.now() + GONE_MS, error: said };
          throw said;
        }
        await new Promise((resolve) => {
          setTimeout(resolve, pause * (0.5 + Math.random()));
        });
      }
    }
  };
  const alone: Database["alone"] = async (work) => {
    try {
      return await pool.use(work);
    } catch (error) {
      throw storeError(error, target.where);
    }
  };
  const hold: Database["hold"] = async () =>
    await new Promise((resolve, reject) => {
      const held = async (client: Client): Promise<void> =>
        await new Promise<void>((release) => {
          const ask: Database["query"] = async (sql, values = []) => {
            try {
              return (await client.query({ ...statement(sql), values })).rows;
            } catch (error) {
              throw storeError(error, target.where);
            }
          };
          resolve({ query: ask, release });
        });
      pool.use(held).catch(reject);
    });
  return { target, query, alone, hold, close: pool.close };
}

interface Pool {
  readonly use: <T>(work: (client: Client) => Promise<T>) => Promise<T>;
  readonly close: () => Promise<void>;
}

function createPool(make: () => Promise<Client>, max: number): Pool {
  const idle: Client[] = [];
  const waiting: (() => void)[] = [];
  let open = 0;

  const take = (): Client | undefined => {
    const client = idle.pop();
    client?.ref();
    return client;
  };
  const acquire = async (): Promise<Client> => {
    for (;;) {
      const client = take();
      if (client !== undefined) return client;
      if (open < max) break;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    }
    open += 1;
    try {
      const made = await make();
      made.once("end", () => {
        const at = idle.indexOf(made);
        if (at >= 0) idle.splice(at, 1);
        if (at >= 0) open -= 1;
      });
      return made;
    } catch (error) {
      open -= 1;
      waiting.shift()?.();
      throw error;
    }
  };
  const drop = async (client: Client): Promise<void> => {
    open -= 1;
    waiting.shift()?.();
    await ended(client);
  };
  return {
    use: async (work) => {
      const client = take() ?? (await acquire());
      try {
        const done = await work(client);
        // An idle connection must not keep the process from ending.
        client.unref();
        idle.push(client);
        waiting.shift()?.();
        return done;
      } catch (error) {
        if (isBroken(error)) await drop(client);
        else {
          client.unref();
          idle.push(client);
          waiting.shift()?.();
        }
        throw error;
      }
    },
    close: async () => {
      const all = idle.splice(0);
      open -= all.length;
      await Promise.all(
        all.map(async (client) => {
          // Otherwise the process could end before the connection is closed, and the caller would wait in vain.
          client.ref();
          await ended(client);
        }),
      );
    },
  };
}

/** After these errors, the state of the connection is unknown. */
function isBroken(error: unknown): boolean {
  return isLost(error) || !(error instanceof Error && "severity" in error);
}
