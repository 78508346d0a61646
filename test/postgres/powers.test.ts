/** `doctor store` says whether the role that the program connects as could rewrite what was recorded, and how. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import { examine } from "../../src/adapters/store/postgres/examine.ts";
import type { Finding } from "../../src/adapters/store/postgres/finding.ts";
import { migrate } from "../../src/adapters/store/postgres/migrate.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { AGENT, makeRoom } from "./harness.ts";
import type { Room } from "./harness.ts";

let room: Room;
beforeAll(async () => {
  room = await makeRoom();
});
afterAll(async () => await room.remove());

async function rightsOf(url: string): Promise<Finding | undefined> {
  const database = openDatabase(readTarget(url, {}), { env: {} });
  try {
    const found = await examine(database, Date.now, ["test"]);
    return found.find(({ check }) => check === "rights");
  } finally {
    await database.close();
  }
}

test("a role that agents are to work with can rewrite nothing", async () => {
  expect(await rightsOf(room.agent)).toMatchObject({ state: "proven" });
});

test("the administrator could rewrite everything, and is told how to have a role that cannot", async () => {
  expect(await rightsOf(room.admin)).toMatchObject({
    state: "unknown",
    said: expect.stringContaining("is a superuser"),
    fix: expect.stringMatching(/createuser.*store setup --role agents.*address of the store/),
  });
});

test.each([
  ["owns the tables", "ALTER TABLE @.events OWNER TO $1"],
  ["owns the tables", "ALTER SCHEMA @ OWNER TO $1"],
  ["owns the tables", "CREATE ROLE $1_o; ALTER TABLE @.events OWNER TO $1_o; GRANT $1_o TO $1"],
  ["owns the tables", "ALTER FUNCTION @.tidy() OWNER TO $1"],
  ["(CREATEROLE)", "ALTER ROLE $1 CREATEROLE"],
  ["is a superuser", "CREATE ROLE $1_o SUPERUSER; GRANT $1_o TO $1; ALTER ROLE $1 NOINHERIT"],
  ["(pg_execute_server_program)", "GRANT pg_execute_server_program TO $1"],
  ["(CREATE)", "GRANT CREATE ON SCHEMA @ TO $1"],
  ["functions (events)", "GRANT UPDATE (body) ON @.events TO $1"],
  ["functions (blobs, events)", "GRANT DELETE ON @.blobs TO $1; GRANT TRIGGER ON @.events TO $1"],
  ["functions (refusals)", "GRANT INSERT ON @.refusals TO $1"],
  ["functions (appends)", "GRANT UPDATE ON @.appends TO $1"],
  ["functions (", "GRANT pg_write_all_data TO $1"],
])("one that %s is named: %s", async (power, sql) => {
  const own = await makeRoom();
  const role = `r_${own.schema}`;
  await own.database.query(`CREATE ROLE ${role} LOGIN PASSWORD '${AGENT.password}'`);
  await migrate(own.database, { project: "test", role });
  const url = own.agent.replace(`//${AGENT.name}:`, `//${role}:`);
  expect(await rightsOf(url)).toMatchObject({ state: "proven" });
  for (const one of sql.replaceAll("$1", role).split("; "))
    await own.database.query(one.replaceAll("@", own.schema));
  const found = await rightsOf(url);
  expect(found).toMatchObject({ state: "unknown", said: expect.stringContaining(power) });
  for (const one of [role, `${role}_o`]) {
    const [row] = await own.database.query("SELECT FROM pg_roles WHERE rolname = $1", [one]);
    if (row === undefined) continue;
    await own.database.query(`REASSIGN OWNED BY ${one} TO postgres`);
    await own.database.query(`DROP OWNED BY ${one}`);
    await own.database.query(`DROP ROLE ${one}`);
  }
  await own.remove();
});
