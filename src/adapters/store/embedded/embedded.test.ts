/** The embedded journal: the common suite, then what only a store on a disk can get wrong. */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  appendMany,
  appendNext,
  describeJournal,
  entry,
  ids,
  tallyFold,
} from "../../../../test/conformance/journal.ts";
import { describeDamage } from "../../../../test/conformance/damage.ts";
import type { Tally } from "../../../../test/conformance/journal.ts";
import type { Appended, Journal } from "../../../ports/journal.ts";
import { GENESIS } from "../../../ports/journal.ts";
import type { EmbeddedOptions } from "./embedded.ts";
import { openEmbeddedJournal } from "./embedded.ts";
import { encodeLine } from "./line.ts";

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "holdpoint-journal-"));
  file = join(dir, "journals", "w.jsonl");
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const harness = { open: async () => await open(), remove: async () => {} };
describeJournal("embedded", async () => harness);
describeDamage("embedded", async () => ({
  ...harness,
  lines: async (stream) => {
    const text = readFileSync(join(dir, "journals", `${stream}.jsonl`), "utf8");
    return text.split("\n").filter((line) => line !== "");
  },
  rewrite: async (stream, lines) => {
    const path = join(dir, "journals", `${stream}.jsonl`);
    writeFileSync(path, lines.map((line) => `\n${line}\n`).join(""));
  },
  openAnew: async () => {
    rmSync(join(dir, "snapshots"), { recursive: true });
    return await open();
  },
}));

describe("syncing", () => {
  test("[S1] an append is acknowledged behind its sync, a new file's entry included", async () => {
    const steps: string[] = [];
    const journal = await open({ onStep: (step) => steps.push(step) });
    await appendMany(journal, "w", ["a"]);
    expect(steps.splice(0)).toEqual(["create", "write", "readback", "sync", "sync-entry"]);
    await appendMany(journal, "w", ["b"]);
    expect(steps.splice(0)).toEqual(["write", "readback", "sync"]);
    await journal.close();
    expect(steps).toEqual(["snapshot-write", "snapshot-rename"]);
  });

  test("[S1] one sync covers many appenders", async () => {
    const steps: string[] = [];
    const journal = await open({ onStep: (step) => steps.push(step) });
    await Promise.all(ids("a", 64).map((id) => appendNext(journal, "w", entry(id))));
    expect(steps.filter((step) => step === "write")).toHaveLength(64);
    expect(steps.filter((step) => step === "sync").length).toBeLessThan(8);
    expect(steps.lastIndexOf("sync")).toBeGreaterThan(steps.lastIndexOf("write"));
    await journal.close();
  });

  test("[S1] a busy writer lets the event loop turn", async () => {
    const journal = await open();
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    await appendMany(journal, "w", ids("a", 40));
    expect(turned).toBe(true);
    await journal.close();
  });

  test("[S1] another process's record is synced before it is shown or answered as repeated", async () => {
    const steps: string[] = [];
    const journal = await open({ onStep: (step) => steps.push(step) });
    const head = await appendMany(journal, "w", ["a"]);
    const foreign = encodeLine(head, entry("b"));
    appendFileSync(file, foreign.bytes);
    steps.length = 0;
    expect((await journal.load("w")).head.seq).toBe(2);
    expect(steps.splice(0)).toEqual(["sync"]);
    await journal.load("w");
    expect(steps).toEqual([]);
    appendFileSync(file, encodeLine(foreign.record, entry("c")).bytes);
    expect(await journal.append("w", GENESIS, entry("c"))).toMatchObject({ kind: "repeated" });
    expect(steps).toEqual(["sync"]);
    await journal.close();
  });

  test("[S1] a failed sync is not repeated, fails every append it covers, and closes the stream", async () => {
    let syncs = 0;
    const journal = await open({
      onStep: (step) => {
        if (step !== "sync") return;
        syncs += 1;
        throw new Error("EIO: i/o error, fdatasync");
      },
    });
    const answers = await Promise.all([
      appendNext(journal, "w", entry("a")),
      appendNext(journal, "w", entry("b")),
    ]);
    for (const answer of answers) expect(answer).toMatchObject({ kind: "failed", code: "disk" });
    expect(syncs).toBe(1);
    const { head, damage } = await journal.load("w");
    expect(damage?.code).toBe("journal-unreadable");
    expect(await journal.append("w", head, entry("c"))).toMatchObject({ code: "disk" });
    expect(syncs).toBe(1);
    await journal.close();
    expect(existsSync(join(dir, "journals", "w.failed"))).toBe(true);
    expect(existsSync(join(dir, "snapshots", "w.json"))).toBe(false);
  });

  test("[S5] a pipe in place of a journal or a snapshot is named, not waited for", async () => {
    const journal = await open();
    await appendMany(journal, "w", ["a"]);
    await journal.close();
    for (const path of ["journals/v.jsonl", "snapshots/v.json"])
      execFileSync("mkfifo", [join(dir, path)]);
    rmSync(join(dir, "snapshots", "w.json"));
    execFileSync("mkfifo", [join(dir, "snapshots", "w.json")]);
    const again = await open();
    expect((await again.load("v")).damage).toMatchObject({ code: "journal-unreadable" });
    expect((await again.load("w")).head.seq).toBe(1);
    expect((await again.list()).map((one) => one.stream)).toContain("w");
    await again.close();
  });

  test("[S1] a mark of a failed sync refuses appends until it is removed", async () => {
    const journal = await open();
    const head = await appendMany(journal, "w", ["a"]);
    await journal.close();
    const mark = join(dir, "journals", "w.failed");
    writeFileSync(mark, "EIO\n");
    const later = await open();
    expect(await later.append("w", head, entry("b"))).toMatchObject({ code: "disk" });
    expect(await later.read("w")).toHaveLength(1);
    rmSync(mark);
    expect(await later.append("w", head, entry("b"))).toMatchObject({ kind: "appended" });
    await later.close();
  });

  test("[S1] a write that does not fit fails, and what it left behind is torn", async () => {
    let isFull = true;
    const journal = await open({
      onStep: (step) => {
        if (step !== "write" || !isFull) return;
        appendFileSync(file, '\n{"seq":1,"prev":"00');
        throw new Error("ENOSPC: no space left on device, write");
      },
    });
    expect(await journal.append("w", GENESIS, entry("a"))).toEqual({
      kind: "failed",
      code: "disk",
      message: "cannot write to w: ENOSPC: no space left on device, write",
    });
    isFull = false;
    expect(await journal.append("w", GENESIS, entry("a"))).toMatchObject({ kind: "appended" });
    expect(await journal.verify("w")).toMatchObject({ records: 1, torn: 1 });
    await journal.close();
  });
});

