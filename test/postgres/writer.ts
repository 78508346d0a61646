/**
 * A process that appends until it is killed: to a stream of its own, and to one that all write. Each acknowledged record
 * goes to standard output as `<stream> <seq> <hash> <id>`, after the acknowledgement and never before. What the store
 * could not be asked is asked again under the same id, whatever has become of it.
 *
 *   node writer.mjs <url> <dir> <name>
 */
import { writeSync } from "node:fs";
import { openPostgres } from "../../src/adapters/store/postgres/open.ts";
import type { Fold, Head, Journal, JournalRecord } from "../../src/ports/journal.ts";

export const HOT = "hot";
/** Longer than any restart of a server takes. */
const PATIENCE_MS = 120_000;

export const countFold: Fold<number> = {
  version: "count-1",
  initial: () => 0,
  evolve: (count) => count + 1,
  summary: (count) => count,
};

/** Asks until the store answers. */
async function insist<T>(ask: () => Promise<T | undefined>): Promise<T> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      const answer = await ask();
      if (answer !== undefined) return answer;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
    if (Date.now() > until) throw new Error("the store does not come back");
    await new Promise((resolve) => {
      setTimeout(resolve, 20);
    });
  }
}

async function appendOnce(
  journal: Journal<number>,
  stream: string,
  id: string,
): Promise<JournalRecord> {
  let head: Head | undefined;
  return await insist(async () => {
    head ??= (await journal.load(stream)).head;
    const at = "2026-01-02T03:04:05.000Z";
    const answer = await journal.append(stream, head, { id, at, body: { type: "test.noted" } });
    if (answer.kind === "failed" && answer.code === "damaged") throw new Error(answer.message);
    head = answer.kind === "conflict" ? answer.head : undefined;
    return answer.kind === "appended" || answer.kind === "repeated" ? answer.record : undefined;
  });
}

async function main([url = "", dir = "", name = ""]: readonly string[]): Promise<void> {
  const clone = { dir, readOnly: false, projects: async () => [] };
  const opened = await insist(async () => {
    const tried = await openPostgres({ url, env: {}, fold: countFold, clone });
    return tried.kind === "open" ? tried : undefined;
  });
  for (let n = 1; ; n += 1) {
    const stream = n % 2 === 0 ? HOT : `own-${name}`;
    const { seq, hash, id } = await appendOnce(opened.journal, stream, `${name}-${n}`);
    writeSync(1, `${stream} ${seq} ${hash} ${id}\n`);
  }
}

if (process.argv[1]?.endsWith("writer.mjs") === true) await main(process.argv.slice(2));
