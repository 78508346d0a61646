/**
 * `npm run test:clients`: real clients, offline, with a model that follows a script. `--client claude` runs one,
 * `--group NAME` some of the cases. Whatever did not run is red. `--keep` keeps what was seen, for the page about it.
 */
import { existsSync, writeFileSync } from "node:fs";
import { SEEN_FILE, readSeen } from "../../scripts/clients.ts";
import type { Kept } from "../../scripts/clients.ts";
import type { Client } from "../../src/watch/call.ts";
import { sweep } from "../e2e/cli.ts";
import { alive } from "./alive.ts";
import { broken } from "./broken.ts";
import { claims } from "./claims.ts";
import { held } from "./held.ts";
import { resumed } from "./resumed.ts";
import { role } from "./role.ts";
import { workflows } from "./workflows.ts";
import { SETUPS } from "../../src/surfaces/install/clients/index.ts";
import { openLab, red } from "./lab.ts";
import type { Group, Outcomes } from "./lab.ts";
import { PINNED, programOf } from "./pinned.ts";
import { outcomeOf, remarksOn, tableOf } from "./table.ts";

const GROUPS: readonly Group[] = [alive, workflows, held, role, claims, resumed, broken];

const CLIENTS = Object.keys(PINNED) as readonly Client[];

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  const clients = chosen(args, "--client", CLIENTS);
  const names = chosen(
    args,
    "--group",
    GROUPS.map(({ name }) => name),
  );
  const groups = GROUPS.filter(({ name }) => names.includes(name));
  const seen: Partial<Record<Client, Outcomes>> = {};
  for (const client of clients) {
    seen[client] = await tryClient(client, groups);
    if (args.includes("--keep")) keep(client, seen[client] ?? {});
  }
  say(`\n${tableOf(groups, seen)}\n`);
  for (const line of remarksOn(groups, seen)) say(line);
  const forged = await sweep();
  for (const line of forged) say(`RED: ${line}`);
  const ids = groups.flatMap(({ cases }) => Object.keys(cases));
  const failed = clients.flatMap((client) =>
    ids.filter((id) => outcomeOf(seen, client, id).kind === "red"),
  );
  say(`${clients.length * ids.length - failed.length} passed, ${failed.length} failed`);
  return failed.length + forged.length === 0 && ids.length * clients.length > 0 ? 0 : 1;
}

/** What was seen of a client before, of cases that were not tried now, still stands. */
function keep(client: Client, outcomes: Outcomes): void {
  const before: Kept = existsSync(SEEN_FILE) ? readSeen() : { groups: [], clients: {} };
  const fresh = Object.entries(outcomes).map(([id, one]) => [
    id,
    one.kind === "engine" ? one.why : one.kind,
  ]);
  const ids = GROUPS.flatMap(({ cases }) => Object.keys(cases));
  const { [client]: known } = before.clients;
  const all = { ...known?.outcomes, ...Object.fromEntries(fresh) };
  const told = {
    title: SETUPS[client].title,
    version: PINNED[client].version,
    outcomes: Object.fromEntries(ids.flatMap((id) => (id in all ? [[id, all[id]]] : []))),
  };
  const every = { ...before.clients, [client]: told };
  const kept = {
    groups: GROUPS.map(({ name, cases }) => ({ name, cases })),
    clients: Object.fromEntries(
      CLIENTS.flatMap((one) => (one in every ? [[one, every[one]]] : [])),
    ),
  };
  writeFileSync(SEEN_FILE, `${JSON.stringify(kept, null, 2)}\n`);
}

/** A client that cannot be had fails the run; it is not left out. */
async function tryClient(client: Client, groups: readonly Group[]): Promise<Outcomes> {
  let outcomes: Outcomes = {};
  try {
    programOf(client);
  } catch (error) {
    say(`${client}: ${String(error)}`);
    return outcomes;
  }
  const lab = await openLab(client);
  for (const group of groups) {
    const began = performance.now();
    outcomes = { ...outcomes, ...(await tryGroup(group, () => group.run(lab))) };
    say(`${client}: ${group.name}, ${((performance.now() - began) / 1000).toFixed(1)} s`);
  }
  await lab.close();
  return outcomes;
}

async function tryGroup({ cases }: Group, run: () => Promise<Outcomes>): Promise<Outcomes> {
  try {
    return await run();
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(why);
    return Object.fromEntries(Object.keys(cases).map((id) => [id, red(why.split("\n")[0] ?? "")]));
  }
}

function chosen<Name extends string>(
  args: readonly string[],
  flag: string,
  all: readonly Name[],
): readonly Name[] {
  const at = args.indexOf(flag);
  if (at < 0) return all;
  const name = all.find((one) => one === args[at + 1]);
  if (name === undefined) throw new Error(`${flag} is one of: ${all.join(", ")}`);
  return [name];
}

process.exitCode = await main(process.argv.slice(2));
