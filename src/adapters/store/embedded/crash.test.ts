/**
 * Real processes, really killed. Goal: what was acknowledged is there afterwards, each number has one
 * record, and the next process goes on at once. Method: children print each acknowledgement; the
 * parent kills them, reads the journal itself and compares.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { appendNext, entry, tallyFold } from "../../../../test/conformance/journal.ts";
import type { Tally } from "../../../../test/conformance/journal.ts";
import type { Journal, JournalReport } from "../../../ports/journal.ts";
import { openEmbeddedJournal } from "./embedded.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdpoint-crash-"));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

test.each([
  ["create", 1],
  ["write", 7],
  ["readback", 7],
  ["sync", 7],
  ["sync-entry", 1],
  ["snapshot-rename", 1],
] as const)("[S1] killed before %s, time %i: nothing acknowledged is lost", async (step, nth) => {
  const acks = await runWriter(["w", "child", "260", step, String(nth)]);
  expect(await checkJournal(acks)).toMatchObject({ torn: 0, void: 0 });
});

test("[S4] killed in the middle of a write: the half line is torn, not damage", async () => {
  const acks = await runWriter(["w", "child", "260", "write", "9", "torn"]);
  expect(acks).toHaveLength(8);
  expect(await checkJournal(acks)).toMatchObject({ torn: 1 });
});

test("[S2] two processes race for every number, and each number has one record", async () => {
  const both = await Promise.all([runWriter(["w", "one", "150"]), runWriter(["w", "two", "150"])]);
  const acks = both.flat();
  expect(acks).toHaveLength(300);
  expect(await checkJournal(acks)).toMatchObject({ torn: 0 });
});

test("[S1] [S2] [S3] writers killed at any moment, again and again: none lost, none double", async () => {
  const acks: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const writers = ["a", "b", "c", "d"].map((name, n) =>
      runWriter(["w", `${name}${round}`, "100000"], 60 * n + 40 * round),
    );
    acks.push(...(await Promise.all(writers)).flat());
  }
  expect(acks.length).toBeGreaterThanOrEqual(8);
  await checkJournal(acks);
});

/** Ends by itself, or by a kill `killMs` after its first acknowledgement. */
function runWriter(args: readonly string[], killMs?: number): Promise<string[]> {
  const script = fileURLToPath(
    new URL("../../../../test/fixtures/journal-writer.ts", import.meta.url),
  );
  const child = spawn(process.execPath, ["--import", "tsx", script, dir, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  let kill: NodeJS.Timeout | undefined;
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    if (killMs !== undefined) kill ??= setTimeout(() => child.kill("SIGKILL"), killMs);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(kill);
      // A line without its end was cut by the kill and is no acknowledgement.
      if (code === null || code === 0) resolve(text.split("\n").slice(0, -1));
      else reject(new Error(`the writer ended with ${code}`));
    });
  });
}

async function checkJournal(acks: readonly string[]): Promise<JournalReport> {
  const journal = await open();
  const report = await journal.verify("w");
  expect(report.damage).toBeUndefined();
  const records = await journal.read("w");
  expect(records.map((record) => record.seq)).toEqual(records.map((_record, n) => n + 1));
  expect(report.records).toBe(records.length);
  const found = new Set(records.map(({ seq, hash, id }) => `${seq} ${hash} ${id}`));
  expect(acks.filter((ack) => !found.has(ack))).toEqual([]);
  expect(new Set(records.map((record) => record.id)).size).toBe(records.length);
  const folded = records.reduce(tallyFold.evolve, tallyFold.initial("w"));
  expect((await journal.load("w")).state).toEqual(folded);
  expect(await appendNext(journal, "w", entry("after"))).toMatchObject({ kind: "appended" });
  await journal.close();
  return report;
}

async function open(): Promise<Journal<Tally>> {
  const opened = await openEmbeddedJournal({ dir, fold: tallyFold });
  if (opened.kind === "refused") throw new Error(opened.message);
  return opened.journal;
}
