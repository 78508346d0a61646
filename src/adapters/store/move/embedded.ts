/** The files of a clone, as a source or target of moving. */
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  readdirSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Fold, Journal } from "../../../ports/journal.ts";
import { ProblemError } from "../../../ports/problem.ts";
import { getBlob, putBlob } from "../blobs.ts";
import { syncDirectory } from "../durable.ts";
import { FILE_START, startCount } from "../embedded/count.ts";
import { createWhole } from "../embedded/disk.ts";
import { openEmbeddedJournal } from "../embedded/embedded.ts";
import { LINE_BYTES_MAX, decodeLine } from "../embedded/line.ts";
import { markMoved, movedTo } from "../embedded/moved.ts";
import { blobsDir, streamPaths } from "../embedded/paths.ts";
import { RECENT_MAX } from "../embedded/recent.ts";
import { scan } from "../embedded/scan.ts";
import { createRefusals } from "../refusals.ts";
import type { House, Kept } from "./house.ts";
import { PAGE } from "./house.ts";

/** Moving needs no state. */
export const NO_FOLD: Fold<null> = {
  version: "move",
  initial: () => null,
  evolve: (state) => state,
  summary: () => null,
};

export async function openFiles(dir: string): Promise<House> {
  const opened = await openEmbeddedJournal({ dir, fold: NO_FOLD, moving: true });
  if (opened.kind === "refused") throw new ProblemError(opened);
  const { journal } = opened;
  return {
    where: `the files in ${dir}`,
    streams: journal.streams,
    verify: (stream) => journal.verify(stream),
    pages: (stream, afterSeq) => pagesOf(streamPaths(dir, stream).journal, afterSeq),
    add: async (stream, records) => await add(dir, journal, stream, records),
    blobs: () => blobsIn(blobsDir(dir)),
    getBlob: async (hex) => {
      const read = getBlob(blobsDir(dir), hex);
      return read.kind === "found" ? read.bytes : undefined;
    },
    putBlob: async (bytes) => void putBlob(blobsDir(dir), bytes),
    refusals: createRefusals(join(dir, "refusals")),
    marked: async () => movedTo(dir),
    mark: async (to) => markMoved(dir, to),
    close: journal.close,
  };
}

async function* pagesOf(path: string, afterSeq: number): AsyncGenerator<readonly Kept[]> {
  if (!existsSync(path)) return;
  const descriptor = openSync(path, "r");
  try {
    const offsets: number[] = [];
    scan(
      descriptor,
      startCount(FILE_START, RECENT_MAX, (record) => record),
      (record, offset) => {
        if (record.seq > afterSeq) offsets.push(offset);
      },
    );
    for (let at = 0; at < offsets.length; at += PAGE)
      yield offsets.slice(at, at + PAGE).map((offset) => lineAt(descriptor, offset));
  } finally {
    closeSync(descriptor);
  }
}

function lineAt(descriptor: number, offset: number): Kept {
  const piece = Buffer.allocUnsafe(LINE_BYTES_MAX);
  const size = readSync(descriptor, piece, 0, LINE_BYTES_MAX, offset);
  const bytes = piece.subarray(0, piece.subarray(0, size).indexOf("\n"));
  const record = decodeLine(bytes);
  if (record === undefined)
    throw new Error(`the journal changed at byte ${offset} while it was read`);
  const { seq, hash, id, at } = record;
  return { seq, hash, id, at, line: bytes.toString("utf8") };
}

async function add(
  dir: string,
  journal: Journal<null>,
  stream: string,
  records: readonly Kept[],
): Promise<void> {
  const { journal: path, name } = streamPaths(dir, stream);
  if (name !== undefined && !existsSync(name)) createWhole(dir, name, JSON.stringify(stream));
  appendFileSync(path, records.map(({ line }) => `\n${line}\n`).join(""));
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncDirectory(dirname(path));
  await journal.load(stream);
}

async function* blobsIn(dir: string): AsyncGenerator<readonly string[]> {
  if (!existsSync(dir)) return;
  for (const shelf of readdirSync(dir, { withFileTypes: true })) {
    if (!shelf.isDirectory() || !/^[0-9a-f]{2}$/.test(shelf.name)) continue;
    yield readdirSync(`${dir}/${shelf.name}`).filter((one) => /^[0-9a-f]{64}$/.test(one));
  }
}