describe("other processes", () => {
  test("[S2] who is overtaken between look and write loses without a sync", async () => {
    const other = await open();
    const steps: string[] = [];
    let winner: Promise<Appended<Tally>> | undefined;
    const journal = await open({
      onStep: (step) => {
        steps.push(step);
        if (step === "write") winner ??= other.append("w", GENESIS, entry("first"));
      },
    });
    const answer = await journal.append("w", GENESIS, entry("second"));
    const won = await winner;
    if (won?.kind !== "appended") throw new Error("the other one should have won");
    expect(answer).toEqual({ kind: "conflict", head: { seq: 1, hash: won.record.hash } });
    expect(steps).not.toContain("sync");
    expect(await journal.verify("w")).toMatchObject({ records: 1, void: 1, torn: 0 });
    await Promise.all([journal.close(), other.close()]);
  });

  test("[S2] who is followed between write and reading back has won", async () => {
    let follower: Buffer | undefined;
    const journal = await open({
      onStep: (step) => {
        if (step !== "readback" || follower !== undefined) return;
        follower = encodeLine(GENESIS, entry("late")).bytes;
        appendFileSync(file, follower);
      },
    });
    expect(await journal.append("w", GENESIS, entry("a"))).toMatchObject({ kind: "appended" });
    expect(await journal.verify("w")).toMatchObject({ records: 1, void: 1 });
    await journal.close();
  });

  test("[S1] a file that was replaced is opened again, not written to without a name", async () => {
    const journal = await open();
    const head = await appendMany(journal, "w", ["a"]);
    writeFileSync(`${file}.copy`, readFileSync(file));
    renameSync(`${file}.copy`, file);
    expect(await journal.append("w", head, entry("b"))).toMatchObject({ kind: "appended" });
    expect(readFileSync(file, "utf8")).toContain('"id":"b"');
    await journal.close();
  });

  test("[S4] more streams than descriptors", async () => {
    const journal = await open();
    for (const id of ids("s", 140)) await appendMany(journal, id, ["a"]);
    for (const id of ids("s", 140)) await appendMany(journal, id, ["b"]);
    const rows = await journal.list();
    expect(rows).toHaveLength(140);
    expect(rows.every((row) => row.seq === 2)).toBe(true);
    await journal.close();
  });
});

async function open(options: Partial<EmbeddedOptions<Tally>> = {}): Promise<Journal<Tally>> {
  const opened = await openEmbeddedJournal({ dir, fold: tallyFold, ...options });
  if (opened.kind === "refused") throw new Error(opened.message);
  return opened.journal;
}
