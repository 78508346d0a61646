/**
 * Snapshots, the list's index and the directory: what may be missing, old or wrong without a record
 * being lost, and what must be refused.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { appendMany, entry, ids, tallyFold } from "../../../../test/conformance/journal.ts";
import type { Tally } from "../../../../test/conformance/journal.ts";
import type { Journal } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import { checkFileSystem } from "./directory.ts";
import type { EmbeddedOptions } from "./embedded.ts";
import { openEmbeddedJournal } from "./embedded.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdpoint-cache-"));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe("snapshots and list", () => {
  test("[S1] deleting, damaging or outdating a snapshot loses nothing", async () => {
    const journal = await open();
    await appendMany(journal, "w", ids("a", 600));
    const loaded = await journal.load("w");
    await journal.close();
    const path = join(dir, "snapshots", "w.json");
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += 499) {
      const changed = Buffer.from(whole);
      changed.writeUInt8(whole.readUInt8(at) ^ 1, at);
      for (const content of [changed, whole.subarray(0, at)]) {
        writeFileSync(path, content);
        expect(await reload({ readOnly: true })).toEqual(loaded);
      }
    }
    rmSync(path);
    expect(await reload({})).toEqual(loaded);
    expect(existsSync(path)).toBe(true);
    const doubled = {
      ...tallyFold,
      version: "2",
      initial: () => ({ ...loaded.state, count: 600 }),
    };
    expect((await reload({ fold: doubled })).state.count).toBe(1200);
    expect(await reload({})).toEqual(loaded);
  });

  test("[S2] ids are known again from the snapshot, the last thousand of them", async () => {
    const journal = await open();
    const head = await appendMany(journal, "w", ids("a", 1100));
    await journal.close();
    const later = await open();
    expect(await later.append("w", head, entry("a101"))).toMatchObject({
      kind: "repeated",
      record: { seq: 101 },
    });
    expect(await later.append("w", head, entry("a100"))).toMatchObject({ kind: "appended" });
    expect((await later.read("w", 1099)).map((record) => record.seq)).toEqual([1100, 1101]);
    await later.close();
  });

  test("[S4] the list is right with its index fresh, stale, damaged and gone", async () => {
    const journal = await open();
    for (const id of ids("s", 20)) await appendMany(journal, id, ["a"]);
    const rows = await journal.list();
    await journal.close();
    const index = join(dir, "snapshots", "_all.json");
    expect(existsSync(index)).toBe(true);
    expect(await relist()).toEqual(rows);
    const text = readFileSync(index, "utf8");
    writeFileSync(index, text.replace('"s1"', '"s9"'));
    expect(await relist()).toEqual(rows);
    rmSync(index);
    expect(await relist()).toEqual(rows);
    rmSync(join(dir, "snapshots", "s2.json"));
    rmSync(join(dir, "journals", "s2.jsonl"));
    // Without its journal s1 is damaged, but it must not just vanish.
    rmSync(join(dir, "journals", "s1.jsonl"));
    expect(await relist()).toEqual(rows.filter((row) => row.stream !== "s2"));
  });
});

describe("opening", () => {
  test("[S5] a format that this version does not know is refused", async () => {
    writeFileSync(join(dir, "format"), "holdpoint 2\n");
    expect(await openEmbeddedJournal({ dir, fold: tallyFold })).toEqual({
      kind: "refused",
      code: "unknown-format",
      message: `cannot read the journal in ${dir}: its format is "holdpoint 2", this version knows "holdpoint 1"`,
      fix: "Use the version of Holdpoint that wrote it, or a newer one.",
    });
  });

  test("[S2] file systems that two kernels share are refused, local ones are not", () => {
    const shared = [0x6969, 0x517b, 0xff534d42, -11317950, 0xfe534d42, 0x01021997, 0x65735546];
    for (const type of shared) {
      expect(checkFileSystem("/x", type, "linux")?.code).toBe("network-file-system");
    }
    const local = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630];
    for (const type of local) expect(checkFileSystem("/x", type, "linux")).toBeUndefined();
  });

  test("[S1] a directory that cannot be made is refused with a fix", async () => {
    writeFileSync(join(dir, "taken"), "");
    const opened = await openEmbeddedJournal({ dir: join(dir, "taken", "x"), fold: tallyFold });
    expect(opened).toMatchObject({ kind: "refused", code: "unwritable" });
  });

  test("[S4] opened for reading only it makes no file and refuses appends", async () => {
    mkdirSync(join(dir, "empty"));
    const journal = await open({ dir: join(dir, "empty"), readOnly: true });
    expect((await journal.load("w")).head).toEqual(GENESIS);
    expect(await journal.list()).toEqual([]);
    expect(await journal.append("w", GENESIS, entry("a"))).toMatchObject({ code: "disk" });
    await journal.close();
    expect(readdirSync(join(dir, "empty"))).toEqual([]);
  });
});

async function open(options: Partial<EmbeddedOptions<Tally>> = {}): Promise<Journal<Tally>> {
  const opened = await openEmbeddedJournal({ dir, fold: tallyFold, ...options });
  if (opened.kind === "refused") throw new Error(opened.message);
  return opened.journal;
}

async function reload(
  options: Partial<EmbeddedOptions<Tally>>,
): ReturnType<Journal<Tally>["load"]> {
  const journal = await open(options);
  const loaded = await journal.load("w");
  await journal.close();
  return loaded;
}

async function relist(): ReturnType<Journal<Tally>["list"]> {
  const journal = await open();
  const rows = await journal.list();
  await journal.close();
  return rows;
}
