/** Records larger than a line: what lies outside the journal is durable first, and its loss is named. */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { appendMany, entry, tallyFold } from "../../../../test/conformance/journal.ts";
import type { Tally } from "../../../../test/conformance/journal.ts";
import type { Journal } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import type { EmbeddedOptions } from "./embedded.ts";
import { openEmbeddedJournal } from "./embedded.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdpoint-spill-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const large = entry("large", "y".repeat(300 * 1024));

describe("a record larger than a line", () => {
  test("[S1] its line names a blob, and another process reads it whole", async () => {
    await fill();
    const lines = readFileSync(join(dir, "journals", "w.jsonl"), "utf8");
    expect(lines.length).toBeLessThan(2_000);
    expect(lines).toContain('"type":"test.noted"');
    rmSync(join(dir, "snapshots", "w.json"));
    const journal = await open();
    expect((await journal.read("w")).map((one) => one.body)).toEqual([
      entry("a").body,
      large.body,
      entry("z").body,
    ]);
    expect(await journal.verify("w")).toEqual({
      records: 3,
      void: 0,
      torn: 0,
      head: (await journal.load("w")).head,
    });
    await journal.close();
  });

  test("[S1] the blob is there before the line is written", async () => {
    let there = false;
    const onStep = (step: string): void => {
      if (step === "write") there = existsSync(join(dir, "blobs")) && blobs().length === 1;
    };
    const journal = await open({ onStep });
    expect(await journal.append("w", GENESIS, large)).toMatchObject({ kind: "appended" });
    expect(there).toBe(true);
    await journal.close();
  });

  test.each<[string, (file: string) => void, RegExp]>([
    ["missing", (file) => rmSync(file), /is not in .*blobs/],
    [
      "changed",
      (file) => {
        rmSync(file);
        writeFileSync(file, `"${"y".repeat(300 * 1024 - 1)}z"`);
      },
      /no longer has the content/,
    ],
  ])(
    "[S5] a blob that is %s is named, and what stands before it stays readable",
    async (_, harm, says) => {
      await fill();
      const [blob = ""] = blobs();
      harm(blob);
      const seen = await open();
      expect((await seen.verify("w")).damage).toMatchObject({ code: "journal-blob", line: 4 });
      await seen.close();
      rmSync(join(dir, "snapshots", "w.json"), { force: true });
      const journal = await open();
      const loaded = await journal.load("w");
      expect(loaded).toMatchObject({ head: { seq: 1 }, damage: { code: "journal-blob" } });
      expect(loaded.damage?.message).toMatch(/record 2 keeps its value in a blob/);
      expect(loaded.damage?.message).toMatch(says);
      expect(await journal.read("w")).toHaveLength(1);
      const answer = await journal.append("w", loaded.head, entry("b"));
      expect(answer).toMatchObject({ kind: "failed", code: "damaged" });
      await journal.close();
    },
  );

  test("[S1] a disk that takes no blob records nothing", async () => {
    const journal = await open();
    writeFileSync(join(dir, "blobs"), "in the way");
    const answer = await journal.append("w", GENESIS, large);
    expect(answer).toMatchObject({ kind: "failed", code: "disk" });
    expect((await journal.load("w")).head).toEqual(GENESIS);
    await journal.close();
  });
});

function blobs(): readonly string[] {
  return readdirSync(join(dir, "blobs"), { recursive: true, withFileTypes: true }).flatMap((one) =>
    one.isFile() ? [join(dir, "blobs", one.name.slice(0, 2), one.name)] : [],
  );
}

async function fill(): Promise<void> {
  const journal = await open();
  const head = await appendMany(journal, "w", ["a"]);
  expect(await journal.append("w", head, large)).toMatchObject({ kind: "appended" });
  await appendMany(journal, "w", ["z"]);
  await journal.close();
}

async function open(options: Partial<EmbeddedOptions<Tally>> = {}): Promise<Journal<Tally>> {
  const opened = await openEmbeddedJournal({ dir, fold: tallyFold, ...options });
  if (opened.kind === "refused") throw new Error(opened.message);
  return opened.journal;
}
