/**
 * Where things are in the journal's directory:
 *
 *   format                    which layout this is
 *   journals/<stream>.jsonl   the records, the only truth
 *   journals/<stream>.failed  a sync of this stream failed; appends are refused
 *   journals/<stream>.name    the stream's name, when it is too long for a file name
 *   snapshots/<stream>.json   cache of a folded stream, and witness of its length
 *   snapshots/_all.json       cache of the list
 *   blobs/<aa>/<sha256>       what is too large for a line, see spill.ts
 *   tmp/                      files before their rename
 */
import { join } from "node:path";
import { encodeName } from "./names.ts";

/** Every directory of the store, including those beside the journals. */
export const OWN_DIRECTORIES: readonly string[] = [
  "journals",
  "snapshots",
  "blobs",
  "tmp",
  "shown",
  "refusals",
  "beats",
  "tried",
];

export interface StreamPaths {
  readonly file: string;
  readonly journal: string;
  readonly failed: string;
  readonly snapshot: string;
  /** Set if the file name does not contain the stream's name. */
  readonly name: string | undefined;
}

export function streamPaths(dir: string, stream: string): StreamPaths {
  const { file, cut } = encodeName(stream);
  const journals = journalsDir(dir);
  return {
    file,
    journal: join(journals, `${file}${JOURNAL_SUFFIX}`),
    failed: join(journals, `${file}.failed`),
    snapshot: snapshotPath(dir, file),
    name: cut ? namePath(dir, file) : undefined,
  };
}

export function namePath(dir: string, file: string): string {
  return join(journalsDir(dir), `${file}.name`);
}

export function snapshotPath(dir: string, file: string): string {
  return join(dir, "snapshots", `${file}${SNAPSHOT_SUFFIX}`);
}

export function journalsDir(dir: string): string {
  return join(dir, "journals");
}

/** Shared with everything else that is stored by its digest. */
export function blobsDir(dir: string): string {
  return join(dir, "blobs");
}

export function tmpDir(dir: string): string {
  return join(dir, "tmp");
}

export const JOURNAL_SUFFIX = ".jsonl";
export const SNAPSHOT_SUFFIX = ".json";
