/** Brings the schema up to date step by step, as its owner. Safe to repeat and to run twice at once. */
import type { Client } from "pg";
import type { Database } from "./database.ts";
import { StoreProblem } from "../../../ports/problem.ts";
import { GRANTS, GRANTS_FOR, MIGRATIONS } from "./migrations.ts";
import type { Migration } from "./migrations.ts";

export interface Migrated {
  /** The steps taken now. */
  readonly applied: readonly string[];
  readonly version: number;
}

export interface MigrateOptions {
  readonly project: string;
  /** The role that people and agents use; undefined if everybody is the owner. */
  readonly role?: string;
  readonly migrations?: readonly Migration[];
}

const ROLE = /^[A-Za-z_][A-Za-z0-9_$-]{0,62}$/;

export async function migrate(database: Database, options: MigrateOptions): Promise<Migrated> {
  const { role } = options;
  if (role !== undefined && !ROLE.test(role))
    throw new StoreProblem({
      code: "store-role",
      message: `"${role}" is no name of a role`,
      fix: "Name a role that exists: letters, digits and _.",
    });
  return await database.alone(async (client) => {
    await client.query("BEGIN");
    try {
      const migrated = await migrateIn(client, database.target.schema, options);
      await client.query("COMMIT");
      return migrated;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => undefined);
      throw error;
    }
  });
}

async function migrateIn(
  client: Client,
  schema: string,
  { project, role, migrations = MIGRATIONS }: MigrateOptions,
): Promise<Migrated> {
  const run = async (sql: string, to = ""): Promise<void> => {
    await client.query(sql.replaceAll("@", `"${schema}"`).replaceAll("$ROLE", `"${to}"`));
  };
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 7))", [schema]);
  const { rows: encodings } = await client.query(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  const encoding = String(encodings[0]?.["encoding"]);
  if (encoding !== "UTF8")
    throw new StoreProblem({
      code: "store-encoding",
      message: `The database has the encoding ${encoding}, which cannot hold every text`,
      fix: "Create the database with ENCODING 'UTF8' TEMPLATE template0.",
    });
  await run(
    "CREATE SCHEMA IF NOT EXISTS @; CREATE TABLE IF NOT EXISTS @.migrations (number int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  const { rows } = await client.query(`SELECT max(number) AS version FROM "${schema}".migrations`);
  const found = Number(rows[0]?.["version"] ?? 0);
  if (found > migrations.length) throw newer(found, migrations.length);
  const missing = migrations.slice(found);
  for (const [at, { name, sql }] of missing.entries()) {
    await run(sql);
    await client.query(`INSERT INTO "${schema}".migrations (number, name) VALUES ($1, $2)`, [
      found + at + 1,
      name,
    ]);
  }
  await client.query(
    `INSERT INTO "${schema}".store (project) VALUES ($1) ON CONFLICT (one) DO NOTHING`,
    [project],
  );
  await run(GRANTS);
  const { rows: before } = await client.query(ROLES, [schema]);
  const roles = new Set([
    ...before.map((row) => String(row["role"])),
    ...(role === undefined ? [] : [role]),
  ]);
  for (const one of roles) await run(GRANTS_FOR, one.replaceAll('"', '""'));
  return { applied: missing.map(({ name }) => name), version: migrations.length };
}

/** Roles that had rights before keep them when a step creates new functions. */
const ROLES = `SELECT r.rolname AS role FROM pg_namespace n, aclexplode(n.nspacl) a JOIN pg_roles r ON r.oid = a.grantee
  WHERE n.nspname = $1 AND a.privilege_type = 'USAGE' AND a.grantee <> n.nspowner`;

export function newer(found: number, known: number): StoreProblem {
  return new StoreProblem({
    code: "store-newer",
    message: `The store has version ${found} of its tables; this Holdpoint knows up to ${known}`,
    fix: "Update Holdpoint here: somebody with a newer one has set the store up.",
  });
}

export function older(found: number, known: number): StoreProblem {
  return new StoreProblem({
    code: "store-older",
    message: `The store has version ${found} of its tables; this Holdpoint needs ${known}`,
    fix: "Bring it up to date as the owner of the database: holdpoint store setup --url postgresql://OWNER@HOST/DATABASE",
  });
}
