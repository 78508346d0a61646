/**
 * `npm run bench:postgres`: durable steps a second with 1, 8 and 64 clients, each with a workflow of its own and all on one,
 * beside a bare INSERT of the same lines at the same durability from the same kind of client, in turns on the same server,
 * and beside DBOS where it installs (`--no-dbos` leaves it out, `--clients=8` takes one number). A figure is printed only if every step that was acknowledged is there, once, in a
 * chain that verifies, and if the bare INSERT itself was steady: otherwise it is said why not, and the end is 1.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openPostgres } from "../src/adapters/store/postgres/open.ts";
import { encodeLine } from "../src/adapters/store/embedded/line.ts";
import { GENESIS } from "../src/ports/journal.ts";
import type { Head, Journal } from "../src/ports/journal.ts";
import { entry, tallyFold } from "../test/conformance/journal.ts";
import type { Tally } from "../test/conformance/journal.ts";
import { makeRoom } from "../test/postgres/harness.ts";
import type { Room } from "../test/postgres/harness.ts";
import { PASSWORD, startServer } from "../test/postgres/server.ts";
import type { Server } from "../test/postgres/server.ts";
import { openDbos } from "./postgres-dbos.ts";

const chosen = process.argv.find((one) => one.startsWith("--clients="))?.slice(10);
const CLIENTS = chosen === undefined ? [1, 8, 64] : chosen.split(",").map(Number);
const ROUNDS = 24;
const ROUND_MS = 400;
const DBOS_MS = 3_000;
const BARE = "bare INSERT";
/** The middle half of the rounds may be this far apart; otherwise the machine was busy with others. */
const SPREAD_MAX = 1.6;
const SHARE_MIN = 0.7;
/** About what a step of a workflow says. */
const SAID = "x".repeat(500);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const wrong: string[] = [];

/** Does one step for a client, durable when it answers. */
type Step = (client: number) => Promise<void>;

/** How many a second, of those that were acknowledged in time. */
async function rate(
  clients: number,
  step: Step,
  ms = ROUND_MS,
): Promise<{ readonly count: number; readonly perSecond: number }> {
  const begun = performance.now();
  let count = 0;
  const work = async (client: number): Promise<void> => {
    while (performance.now() - begun < ms) {
      await step(client);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_one, client) => work(client)));
  return { count, perSecond: (count / (performance.now() - begun)) * 1_000 };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

interface Rival {
  readonly name: string;
  readonly step: Step;
  /** What is there that should be: all that was acknowledged, or why not. */
  readonly vouch: (acknowledged: number) => Promise<string | undefined>;
  readonly close: () => Promise<void>;
}

