/**
 * How fast is the journal, against the same disk without it? Does opening stay flat as a history
 * grows, and how long does a list of ten thousand streams take?
 *
 * Limits: one writer >= 0.8 of raw write+fdatasync, 64 appenders >= 0.05 of a raw writer that syncs once for 64 of them
 * (where a sync costs next to nothing, sharing it gains next to nothing over one for each), open flat.
 * The raw runs and ours alternate, because a shared disk changes its mind within a second.
 */
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Entry, Fold, Head, Journal } from "../src/ports/journal.ts";
import { GENESIS } from "../src/ports/journal.ts";
import { makeStore } from "../src/adapters/store/embedded/directory.ts";
import { openEmbeddedJournal } from "../src/adapters/store/embedded/embedded.ts";
import { encodeLine } from "../src/adapters/store/embedded/line.ts";
import { check, median } from "./figures.ts";
import type { Print } from "./figures.ts";

export async function benchJournal(print: Print): Promise<void> {
  const dir = mkdtempSync(join(process.env["HOLDPOINT_BENCH_DIR"] ?? tmpdir(), "holdpoint-bench-"));
  try {
    await benchAppends(dir, print);
    await benchOpen(dir, print);
    await benchList(dir, print);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function benchAppends(dir: string, print: Print): Promise<void> {
  const journal = await open(join(dir, "appends"));
  const raw: number[] = [];
  const one: number[] = [];
  const batches: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    raw.push(rateRaw(join(dir, "raw"), ROUND_RECORDS, 1));
    one.push(await rateOne(journal, "one", ROUND_RECORDS));
    batches.push(rateRaw(join(dir, "batches"), ROUND_RECORDS * APPENDERS, APPENDERS));
    many.push(await rateMany(journal, "many", ROUND_RECORDS * APPENDERS));
  }
  await journal.close();
  // Each round against the raw run just before it: the neighbours' load is then in both.
  const ratio = (rates: readonly number[], bare: readonly number[]): number =>
    median(rates.map((rate, round) => rate / (bare[round] ?? Number.NaN)));
  const bytes = encodeLine(GENESIS, makeEntry("one-100")).bytes.length;
  print(`journal: records of ${bytes} bytes, medians of ${ROUNDS} alternating rounds`);
  print(`  raw write+fdatasync   ${median(raw).toFixed(0)} appends/s`);
  print(`  one writer            ${median(one).toFixed(0)} appends/s`);
  check(print, "one writer, of raw", { value: ratio(one, raw), min: 0.8 });
  print(`  raw, a sync for ${APPENDERS}    ${median(batches).toFixed(0)} appends/s`);
  print(`  ${APPENDERS} appenders          ${median(many).toFixed(0)} appends/s`);
  check(print, `${APPENDERS} appenders, of raw`, { value: ratio(many, batches), min: 0.05 });
}

/** The same lines with nothing around them, and a sync for so many at a time. */
function rateRaw(path: string, records: number, batch: number): number {
  const { bytes } = encodeLine(GENESIS, makeEntry("one-100"));
  const descriptor = openSync(path, "a+");
  const start = performance.now();
  for (let n = 0; n < records; n += batch) {
    for (let one = 0; one < batch; one += 1) writeSync(descriptor, bytes);
    fdatasyncSync(descriptor);
  }
  const rate = perSecond(records, start);
  closeSync(descriptor);
  return rate;
}

async function rateOne(
  journal: Journal<Counted>,
  stream: string,
  records: number,
): Promise<number> {
  let { head } = await journal.load(stream);
  const start = performance.now();
  for (let n = 0; n < records; n += 1) head = await appendOnce(journal, stream, head, head.seq);
  return perSecond(records, start);
}

/** As commands do: each appender loads, appends, and on a conflict goes on from the new head. */
async function rateMany(
  journal: Journal<Counted>,
  stream: string,
  records: number,
): Promise<number> {
  let next = (await journal.load(stream)).head.seq;
  const last = next + records;
  const start = performance.now();
  async function appender(): Promise<void> {
    while (next < last) {
      const n = next;
      next += 1;
      const { head } = await journal.load(stream);
      await appendOnce(journal, stream, head, n);
    }
  }
  await Promise.all(Array.from({ length: APPENDERS }, appender));
  const rate = perSecond(records, start);
  const { head } = await journal.load(stream);
  if (head.seq !== last) throw new Error(`recorded ${head.seq} of ${last}`);
  return rate;
}

async function appendOnce(
  journal: Journal<Counted>,
  stream: string,
  from: Head,
  n: number,
): Promise<Head> {
  let head = from;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await journal.append(stream, head, makeEntry(`${stream}-${n}`));
    if (answer.kind === "appended") return { seq: answer.record.seq, hash: answer.record.hash };
    if (answer.kind !== "conflict") throw new Error(answer.kind);
    head = answer.head;
  }
  throw new Error(`lost ${TRIES_MAX} races in a row`);
}

