/** Opens the store in PostgreSQL, or says why it is not one to work with. */
import type { Fold, Journal } from "../../../ports/journal.ts";
import { bind, copiesIn, readBound } from "./bind.ts";
import type { Bound, Clone } from "./bind.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./database.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { createJournal } from "./journal.ts";
import { newer, older } from "./migrate.ts";
import { MIGRATIONS } from "./migrations.ts";
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
      journal: createJournal(database, { fold, bell, copies }),
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
  readonly database: Database;
}

/** The store if it is fit. While the server is gone, the one this clone has worked with, checked when it is back. */
async function checked(raw: Database, clone: Clone): Promise<Fit> {
  const fit = async (): Promise<Bound> => {
    const store = await check(raw);
    await bind(clone, store);
    return store;
  };
  try {
    return { store: await fit(), database: raw };
  } catch (error) {
    const known = readBound(clone.dir);
    if (!(error instanceof StoreProblem && error.gone) || known === undefined) throw error;
    let isFit = false;
    const query: Database["query"] = async (sql, values) => {
      if (!isFit) await fit();
      isFit = true;
      return await raw.query(sql, values);
    };
    return { store: known, database: { ...raw, query } };
  }
}

/** What the store says of itself, if this program knows its tables. */
async function check(database: Database): Promise<Bound> {
  const [row] = await database.query(
    "SELECT (SELECT max(number) FROM @.migrations) AS version, id::text, project FROM @.store",
  );
  const version = Number(row?.["version"] ?? 0);
  if (version > MIGRATIONS.length) throw newer(version, MIGRATIONS.length);
  if (version < MIGRATIONS.length) throw older(version, MIGRATIONS.length);
  return { id: String(row?.["id"]), project: String(row?.["project"]) };
}
