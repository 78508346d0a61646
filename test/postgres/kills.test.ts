/** `kill -9` of the server, of those who write, and of both at once, again and again while they write. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tell } from "./counts.ts";
import { makeRoom } from "./harness.ts";
import type { Room } from "./harness.ts";
import { startServer } from "./server.ts";
import type { Server } from "./server.ts";
import { compare, createWriters } from "./writers.ts";
import type { Writers } from "./writers.ts";

const MINUTES = 60_000;
const WRITERS = 3;
/** Each round kills the server, then two writers, then the server and a writer: five kills. */
const ROUNDS = Number(process.env["HOLDPOINT_KILL_ROUNDS"] ?? "62");

let server: Server;
let room: Room;
let dir: string;
beforeAll(async () => {
  server = await startServer({ settings: { shared_buffers: "16MB", max_connections: "40" } });
  room = await makeRoom(server.url());
  dir = mkdtempSync(join(tmpdir(), "holdpoint-kills-"));
});
afterAll(async () => {
  await server.remove();
  rmSync(dir, { recursive: true, force: true });
});

/** So that each kill comes while something is being written, and at any moment of it. */
async function untilWritten(writers: Writers): Promise<void> {
  const before = writers.acks().length;
  while (writers.acks().length === before) await pause(5);
  await pause(Math.random() * 30);
}

async function pause(ms: number): Promise<void> {
  await new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

test(
  "[S1] [S2] [S3] server, writers and both are killed: what was acknowledged is recorded, none twice",
  async () => {
    const writers = createWriters(room.agent, dir);
    const kills = { server: 0, client: 0, both: 0 };
    for (let n = 0; n < WRITERS; n += 1) writers.begin();
    for (let round = 0; round < ROUNDS; round += 1) {
      await untilWritten(writers);
      await server.kill();
      kills.server += 1;
      await server.start();
      for (let n = 0; n < 2; n += 1) {
        await untilWritten(writers);
        await writers.kill();
        kills.client += 1;
        writers.begin();
      }
      await untilWritten(writers);
      await Promise.all([server.kill(), writers.kill()]);
      kills.both += 2;
      writers.begin();
      await server.start();
    }
    await untilWritten(writers);
    await writers.end();
    const found = await compare(writers, room.agent, dir);
    const all = kills.server + kills.client + kills.both;
    tell(
      `kill -9: ${all} (${kills.server} of the server, ${kills.client} of a client, ${kills.both} of both at once); ` +
        `acknowledged ${found.acknowledged}, recorded ${found.recorded} (${found.untold} killed before they were told), ` +
        `lost ${found.lost.length}, doubled ${found.doubled.length}`,
    );
    expect(found).toMatchObject({ lost: [], doubled: [] });
    expect(all).toBeGreaterThanOrEqual(ROUNDS * 5);
  },
  60 * MINUTES,
);
