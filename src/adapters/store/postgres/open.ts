/** Opens the store in PostgreSQL, or says why it cannot be used. */
import type { Fold, Journal } from "../../../ports/journal.ts";
import { bind, copiesIn, readBound } from "./bind.ts";
import type { Bound, Clone } from "./bind.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./database.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { createJournal } from "./journal.ts";
import { newer, older } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
import { assertHere } from "./stream.ts";
import { createBell } from "./wakes.ts";
import type { Bell } from "./wakes.ts";
import type { Env } from "./target.ts";
import { readTarget } from "./target.ts";

export interface PostgresOptions<S> {
  readonly url: string;
  readonly env: Env;
  readonly fold: Fold<S>;
  readonly clone: Clone;
  readonly connectionsMax?: number;
}

export type OpenedPostgres<S> =
  | {
      readonly kind: "open";
      readonly journal: Journal<S>;
      readonly database: Database;
      readonly bell: Bell;
    }
  | {
      readonly kind: "refused";
      readonly code: string;
      readonly message: string;
      readonly fix: string;
    };

export async function openPostgres<S>(options: PostgresOptions<S>): Promise<OpenedPostgres<S>> {
  const { url, env, fold, clone, connectionsMax } = options;
  let database: Database | undefined;
  try {
    const target = readTarget(url, env);
    database = openDatabase(target, {
      env,
      ...(connectionsMax === undefined ? {} : { connectionsMax }),
    });
    const projects =
      target.project === undefined ? clone.projects : async () => [target.project ?? ""];
    const fit = await checked(database, { ...clone, projects });
    database = fit.database;
    const copies = { dir: copiesIn(clone.dir, fit.store), readOnly: clone.readOnly };
    const bell = createBell(database, env);
    return {
      kind: "open",
      journal: createJournal(database, { fold, bell, copies, notices: fit.notices }),
      database,
      bell,
    };
  } catch (error) {
    await database?.close();
    if (!(error instanceof StoreProblem)) throw error;
    return { kind: "refused", ...error.problem };
  }
}

interface Fit {
  readonly store: Bound;
  readonly notices: readonly string[];
  readonly database: Database;
}

/**
 * Checks the store. While the server is unreachable, the store that this clone has used before is accepted and
 * checked later.
 */
async function checked(raw: Database, clone: Clone): Promise<Fit> {
  const fit = async (): Promise<Omit<Fit, "database">> => {
    const { store, skewMs } = await check(raw);
    await bind(clone, store);
    return { store, notices: Math.abs(skewMs) > SKEW_MS_MAX ? [skewed(skewMs)] : [] };
  };
  try {
    return { ...(await fit()), database: raw };
  } catch (error) {
    const known = readBound(clone.dir);
    if (!(error instanceof StoreProblem && error.gone) || known === undefined) throw error;
    let isFit = false;
    const query: Database["query"] = async (sql, values) => {
      if (!isFit) await fit();
      isFit = true;
      return await raw.query(sql, values);
    };
    return { store: known, notices: [], database: { ...raw, query } };
  }
}

/** The store's own description, if this program knows its tables. */
async function check(
  database: Database,
): Promise<{ readonly store: Bound; readonly skewMs: number }> {
  const [row] = await database.query(
    `SELECT (SELECT max(number) FROM @.migrations) AS version, id::text, project, moved_to,
      extract(epoch FROM clock_timestamp()) * 1000 AS ms FROM @.store`,
  );
  const skewMs = Date.now() - Number(row?.["ms"]);
  const version = Number(row?.["version"] ?? 0);
  if (version > MIGRATIONS.length) throw newer(version, MIGRATIONS.length);
  if (version < MIGRATIONS.length) throw older(version, MIGRATIONS.length);
  assertHere(row);
  return { store: { id: String(row?.["id"]), project: String(row?.["project"]) }, skewMs };
}

/** More than network delay explains, and enough to make the times in records misleading. */
const SKEW_MS_MAX = 60_000;

function skewed(ms: number): string {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  return `The clock of this machine is ${minutes} minutes ${ms > 0 ? "ahead of" : "behind"} the server's. Set it: its times stand in the records. Leases go by the server's, and nothing is lost`;
}
