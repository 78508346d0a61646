/**
 * Changed, missing and half-written bytes. Goal: each is named, or provably changes nothing. Method:
 * every position of a small journal, one after the other.
 */
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  appendMany,
  appendNext,
  entry,
  ids,
  tallyFold,
} from "../../../../test/conformance/journal.ts";
import type { Tally } from "../../../../test/conformance/journal.ts";
import type { Journal } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import { openEmbeddedJournal } from "./embedded.ts";
import { encodeLine } from "./line.ts";

let dir: string;
let file: string;
let snapshot: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdpoint-damage-"));
  file = join(dir, "journals", "w.jsonl");
  snapshot = join(dir, "snapshots", "w.json");
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

test("[S4] a last line cut at any byte never happened, and the next append goes on", async () => {
  await fill(3);
  rmSync(snapshot);
  const whole = readFileSync(file);
  const start = whole.lastIndexOf('\n{"seq":3');
  for (let end = start; end < whole.length; end += 1) {
    writeFileSync(file, whole.subarray(0, end));
    rmSync(snapshot, { force: true });
    const journal = await open();
    expect(await journal.load("w")).toMatchObject({ head: { seq: 2 }, state: { count: 2 } });
    expect(await appendNext(journal, "w", entry("next"))).toMatchObject({ kind: "appended" });
    const report = await journal.verify("w");
    expect(report.damage).toBeUndefined();
    // Cut by its last newline only, the line is whole again behind the next one's first newline.
    expect(report.records).toBe(end === whole.length - 1 ? 4 : 3);
    expect(report.torn).toBe(end <= start + 1 || end === whole.length - 1 ? 0 : 1);
    await journal.close();
  }
});

test("[S4] half a line of a dead writer between two records of a live one is torn", async () => {
  const journal = await open();
  await appendMany(journal, "w", ["a"]);
  appendFileSync(file, encodeLine(GENESIS, entry("dead")).bytes.subarray(0, 99));
  expect((await journal.load("w")).head.seq).toBe(1);
  await appendMany(journal, "w", ["b", "c"]);
  expect(await journal.verify("w")).toMatchObject({ records: 3, torn: 1 });
  expect((await journal.verify("w")).damage).toBeUndefined();
  await journal.close();
});

test("[S5] every flipped bit is named at or before its byte, or lies outside the records", async () => {
  await fillWithNoise();
  const whole = readFileSync(file);
  const journal = await open();
  const { head } = await journal.load("w");
  const spans = await recordSpans(whole, journal);
  await journal.close();
  const tally = { named: 0, harmless: 0 };
  const silent: unknown[] = [];
  for (let at = 0; at < whole.length; at += 1) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(whole.readUInt8(at) ^ (1 << (at % 8)), at);
    writeFileSync(file, changed);
    // Another fold does not believe the snapshot's state, so that loading reads every byte, too.
    const fresh = await open("tally-2", true);
    const report = await fresh.verify("w");
    const loaded = await fresh.load("w");
    await fresh.close();
    const before = spans.filter(([, end]) => end < at).length;
    const isInside = spans.some(([start, end]) => start <= at && at < end);
    const isNamed =
      report.damage !== undefined &&
      report.damage.offset <= at + 1 &&
      report.records === before &&
      isDeepStrictEqual(loaded.damage, report.damage) &&
      isDeepStrictEqual(loaded.head, report.head);
    const isHarmless = report.damage === undefined && report.head.hash === head.hash && !isInside;
    if (isNamed) tally.named += 1;
    else if (isHarmless) tally.harmless += 1;
    else silent.push({ at, report, loaded, before });
  }
  expect(silent).toEqual([]);
  expect(tally.named).toBeGreaterThan(1000);
  expect(tally.harmless).toBeGreaterThan(0);
});

test("[S5] damage in the middle keeps what is before it readable, and refuses appends", async () => {
  await fill(10);
  rmSync(snapshot);
  const whole = readFileSync(file);
  const at = whole.indexOf('{"seq":6');
  const changed = Buffer.from(whole);
  changed.write("X", at + 3);
  writeFileSync(file, changed);
  const journal = await open();
  const loaded = await journal.load("w");
  expect(loaded).toMatchObject({
    head: { seq: 5 },
    state: { count: 5 },
    damage: { code: "journal-broken", offset: at, line: 12 },
  });
  expect(loaded.damage?.message).toBe(
    `cannot read the journal past line 12 (byte ${at}): a record is missing there, because record 7 on line 14 does not follow`,
  );
  expect((await journal.read("w")).map((record) => record.seq)).toEqual([1, 2, 3, 4, 5]);
  expect(await journal.append("w", loaded.head, entry("x"))).toMatchObject({
    kind: "failed",
    code: "damaged",
  });
  expect(await journal.verify("w")).toMatchObject({ records: 5, damage: { offset: at } });
  await journal.close();
  expect(readFileSync(file)).toEqual(changed);
});