async function bareInsert(server: Server, clients: number, mark = ""): Promise<Rival> {
  const table = `bare${mark}_${clients}`;
  const open = async (): Promise<InstanceType<typeof pg.Client>> => {
    const client = new pg.Client({
      host: "127.0.0.1",
      port: server.port,
      user: "postgres",
      database: "postgres",
      password: () => PASSWORD,
      ssl: false,
      options: undefined,
      application_name: "bench",
      connectionTimeoutMillis: 10_000,
      statement_timeout: 30_000,
      query_timeout: 40_000,
      keepAlive: true,
    });
    // What ended the run is told, and not that its connections ended with it.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  };
  const all = await Promise.all(Array.from({ length: clients }, open));
  const [first] = all;
  await first?.query(
    `CREATE TABLE ${table} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, line text NOT NULL)`,
  );
  const text = `INSERT INTO ${table} (line) VALUES ($1)`;
  const heads = new Map<number, Head>();
  let made = 0;
  return {
    name: BARE,
    step: async (client) => {
      made += 1;
      // The very line that the store keeps: somebody has to make it, whatever it is then handed to.
      const next = entry(`${client}.${made}`, SAID);
      const { bytes, record } = encodeLine(heads.get(client) ?? GENESIS, next);
      const line = bytes.subarray(1, -1);
      await all[client]?.query({ name: "bare", text, values: [line] });
      heads.set(client, record);
    },
    vouch: async (acknowledged) => {
      const { rows } = (await first?.query(`SELECT count(*) AS count FROM ${table}`)) ?? {
        rows: [],
      };
      const found = Number(rows[0]?.["count"]);
      return found === acknowledged ? undefined : `${acknowledged} acknowledged, ${found} there`;
    },
    close: async () => {
      await Promise.all(all.map(async (client) => await client.end()));
    },
  };
}

/** `distinct`: a workflow for each, at the head it knows. `hot`: all on one, each loads what the others wrote. */
async function holdpoint(room: Room, clients: number, kind: "distinct" | "hot"): Promise<Rival> {
  const dir = mkdtempSync(join(tmpdir(), "holdpoint-bench-"));
  const all = await Promise.all(
    Array.from({ length: clients }, async (_one, n) => await open(room, join(dir, String(n)))),
  );
  const heads = new Map<number, Head>();
  const streamOf = (client: number): string =>
    kind === "hot" ? `hot-${clients}` : `w-${clients}-${client}`;
  let made = 0;
  const step: Step = async (client) => {
    const journal = all[client];
    if (journal === undefined) throw new Error("no such client");
    made += 1;
    const next = entry(`${client}.${made}`, SAID);
    let head =
      (kind === "distinct" ? heads.get(client) : undefined) ??
      (await journal.load(streamOf(client))).head;
    for (;;) {
      const answer = await journal.append(streamOf(client), head, next);
      if (answer.kind === "appended") {
        heads.set(client, answer.record);
        return;
      }
      if (answer.kind !== "conflict")
        throw new Error(`${answer.kind}: ${JSON.stringify(answer).slice(0, 200)}`);
      head = answer.head;
    }
  };
  const vouch = async (acknowledged: number): Promise<string | undefined> => {
    const [reader] = all;
    const names = new Set(Array.from({ length: clients }, (_one, client) => streamOf(client)));
    let records = 0;
    for (const name of names) {
      const report = await reader?.verify(name);
      if (report?.damage !== undefined) return report.damage.message;
      records += report?.records ?? 0;
    }
    return records === acknowledged
      ? undefined
      : `${acknowledged} acknowledged, ${records} recorded`;
  };
  return {
    name: kind,
    step,
    vouch,
    close: async () => {
      await Promise.all(all.map(async (journal) => await journal.close()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function open(room: Room, dir: string): Promise<Journal<Tally>> {
  const clone = { dir, readOnly: false, projects: async () => [] };
  const opened = await openPostgres({
    url: room.agent,
    env: {},
    fold: tallyFold,
    clone,
    connectionsMax: 1,
  });
  if (opened.kind === "refused") throw new Error(opened.message);
  return opened.journal;
}

/** The middle half of the rounds, from its slowest to its fastest. */
function spreadOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return at(0.75) / at(0.25);
}

/** In short turns, so that whatever else the machine does meets all of them, and each is held against its neighbour. */
async function compare(clients: number, rivals: readonly Rival[]): Promise<void> {
  const rates = new Map<string, number[]>(rivals.map(({ name }) => [name, []]));
  const counts = new Map<string, number>();
  for (const { name, step } of rivals) counts.set(name, (await rate(clients, step)).count);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const { name, step } of rivals) {
      const { count, perSecond } = await rate(clients, step);
      rates.get(name)?.push(perSecond);
      counts.set(name, (counts.get(name) ?? 0) + count);
    }
  const bare = rates.get(BARE) ?? [];
  for (const { name, vouch } of rivals) {
    const own = rates.get(name) ?? [];
    const shares = own.map((one, round) => one / (bare[round] ?? 1));
    const label = `${String(clients).padStart(2)} clients, ${name}`;
    const lost = await vouch(counts.get(name) ?? 0);
    if (lost !== undefined) {
      refuse(label, lost);
      continue;
    }
    const speed =
      spreadOf(own) > SPREAD_MAX ? "no rate: unsteady" : `${Math.round(median(own))} /s`;
    if (speed.startsWith("no"))
      wrong.push(`${label}: its rate varies by ${spreadOf(own).toFixed(1)}`);
    const share = median(shares);
    const isTold = spreadOf(shares) <= SPREAD_MAX;
    if (!isTold) wrong.push(`${label}: its share varies by ${spreadOf(shares).toFixed(1)}`);
    const told = isTold ? `${share.toFixed(2)} of the bare INSERT` : "no share: unsteady";
    say(`  ${label.padEnd(24)} ${speed.padStart(18)}   ${name === BARE ? "" : told}`);
    if (name === "distinct" && isTold && share < SHARE_MIN)
      wrong.push(`${label}: ${share.toFixed(2)} of the bare INSERT, and ${SHARE_MIN} is the aim`);
  }
}

function refuse(label: string, why: string): void {
  say(`  ${label.padEnd(24)} no figure: ${why}`);
  wrong.push(`${label}: ${why}`);
}

/** DBOS runs in a process of its own; the bare INSERT right before and after it says how busy the machine was. */
async function beside(server: Server, clients: number): Promise<void> {
  const label = `${String(clients).padStart(2)} clients, DBOS`;
  const bare = await bareInsert(server, clients, "dbos");
  const before = (await rate(clients, bare.step, DBOS_MS)).perSecond;
  const told = dbos.run(server.url(), clients, DBOS_MS);
  const after = (await rate(clients, bare.step, DBOS_MS)).perSecond;
  await bare.close();
  if (typeof told === "string") refuse(label, told);
  else if (spreadOf([before, before, after, after]) > SPREAD_MAX)
    refuse(
      label,
      `the bare INSERT made ${Math.round(before)} /s before it and ${Math.round(after)} after it`,
    );
  else
    say(
      `  ${label.padEnd(24)} ${`${told} /s`.padStart(18)}   ${((told * 2) / (before + after)).toFixed(2)} of the bare INSERT; its steps are not verified here`,
    );
}

const dbos = openDbos(process.argv.includes("--no-dbos"));
const server = await startServer();
try {
  const room = await makeRoom(server.url());
  const [settings] = await room.database.query(
    "SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS sync, current_setting('full_page_writes') AS pages, current_setting('server_version') AS version",
  );
  if (settings?.["fsync"] !== "on" || settings["sync"] !== "on" || settings["pages"] !== "on")
    throw new Error("the server is not durable: there is nothing to measure");
  say(
    `PostgreSQL ${String(settings["version"])}, fsync and synchronous_commit on; ${ROUNDS} rounds of ${ROUND_MS} ms in turns; load ${loadavg()[0]?.toFixed(1)}`,
  );
  for (const clients of CLIENTS) {
    const rivals = [
      await bareInsert(server, clients),
      await holdpoint(room, clients, "distinct"),
      await holdpoint(room, clients, "hot"),
    ];
    await compare(clients, rivals);
    for (const rival of rivals) await rival.close();
  }
  if (dbos.why === undefined) for (const clients of CLIENTS) await beside(server, clients);
  else say(`  DBOS: ${dbos.why}`);
  await room.remove();
} finally {
  await server.remove();
  dbos.remove();
}
if (wrong.length > 0) {
  say(`\nNot every figure is there and as it should be:\n  ${wrong.join("\n  ")}`);
  process.exitCode = 1;
}
