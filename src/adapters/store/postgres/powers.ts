/**
 * What the connecting role could do to records beyond what agents may. The owner of the tables, and any role that
 * can become the owner, needs no explicit rights, so every way is checked and not only granted rights.
 */
import type { Database } from "./database.ts";
import type { Finding } from "./finding.ts";

export async function examineRights(database: Database): Promise<Finding> {
  const { schema } = database.target;
  const rows = await database.query(POWERS, [schema]);
  const powers = rows.map((row) => String(row["power"]));
  if (powers.length === 0)
    return {
      check: "rights",
      state: "proven",
      said: "This user cannot change or remove an event",
    };
  return {
    check: "rights",
    state: "unknown",
    said: `This user could rewrite events: it ${powers.join(", ")}`,
    fix:
      "Make a role that can do nothing else (createuser --pwprompt agents), give it its rights (holdpoint store setup " +
      "--role agents --url postgresql://OWNER@HOST/DATABASE), name it as the user in the address of the store, and keep the " +
      "password of this one where agents cannot read it.",
  };
}

/** `MEMBER` includes roles that one could switch to with SET ROLE, inherited or not. */
const POWERS = `
  WITH place AS (SELECT oid, nspowner AS owner FROM pg_namespace WHERE nspname = $1),
  things AS (
    SELECT c.oid, c.relowner AS owner, c.relname AS name FROM pg_class c JOIN place n ON c.relnamespace = n.oid WHERE c.relkind IN ('r', 'p', 'v')
  ),
  owners AS (
    SELECT owner FROM place UNION SELECT owner FROM things
    UNION SELECT p.proowner FROM pg_proc p JOIN place n ON p.pronamespace = n.oid
  )
  SELECT 'is a superuser, or may become one' AS power
    WHERE EXISTS (SELECT FROM pg_roles r WHERE r.rolsuper AND pg_has_role(r.oid, 'MEMBER'))
  UNION ALL SELECT 'owns the tables, or may become who does'
    WHERE EXISTS (SELECT FROM owners o WHERE pg_has_role(o.owner, 'MEMBER'))
  UNION ALL SELECT 'owns the database, or may become who does'
    WHERE EXISTS (SELECT FROM pg_database d WHERE d.datname = current_database() AND pg_has_role(d.datdba, 'MEMBER'))
  UNION ALL SELECT 'may make itself a member of other roles (CREATEROLE)'
    WHERE EXISTS (SELECT FROM pg_roles r WHERE r.rolcreaterole AND pg_has_role(r.oid, 'MEMBER'))
  UNION ALL SELECT 'may reach the files of the server (' || r.rolname || ')' FROM pg_roles r
    WHERE r.rolname IN ('pg_write_server_files', 'pg_execute_server_program') AND pg_has_role(r.oid, 'MEMBER')
  UNION ALL SELECT 'may make things in the schema (CREATE)'
    WHERE EXISTS (SELECT FROM place n WHERE has_schema_privilege(n.oid, 'CREATE'))
  UNION ALL SELECT 'may write past the functions (' || string_agg(t.name, ', ' ORDER BY t.name) || ')' FROM things t
    WHERE has_table_privilege(t.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(t.oid, 'UPDATE')
      OR (t.name <> 'appends' AND has_any_column_privilege(t.oid, 'INSERT'))
    HAVING count(*) > 0`;