async function benchOpen(dir: string, print: Print): Promise<void> {
  const at = join(dir, "open");
  const opened: number[] = [];
  for (const records of [10, 1000, 100_000]) {
    const stream = `history-${records}`;
    makeStore(at);
    writeHistory(join(at, "journals", `${stream}.jsonl`), records);
    const size = statSync(join(at, "journals", `${stream}.jsonl`)).size;
    globalThis.gc?.();
    const cold = await timeOpen(at, stream, records);
    // Who only looks leaves no snapshot behind; who appends does, as every command that changes something.
    const writer = await open(at);
    await appendOnce(writer, stream, (await writer.load(stream)).head, records);
    await writer.close();
    const times: number[] = [];
    for (let round = 0; round < OPEN_ROUNDS; round += 1) {
      times.push(await timeOpen(at, stream, records + 1));
    }
    opened.push(median(times));
    const { rss, heapUsed } = process.memoryUsage();
    print(
      `  open + load ${records} records (${mega(size)} MB): ${median(times).toFixed(2)} ms, ` +
        `without snapshot ${cold.toFixed(0)} ms; RSS ${mega(rss)} MB, heap ${mega(heapUsed)} MB`,
    );
  }
  const [short = Number.NaN, , long = Number.NaN] = opened;
  check(print, "open, 100,000 records against 10", { value: long / short, max: OPEN_GROWTH_MAX });
}

async function timeOpen(dir: string, stream: string, records: number): Promise<number> {
  const start = performance.now();
  const journal = await open(dir);
  const { head } = await journal.load(stream);
  const ms = performance.now() - start;
  if (head.seq !== records) throw new Error(`loaded ${head.seq} of ${records}`);
  await journal.close();
  return ms;
}

async function benchList(dir: string, print: Print): Promise<void> {
  const at = join(dir, "list");
  makeStore(at);
  for (let n = 0; n < LIST_STREAMS; n += 1) {
    writeHistory(join(at, "journals", `workflow-${n}.jsonl`), 1);
  }
  const journal = await open(at);
  const unindexed = await timeList(journal);
  const warm: number[] = [];
  for (let round = 0; round < LIST_ROUNDS; round += 1) warm.push(await timeList(journal));
  await journal.close();
  const cold: number[] = [];
  for (let round = 0; round < LIST_ROUNDS; round += 1) {
    const fresh = await open(at);
    cold.push(await timeList(fresh));
    await fresh.close();
  }
  print(
    `  list ${LIST_STREAMS} streams: ${median(warm).toFixed(1)} ms warm, ${median(cold).toFixed(1)} ms ` +
      `from the index file, ${unindexed.toFixed(0)} ms without it`,
  );
}

async function timeList(journal: Journal<Counted>): Promise<number> {
  const start = performance.now();
  const listed = await journal.list();
  const ms = performance.now() - start;
  if (listed.length !== LIST_STREAMS) throw new Error(`listed ${listed.length}`);
  return ms;
}

/** Written without syncs: here only the reading is measured. */
function writeHistory(path: string, records: number): void {
  let head = GENESIS;
  const parts: Buffer[] = [];
  for (let n = 0; n < records; n += 1) {
    const { bytes, record } = encodeLine(head, makeEntry(`c-${n}`));
    parts.push(bytes);
    head = record;
  }
  writeFileSync(path, Buffer.concat(parts));
}

async function open(dir: string): Promise<Journal<Counted>> {
  const opened = await openEmbeddedJournal({ dir, fold });
  if (opened.kind === "refused") throw new Error(`${opened.message}. ${opened.fix}`);
  return opened.journal;
}

/** An object, as every state is: no other snapshot is believed. */
interface Counted {
  readonly count: number;
}

const fold: Fold<Counted> = {
  version: "bench-1",
  initial: () => ({ count: 0 }),
  evolve: ({ count }) => ({ count: count + 1 }),
  summary: ({ count }) => ({ records: count, state: "implementing", hold: null }),
};

function makeEntry(id: string): Entry {
  return { id, at: "2026-01-02T03:04:05.000Z", body: { type: "bench.noted", text: BODY_TEXT } };
}

function perSecond(records: number, start: number): number {
  return (records * 1000) / (performance.now() - start);
}

function mega(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(0);
}

const BODY_TEXT = "x".repeat(80);
const ROUNDS = 31;
const ROUND_RECORDS = 50;
const APPENDERS = 64;
const TRIES_MAX = 100_000;
const OPEN_ROUNDS = 21;
/** Flat, but for the noise of a call of a millisecond. */
const OPEN_GROWTH_MAX = 3;
const LIST_STREAMS = 10_000;
const LIST_ROUNDS = 11;