test("[S5] a changed last record is named by the snapshot that has seen it", async () => {
  await fill(10);
  const changed = readFileSync(file);
  const at = changed.indexOf('{"seq":10');
  changed.write("X", at + 20);
  writeFileSync(file, changed);
  const journal = await open();
  expect(await journal.load("w")).toMatchObject({
    head: { seq: 9 },
    damage: { code: "journal-broken", offset: at },
  });
  await journal.close();
});

test("[S5] a truncated journal is named, whatever is left of it", async () => {
  await fill(10);
  const { length } = readFileSync(file);
  for (const size of [length - 1, length - 200, 1000, 0]) {
    truncateSync(file, size);
    const journal = await open();
    const { damage, head } = await journal.load("w");
    expect(damage).toMatchObject({ code: "journal-truncated", offset: size });
    expect((await journal.verify("w")).damage).toEqual(damage);
    expect(await journal.append("w", head, entry("x"))).toMatchObject({ code: "damaged" });
    await journal.close();
  }
  unlinkSync(file);
  const journal = await open();
  const { head, damage } = await journal.load("w");
  expect(head).toEqual(GENESIS);
  expect(damage).toMatchObject({ code: "journal-truncated" });
  expect(await journal.append("w", GENESIS, entry("x"))).toMatchObject({ code: "damaged" });
  await journal.close();
  expect(existsSync(file)).toBe(false);
});

test("[S5] a journal cut short under an open handle is named from memory", async () => {
  const journal = await open();
  const head = await appendMany(journal, "w", ids("a", 5));
  truncateSync(file, 700);
  expect(await journal.load("w")).toMatchObject({ head, damage: { code: "journal-truncated" } });
  expect(await journal.append("w", head, entry("x"))).toMatchObject({ code: "damaged" });
  expect((await journal.verify("w")).damage).toMatchObject({ code: "journal-truncated" });
  await journal.close();
});

test("[S5] history replaced by another of the same length is named", async () => {
  await fill(3);
  const kept = readFileSync(snapshot);
  rmSync(dir, { recursive: true });
  const other = await open();
  await appendMany(other, "w", ids("b", 5));
  await other.close();
  writeFileSync(snapshot, kept);
  const journal = await open();
  expect((await journal.load("w")).damage).toMatchObject({ code: "journal-broken" });
  await journal.close();
});

test("[S5] bytes longer than any record are torn", async () => {
  const journal = await open();
  await appendMany(journal, "w", ["a"]);
  appendFileSync(file, `\n${"z".repeat(3 * 1024 * 1024)}`);
  expect((await journal.load("w")).damage).toBeUndefined();
  expect(await appendNext(journal, "w", entry("b"))).toMatchObject({ kind: "appended" });
  expect(await journal.verify("w")).toMatchObject({ records: 2, torn: 1 });
  await journal.close();
});

async function fill(records: number): Promise<void> {
  const journal = await open();
  await appendMany(journal, "w", ids("a", records));
  await journal.close();
}

/** Records with lost races and half lines between them. */
async function fillWithNoise(): Promise<void> {
  const journal = await open();
  for (let n = 0; n < 4; n += 1) {
    const { head } = await journal.load("w");
    await appendMany(journal, "w", [`a${n}`]);
    const late = encodeLine(head, entry(`late${n}`)).bytes;
    appendFileSync(file, n % 3 === 0 ? late : late.subarray(0, n % 3 === 1 ? 60 : 0));
  }
  const { head } = await journal.load("w");
  await appendMany(journal, "w", ["last"]);
  appendFileSync(file, encodeLine(head, entry("late")).bytes);
  await journal.close();
}

/** First byte and end of each counted line, newlines left out. */
async function recordSpans(
  whole: Buffer,
  journal: Journal<Tally>,
): Promise<readonly (readonly [number, number])[]> {
  return (await journal.read("w")).map((record) => {
    const end = whole.indexOf(`"hash":"${record.hash}"}\n`);
    return [whole.lastIndexOf("\n", end) + 1, whole.indexOf("\n", end)];
  });
}

async function open(version = "tally-1", readOnly = false): Promise<Journal<Tally>> {
  const opened = await openEmbeddedJournal({ dir, readOnly, fold: { ...tallyFold, version } });
  if (opened.kind === "refused") throw new Error(opened.message);
  return opened.journal;
}
