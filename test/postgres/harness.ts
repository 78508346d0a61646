/** Stores in the server that `npm run test:postgres` has started: each test has a schema of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import type { Database } from "../../src/adapters/store/postgres/database.ts";
import { migrate } from "../../src/adapters/store/postgres/migrate.ts";
import { openPostgres } from "../../src/adapters/store/postgres/open.ts";
import type { PostgresOptions } from "../../src/adapters/store/postgres/open.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import type { Journal } from "../../src/ports/journal.ts";
import { LINE, membersOf, nameOf } from "../../src/adapters/store/postgres/lines.ts";
import type { Members } from "../../src/adapters/store/postgres/lines.ts";
import type { DamageHarness } from "../conformance/damage.ts";
import type { Tally } from "../conformance/journal.ts";
import { tallyFold } from "../conformance/journal.ts";
import { AGENT } from "../e2e/store.ts";

export { AGENT } from "../e2e/store.ts";

export interface Room {
  /** As the administrator, and as an agent. */
  readonly admin: string;
  readonly agent: string;
  readonly schema: string;
  /** A folder of one clone. */
  readonly dir: string;
  readonly database: Database;
  readonly remove: () => Promise<void>;
}

let made = 0;

export function serverUrl(): string {
  const url = process.env["HOLDPOINT_TEST_POSTGRES"];
  if (url === undefined) throw new Error("there is no server: npm run test:postgres");
  return url;
}

/** A store that is set up and empty. */
export async function makeRoom(base: string = serverUrl(), project = "test"): Promise<Room> {
  made += 1;
  const schema = `hp_${process.pid}_${made}`;
  const admin = `${base}?schema=${schema}&project=${project}`;
  const agent = admin.replace(/\/\/[^@]*@/, `//${AGENT.name}:${AGENT.password}@`);
  const database = openDatabase(readTarget(admin, {}), { env: {} });
  await makeAgent(database);
  await migrate(database, { project, role: AGENT.name });
  const dir = mkdtempSync(join(tmpdir(), "holdpoint-clone-"));
  const remove = async (): Promise<void> => {
    await database.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await database.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { admin, agent, schema, dir, database, remove };
}

/** What people and agents work with: it may look, and call the functions. */
async function makeAgent(database: Database): Promise<void> {
  await database.query(
    `DO $$ BEGIN CREATE ROLE ${AGENT.name} LOGIN PASSWORD '${AGENT.password}';
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  );
}

/** A store in a database of its own. */
export async function setUp(
  base: string,
  { project, database: name }: { readonly project: string; readonly database: string },
): Promise<void> {
  const server = openDatabase(readTarget(base, {}), { env: {} });
  await server.query(`CREATE DATABASE ${name}`);
  await makeAgent(server);
  await server.close();
  const url = new URL(base);
  url.pathname = `/${name}`;
  const database = openDatabase(readTarget(url.href, {}), { env: {} });
  await migrate(database, { project, role: AGENT.name });
  await database.close();
}

export async function openJournal(
  url: string,
  dir: string,
  options: Partial<PostgresOptions<Tally>> = {},
): Promise<Journal<Tally>> {
  const clone = { dir, readOnly: false, projects: async () => [] };
  const opened = await openPostgres({ url, env: {}, fold: tallyFold, ...options, clone });
  if (opened.kind === "refused") throw new Error(`${opened.code}: ${opened.message}`);
  return opened.journal;
}

export async function postgresHarness(): Promise<DamageHarness> {
  const room = await makeRoom();
  const { database } = room;
  let clones = 0;
  const open = async (): Promise<Journal<Tally>> =>
    await openJournal(room.agent, join(room.dir, String(clones)));
  const idOf = async (stream: string): Promise<unknown> => {
    const { key } = nameOf(stream);
    return (await database.query("SELECT id FROM @.streams WHERE key = $1", [key]))[0]?.["id"];
  };
  return {
    open,
    openAnew: async () => {
      clones += 1;
      return await open();
    },
    remove: room.remove,
    lines: async (stream) => {
      const rows = await database.query(LINES, [await idOf(stream)]);
      return rows.map((row) => String(row["line"]));
    },
    rewrite: async (stream, lines) => {
      const id = await idOf(stream);
      await database.query("DELETE FROM @.events WHERE stream = $1", [id]);
      for (const line of lines) {
        const one = membersOf(line) ?? broken(line);
        await database.query(PUT, [
          id,
          one.seq,
          one.prev,
          one.id,
          one.try,
          one.at,
          one.body,
          one.hash,
        ]);
      }
    },
  };
}

const LINES = `SELECT ${LINE} AS line FROM @.lines e WHERE stream = $1 AND seq > 0 ORDER BY seq`;

const PUT = `INSERT INTO @.events (stream, seq, prev, id, try, at, body, hash, command)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, hashtextextended($2::bigint || $4, 0))`;

/** A line that falls into no members any more is broken in its row too, at its number as far as that can be read. */
function broken(line: string): Members {
  const seq = /^.?"?seq"?.?(\d+)/.exec(line.slice(0, 20).replace(/^./, ""))?.[1] ?? "0";
  return { seq, prev: "", id: line, try: "", at: "", body: "", hash: "" };
}
