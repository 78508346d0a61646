/** A primary whose standby has each record before it is acknowledged: the primary dies, the standby takes its place. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDatabase } from "../../src/adapters/store/postgres/database.ts";
import { readTarget } from "../../src/adapters/store/postgres/target.ts";
import { tell } from "./counts.ts";
import { makeRoom } from "./harness.ts";
import type { Room } from "./harness.ts";
import { startServer } from "./server.ts";
import type { Server } from "./server.ts";
import { compare, createWriters } from "./writers.ts";

const MINUTES = 60_000;
const WRITERS = 4;
const ACKS_BEFORE = 200;
const ACKS_AFTER = 100;

let primary: Server;
let standby: Server;
let room: Room;
let dir: string;
beforeAll(async () => {
  primary = await startServer();
  room = await makeRoom(primary.url());
  standby = await startServer({
    make: (run, data) =>
      run("pg_basebackup", ["-D", data, "-R", "-X", "stream", "-c", "fast", "-d", primary.url()]),
  });
  dir = mkdtempSync(join(tmpdir(), "holdpoint-standby-"));
});
afterAll(async () => {
  await standby.remove();
  await primary.remove();
  rmSync(dir, { recursive: true, force: true });
});

async function ask(server: Server, sql: string): Promise<unknown> {
  const database = openDatabase(readTarget(server.url(), {}), { env: {} });
  const [row] = await database.query(sql);
  await database.close();
  return Object.values(row ?? {})[0];
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = Date.now() + MINUTES;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("it takes too long");
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

test(
  "[S1] the primary is killed, the standby promoted: nothing acknowledged is lost, and whoever writes goes on there",
  async () => {
    await ask(primary, "ALTER SYSTEM SET synchronous_standby_names = '*'");
    await ask(primary, "SELECT pg_reload_conf()");
    const sync = "SELECT count(*)::int FROM pg_stat_replication WHERE sync_state = 'sync'";
    await until(async () => (await ask(primary, sync)) === 1);

    const both = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`;
    const writers = createWriters(room.agent.replace(/127\.0\.0\.1:\d+/, both), dir);
    for (let n = 0; n < WRITERS; n += 1) writers.begin();
    await until(() => writers.acks().length >= ACKS_BEFORE);
    await primary.kill();
    const before = writers.acks().length;
    expect(await ask(standby, "SELECT pg_promote()")).toBe(true);
    await until(() => writers.acks().length >= before + ACKS_AFTER);
    await writers.end();

    const url = room.agent.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${standby.port}`);
    const found = await compare(writers, url, dir);
    tell(
      `standby promoted: ${before} acknowledged by the primary, ${found.acknowledged - before} after it by the standby; ` +
        `recorded ${found.recorded} (${found.untold} killed before they were told), lost ${found.lost.length}, doubled ${found.doubled.length}`,
    );
    expect(found).toMatchObject({ lost: [], doubled: [] });
  },
  10 * MINUTES,
);
