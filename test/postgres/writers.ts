/** Writing processes that can be killed, and the comparison of what they were told with what the store holds. */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { expect } from "vitest";
import { openPostgres } from "../../src/adapters/store/postgres/open.ts";
import { HOT, countFold } from "./writer.ts";

export interface Writers {
  /** Start another one. */
  readonly begin: () => void;
  /** `kill -9` of the one that has been writing longest. */
  readonly kill: () => Promise<void>;
  /** What was acknowledged, one line each. */
  readonly acks: () => readonly string[];
  readonly names: () => readonly string[];
  readonly end: () => Promise<void>;
}

interface Running {
  readonly name: string;
  readonly kill: () => Promise<void>;
}

/** Bundled once, so that a process starts in moments; where `pg` is found from. */
function buildWriter(): string {
  const dir = fileURLToPath(new URL("../../node_modules/.cache/holdpoint-writer", import.meta.url));
  mkdirSync(dir, { recursive: true });
  const outfile = join(dir, String(process.pid), "writer.mjs");
  buildSync({
    entryPoints: [fileURLToPath(new URL("writer.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["pg"],
    outfile,
  });
  return outfile;
}

export function createWriters(url: string, dir: string): Writers {
  const script = buildWriter();
  const running: Running[] = [];
  const acks: string[] = [];
  const names: string[] = [];
  const failed: string[] = [];
  const begin = (): void => {
    const name = `w${names.length + 1}`;
    names.push(name);
    const child = spawn(process.execPath, [script, url, join(dir, name), name], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let rest = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      // A line without its end was cut by the kill, and is no acknowledgement.
      const lines = `${rest}${part}`.split("\n");
      rest = lines.pop() ?? "";
      acks.push(...lines);
    });
    child.stderr.setEncoding("utf8").on("data", (part: string) => failed.push(`${name}: ${part}`));
    const ended = new Promise<void>((resolve) => {
      child.on("close", () => resolve());
    });
    running.push({
      name,
      kill: async () => {
        child.kill("SIGKILL");
        await ended;
      },
    });
  };
  const kill = async (): Promise<void> => {
    const [oldest] = running.splice(0, 1);
    await oldest?.kill();
  };
  return {
    begin,
    kill,
    acks: () => acks,
    names: () => names,
    end: async () => {
      while (running.length > 0) await kill();
      rmSync(join(script, ".."), { recursive: true, force: true });
      expect(failed).toEqual([]);
    },
  };
}

export interface Compared {
  readonly acknowledged: number;
  readonly recorded: number;
  /** Recorded when the writer was killed, before it could be told. */
  readonly untold: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** Whether each acknowledged record is there as it was told, and each command once. */
export async function compare(
  { acks, names }: Writers,
  url: string,
  dir: string,
): Promise<Compared> {
  const clone = { dir: join(dir, "judge"), readOnly: false, projects: async () => [] };
  const opened = await openPostgres({ url, env: {}, fold: countFold, clone });
  if (opened.kind === "refused") throw new Error(opened.message);
  const { journal } = opened;
  const streams = [HOT, ...names().map((name) => `own-${name}`)];
  const found: string[] = [];
  const ids: string[] = [];
  for (const stream of streams) {
    const report = await journal.verify(stream);
    expect(report.damage, stream).toBeUndefined();
    const records = await journal.read(stream);
    expect(records.map(({ seq }) => seq)).toEqual(records.map((_record, n) => n + 1));
    found.push(...records.map(({ seq, hash, id }) => `${stream} ${seq} ${hash} ${id}`));
    ids.push(...records.map(({ id }) => id));
  }
  await journal.close();
  const told = new Set(acks());
  const there = new Set(found);
  const untold = found.filter((line) => !told.has(line));
  // Of each writer at most the one command that it was about when it was killed.
  const owners = untold.map((line) => line.replace(/^.* (w\d+)-\d+$/, "$1"));
  expect(new Set(owners).size).toBe(owners.length);
  return {
    acknowledged: told.size,
    recorded: found.length,
    untold: untold.length,
    lost: [...told].filter((line) => !there.has(line)),
    doubled: ids.filter((id, at) => ids.indexOf(id) !== at),
  };
}
