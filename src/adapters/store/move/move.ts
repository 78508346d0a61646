/**
 * Moves journals to another store. Everything is read and compared with what the target already has. Then the old
 * store is marked, so that nobody writes to it. Then everything is copied byte for byte and verified, and only
 * then does the new store count. An interrupted move can be repeated: what is already there is not copied again.
 */
import { StoreProblem } from "../../../ports/problem.ts";
import { arriving } from "../embedded/moved.ts";
import type { Refusals } from "../../../ports/refusals.ts";
import type { House } from "./house.ts";

export interface Moved {
  readonly streams: number;
  readonly records: number;
  /** How many of them were copied now. */
  readonly copied: number;
  readonly blobs: number;
}

/** A process that has the old store open may still be writing its last record. */
const LAST_WORD_MS = 300;
/** Writing that goes on long after the mark is an error, so the number of rounds is limited. */
const ROUNDS_MAX = 10;

export async function move(from: House, to: House): Promise<Moved> {
  for (const stream of await from.streams()) await compare(from, to, stream);
  // A new store is marked as incomplete until everything has arrived. One that others already use stays usable.
  const isNew = (await to.streams()).length === 0 && (await to.marked()) === undefined;
  if (isNew) await to.mark(arriving(from.where));
  await from.mark(to.where);
  await new Promise((resolve) => {
    setTimeout(resolve, LAST_WORD_MS);
  });
  const blobs = await copyBlobs(from, to);
  let copied = 0;
  let left = 1;
  for (let round = 0; round < ROUNDS_MAX && left > 0; round += 1) {
    left = 0;
    for (const stream of await from.streams()) left += await copyStream(from, to, stream);
    copied += left;
  }
  const streams = await from.streams();
  for (const stream of streams) await copyRefusals(from.refusals, to.refusals, stream);
  let records = 0;
  for (const stream of streams) records += await same(from, to, stream);
  await to.mark(undefined);
  return { streams: streams.length, records, copied, blobs };
}

/** What the target already has must be the beginning of the source. */
async function compare(from: House, to: House, stream: string): Promise<number> {
  const [source, target] = [await from.verify(stream), await to.verify(stream)];
  const damage = source.damage ?? target.damage;
  if (damage !== undefined)
    throw new StoreProblem({
      code: "store-move-damaged",
      message: `Nothing is moved, because ${stream} is damaged in ${source.damage === undefined ? to.where : from.where}: ${damage.message}`,
      fix: "Restore it from a backup, then move again.",
    });
  const { seq, hash } = target.head;
  const here = seq === 0 ? target.head : await recordAt(from, stream, seq);
  if (here?.hash !== hash)
    throw new StoreProblem({
      code: "store-move-differs",
      message: `Nothing is moved, because ${to.where} has another ${stream}: its record ${seq} is not the one in ${from.where}`,
      fix: "One of the two must go: end that workflow in one store and begin it again under another name.",
    });
  return seq;
}

async function recordAt(
  house: House,
  stream: string,
  seq: number,
): Promise<{ readonly hash: string } | undefined> {
  for await (const page of house.pages(stream, seq - 1)) return page[0];
  return undefined;
}

async function copyStream(from: House, to: House, stream: string): Promise<number> {
  const seq = await compare(from, to, stream);
  let copied = 0;
  for await (const page of from.pages(stream, seq)) {
    await to.add(stream, page);
    copied += page.length;
  }
  return copied;
}

/** Copies refusals. Signs of life are left out, because every session gives a new one with its next command. */
async function copyRefusals(from: Refusals, to: Refusals, stream: string): Promise<void> {
  const there = new Set((await to.read(stream)).map((one) => JSON.stringify(one)));
  for (const one of await from.read(stream)) if (!there.has(JSON.stringify(one))) await to.add(one);
}

async function copyBlobs(from: House, to: House): Promise<number> {
  let blobs = 0;
  for await (const names of from.blobs())
    for (const hex of names) {
      if ((await to.getBlob(hex)) !== undefined) continue;
      // A damaged blob is not copied; verify reports it where a record needs it.
      const bytes = await from.getBlob(hex);
      if (bytes !== undefined) await to.putBlob(bytes);
      blobs += bytes === undefined ? 0 : 1;
    }
  return blobs;
}

/** Compares both chains, each read in full again. */
async function same(from: House, to: House, stream: string): Promise<number> {
  const [source, target] = [await from.verify(stream), await to.verify(stream)];
  const damage = target.damage?.message ?? source.damage?.message;
  if (damage === undefined && source.head.hash === target.head.hash) return source.records;
  throw new StoreProblem({
    code: "store-move-failed",
    message: `${stream} did not arrive whole in ${to.where}: ${damage ?? `its last record is ${target.head.seq} in place of ${source.head.seq}`}`,
    fix: "Move again: what has arrived is not copied twice. Until then nothing is recorded in either.",
  });
}
