/** Opens one connection to the server, as libpq would. `pg` is only loaded here. */
import type { Client, Settings } from "pg";
import { StoreProblem } from "../../../ports/problem.ts";
import { isLost, wordsOf } from "./failure.ts";
import type { Env, Host, Target } from "./target.ts";
import { passwordFor } from "./target.ts";
import { sslOf } from "./tls.ts";

/** The longest wait for a lock, an answer or a connection. */
export const LIMITS = { lockMs: 5_000, statementMs: 30_000, answerMs: 40_000, connectMs: 5_000 };

type Ssl = Settings["ssl"];

/** The first host that works. If several are named, it must accept writes. */
export async function connect(target: Target, env: Env): Promise<Client> {
  let failure: unknown;
  for (const host of target.hosts) {
    try {
      const client = await connectTo(target, host, env);
      if (await isFit(target, client)) return client;
      await ended(client);
      failure = new StoreProblem({
        code: "store-read-only",
        message: `None of the servers ${target.where} takes writes`,
        fix: "Promote one of them, or name the primary.",
      });
    } catch (error) {
      if (!isLost(error)) throw error;
      failure ??= error;
    }
  }
  throw failure;
}

async function isFit({ hosts, option }: Target, client: Client): Promise<boolean> {
  const wanted = option("target_session_attrs") ?? (hosts.length > 1 ? "read-write" : "any");
  if (!["read-write", "primary"].includes(wanted)) return true;
  const { rows } = await client.query(
    "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS standby",
  );
  return rows[0]?.["standby"] === false;
}

async function connectTo(target: Target, host: Host, env: Env): Promise<Client> {
  const { option } = target;
  const mode = host.host.startsWith("/") ? "disable" : (option("sslmode") ?? "prefer");
  const optional = mode === "prefer" || mode === "allow";
  try {
    return await open(target, host, { env, ssl: sslOf(mode, target, host.host, env) });
  } catch (error) {
    if (!optional || !/does not support SSL/.test(wordsOf(error))) throw error;
    return await open(target, host, { env, ssl: false });
  }
}

async function open(
  target: Target,
  { host, port }: Host,
  { env, ssl }: { readonly env: Env; readonly ssl: Ssl },
): Promise<Client> {
  const { user, database, option } = target;
  const { Client: PgClient } = await loadPg();
  const seconds = Number(option("connect_timeout") ?? 0);
  const client = new PgClient({
    host,
    port,
    user,
    database,
    // A function, so that `pg` does not search for a password by itself.
    password: () => passwordFor(target, { host, port }, env) ?? "",
    ssl,
    options: option("options"),
    application_name: option("application_name") ?? "holdpoint",
    connectionTimeoutMillis: seconds > 0 ? seconds * 1_000 : LIMITS.connectMs,
    statement_timeout: LIMITS.statementMs,
    // An explicit value in `options` wins.
    ...(/lock_timeout/.test(option("options") ?? "") ? {} : { lock_timeout: LIMITS.lockMs }),
    query_timeout: LIMITS.answerMs,
    keepAlive: true,
  });
  // Without a listener, a lost connection would end the whole process. The next query will notice it.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return client;
  } catch (error) {
    await ended(client);
    throw error;
  }
}

/** If the other side breaks off during the handshake, `pg` would wait forever. */
export async function ended(client: Client): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, END_MS_MAX);
  });
  await Promise.race([client.end().catch(() => undefined), late]);
  clearTimeout(timer);
}

const END_MS_MAX = 1_000;

async function loadPg(): Promise<{ readonly Client: typeof Client }> {
  try {
    const loaded = await import("pg");
    // When bundled, it is loaded by `require` and has no default export.
    return Reflect.get(loaded, "default") === undefined ? loaded : loaded.default;
  } catch {
    throw new StoreProblem({
      code: "store-no-driver",
      message: "The store is in PostgreSQL, and the package `pg` is not installed",
      fix: "Install it beside Holdpoint: npm install pg",
    });
  }
}
