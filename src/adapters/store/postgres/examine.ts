/** Examines a server: whether the store's promises can be kept on it. */
import { movedAway } from "../embedded/moved.ts";
import type { Database, Row } from "./database.ts";
import { MIGRATIONS } from "./migrations.ts";
import { examineRights } from "./powers.ts";
import type { Finding } from "./finding.ts";

const SKEW_MS_MAX = 2_000;

/** `projects` are the names that this repository may have in a store. */
export async function examine(
  database: Database,
  now: () => number,
  projects: readonly string[],
): Promise<readonly Finding[]> {
  const begun = now();
  const [server = {}] = await database.query(SERVER);
  const ms = now() - begun;
  const skew = Math.round(Number(server["ms"]) - (begun + ms / 2));
  const [store = {}] = await database.query(STORE);
  return [
    good(
      "server",
      `PostgreSQL ${told(server, "version")} at ${database.target.where}, as ${told(server, "who")}, in ${ms} ms`,
    ),
    ...tls(server),
    ...durable(server),
    server["standby"] === true
      ? bad("writes", "It is a standby or set to read-only", "Name the primary, or promote it.")
      : good("writes", "It takes writes"),
    versionOf(store),
    projectOf(store, projects),
    ...(store["moved_to"] === null ? [] : [away(told(store, "moved_to"))]),
    await examineRights(database),
    Math.abs(skew) <= SKEW_MS_MAX
      ? good("clock", `${skew} ms apart from the server's, which alone counts for leases`)
      : odd(
          "clock",
          `${skew} ms apart from the server's`,
          "Set this machine's clock: its times stand in the records. Leases go by the server's.",
        ),
    ...(await waiting(database)),
    ...(await contents(database)),
  ];
}

const SERVER = `SELECT current_setting('server_version') AS version, current_user AS who,
  extract(epoch FROM clock_timestamp()) * 1000 AS ms, current_setting('transaction_read_only')::boolean AS standby,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
  current_setting('synchronous_commit') AS sync,
  (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS ssl, inet_server_addr()::text AS address`;

const STORE = `SELECT id::text, project, moved_to, (SELECT max(number) FROM @.migrations) AS number FROM @.store`;

function tls({ ssl, address }: Row): readonly Finding[] {
  const isHere = typeof address !== "string" || /^(?:127\.|::1)/.test(address);
  if (ssl === true) return [good("TLS", "The connection is encrypted")];
  return isHere
    ? []
    : [
        odd(
          "TLS",
          "The connection is not encrypted",
          "Use sslmode=verify-full with the server's root certificate.",
        ),
      ];
}

function durable({ fsync, pages, sync }: Row): readonly Finding[] {
  const fix = "Set fsync and full_page_writes to on in the server's configuration.";
  const disk =
    fsync === "on" && pages === "on"
      ? good("durable", "What is acknowledged is on the disk")
      : bad(
          "durable",
          `fsync is ${String(fsync)}, full_page_writes ${String(pages)}: a power cut loses records`,
          fix,
        );
  return [
    disk,
    ...(sync === "off"
      ? [
          odd(
            "synchronous_commit",
            "It is off; Holdpoint sets it to on for itself",
            "Set it to on, for whoever else uses the server.",
          ),
        ]
      : []),
  ];
}

function versionOf({ number }: Row): Finding {
  const found = Number(number ?? 0);
  const known = MIGRATIONS.length;
  if (found === known) return good("tables", `version ${found}`);
  return found < known
    ? bad(
        "tables",
        `version ${found}, and ${known} is needed`,
        "As the owner: holdpoint store setup --url postgresql://OWNER@HOST/DATABASE",
      )
    : bad(
        "tables",
        `version ${found}, and this Holdpoint knows up to ${known}`,
        "Update Holdpoint here.",
      );
}

function projectOf(store: Row, projects: readonly string[]): Finding {
  const said = `${told(store, "project")}, store ${told(store, "id")}`;
  return projects.length === 0 || projects.includes(told(store, "project"))
    ? good("project", said)
    : bad(
        "project",
        `${said}; this repository is ${projects.join(", ")}`,
        "Name the store of this project, or a schema of its own behind the address: ?schema=NAME",
      );
}

/** Open transactions that make everybody else wait. */
async function waiting(database: Database): Promise<readonly Finding[]> {
  const [row = {}] = await database.query(
    `SELECT count(*) AS count, max(extract(epoch FROM now() - xact_start)) AS seconds FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start < now() - interval '1 minute'`,
  );
  const count = Number(row["count"]);
  if (count === 0) return [];
  return [
    odd(
      "transactions",
      `${count} open for up to ${Math.round(Number(row["seconds"]))} seconds`,
      "See pg_stat_activity for whose they are; an append waits 5 seconds for one, and is then refused.",
    ),
  ];
}

async function contents(database: Database): Promise<readonly Finding[]> {
  const [row = {}] = await database.query(
    `SELECT (SELECT count(*) FROM @.streams) AS streams, (SELECT count(*) FROM @.events e WHERE e.seq > 0) AS records,
     (SELECT count(*) FROM @.events e WHERE NOT EXISTS (SELECT FROM @.streams s WHERE s.id = e.stream)) AS lost,
     (SELECT count(*) FROM @.streams s WHERE s.seq > 0
       AND NOT EXISTS (SELECT FROM @.events e WHERE e.stream = s.id AND e.seq = s.seq)) AS short,
     (SELECT pg_size_pretty(sum(pg_total_relation_size(c.oid))) FROM pg_class c WHERE c.relkind = 'r'
       AND c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1)) AS size`,
    [database.target.schema],
  );
  const said = `journals: ${told(row, "streams")}, records: ${told(row, "records")}, ${told(row, "size")}`;
  const fix = "Somebody has changed the tables: see holdpoint verify --all, and the backup.";
  const amiss = [
    { count: Number(row["lost"]), what: "events belong to no journal" },
    { count: Number(row["short"]), what: "journals have lost their last records" },
  ];
  return [
    good("contents", said),
    ...amiss.flatMap(({ count, what }) =>
      count === 0 ? [] : [bad("events", `${count} ${what}`, fix)],
    ),
  ];
}

function away(where: string): Finding {
  const { message, fix } = movedAway(where).problem;
  return bad("moved", message, fix);
}

function told(row: Row, name: string): string {
  const value = row[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : "0";
}

function good(check: string, said: string): Finding {
  return { check, state: "proven", said };
}

function bad(check: string, said: string, fix: string): Finding {
  return { check, state: "failed", said, fix };
}

function odd(check: string, said: string, fix: string): Finding {
  return { check, state: "unknown", said, fix };
}
