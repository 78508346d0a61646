/** Following what happens: each record once and in order, also across a restart from a cursor. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createWakes } from "../src/adapters/store/wakes.ts";
import { compose } from "../src/compose/compose.ts";
import { parseJson } from "../src/core/values/json.ts";
import type { Json } from "../src/core/values/json.ts";
import { act, find, start } from "../src/engine/engine.ts";
import type { Parts } from "../src/engine/parts.ts";
import { cursorNow, subscribe } from "../src/engine/subscribe.ts";
import type { Recorded } from "../src/engine/subscribe.ts";
import { tallyFamily } from "./tally.ts";

const ADA = { actor: { kind: "person", name: "ada" }, session: "human:ada" } as const;
const WRITER = fileURLToPath(new URL("./fixtures/tally-writer.ts", import.meta.url));

let cwd = "";
const opened: Parts[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "follow-"));
});
afterEach(async () => {
  for (const parts of opened.splice(0)) await parts.journal.close();
  rmSync(cwd, { recursive: true, force: true });
});

describe("a subscriber", () => {
  test("sees each record of a crowd once and in order, in one process and from another", async () => {
    const parts = await open();
    for (const id of ["solo", "duo"]) await begin(parts, id);
    const told = collect(parts, { count: 102 });
    const run = promisify(execFile)(process.execPath, ["--import", "tsx", WRITER, cwd, "p", "50"], {
      timeout: 170_000,
    });
    await Promise.all(range(50).map((index) => add(parts, "duo", `n${index}`)));
    await run;
    const records = await told;
    for (const id of ["solo", "duo"])
      expect(seqsOf(records, id)).toEqual(range(51).map((index) => index + 1));
    expect(records.at(-1)?.events.map((event) => event.type)).toContain("note.added");
  });

  test("goes on from its cursor after a restart: nothing twice, nothing missed", async () => {
    const parts = await open();
    const ids = range(5).map((index) => `w${index}`);
    for (const id of ids) await begin(parts, id);
    for (const index of range(20)) await add(parts, `w${index % 5}`, `n${index}`);
    const seen: Recorded[] = [];
    let cursor: Json | undefined;
    // A new engine for every three records, which is stopped wherever it happens to be.
    for (let round = 0; seen.length < 25; round += 1) {
      const some = await collect(await open(), { count: Math.min(3, 25 - seen.length), cursor });
      seen.push(...some);
      cursor = parseJson(JSON.stringify(some.at(-1)?.cursor));
      if (round === 2) await add(parts, "w0", "late");
    }
    seen.push(...(await collect(await open(), { count: 1, cursor })));
    for (const id of ids)
      expect(seqsOf(seen, id)).toEqual(range(id === "w0" ? 6 : 5).map((index) => index + 1));
  });

  test("who begins now sees only what comes, and may follow one workflow alone", async () => {
    const parts = await open();
    for (const id of ["a", "b"]) await begin(parts, id);
    const told = collect(parts, { count: 1, cursor: await cursorNow(parts), workflow: "tally:b" });
    await add(parts, "a", "other");
    await add(parts, "b", "mine");
    expect((await told).map(({ workflow, seq }) => [workflow, seq])).toEqual([["b", 2]]);
  });

  test("ends at once when it is asked to, although nothing happens", async () => {
    const parts = await open();
    const stop = new AbortController();
    const aborted = subscribe(parts, undefined, { signal: stop.signal });
    const waiting = aborted.next();
    stop.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
    const returned = subscribe(parts, undefined);
    const pending = returned.next();
    await returned.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await returned.next()).toEqual({ done: true, value: undefined });
  });

  test("is woken by a change, and not only by the time", async () => {
    const wake = createWakes(cwd).open();
    const waiting = wake.wait(24 * 60 * 60 * 1_000, new AbortController().signal);
    const writing = setInterval(() => writeFileSync(join(cwd, "w.jsonl"), "x"), 20);
    await expect(waiting).resolves.toBeUndefined();
    clearInterval(writing);
    wake.close();
  });

  test.each([[{}], [{ version: 2, seen: {} }], [{ version: 1, seen: { a: "1" } }], [7], ["now"]])(
    "a cursor that is none, such as %j, is named",
    async (cursor) => {
      const parts = await open();
      expect(() => subscribe(parts, cursor)).toThrow("is no cursor");
    },
  );
});

async function collect(
  parts: Parts,
  wanted: {
    readonly count: number;
    readonly cursor?: Json | undefined;
    readonly workflow?: string;
  },
): Promise<readonly Recorded[]> {
  const { count, cursor, workflow } = wanted;
  const told: Recorded[] = [];
  const options = workflow === undefined ? {} : { workflow };
  for await (const record of subscribe(parts, cursor, options)) {
    told.push(record);
    if (told.length === count) break;
  }
  return told;
}

function seqsOf(records: readonly Recorded[], id: string): readonly number[] {
  return records.filter(({ workflow }) => workflow === id).map(({ seq }) => seq);
}

async function open(): Promise<Parts> {
  const composed = await compose({ cwd, env: {}, families: [tallyFamily] });
  if (composed.kind === "failed") throw new Error(composed.message);
  opened.push(composed.parts);
  return composed.parts;
}

async function begin(parts: Parts, id: string): Promise<void> {
  await start(parts, tallyFamily, { id, options: {}, caller: ADA });
}

async function add(parts: Parts, id: string, reason: string): Promise<void> {
  const found = await find(parts, id);
  if (found.kind === "refused") throw new Error(`there is no ${id}`);
  await act(parts, found, { type: "unit.move", unit: ".", move: "add", reason }, ADA);
}

function range(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
