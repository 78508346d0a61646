import type { Head, JournalReport } from "../../../ports/journal.ts";
import type { Refusals } from "../../../ports/refusals.ts";

/** A store as seen while moving: stored lines, nothing folded. */
export interface House {
  /** A description for people. */
  readonly where: string;
  readonly streams: () => Promise<readonly string[]>;
  readonly verify: (stream: string) => Promise<JournalReport>;
  /** Records after a number, oldest first, in pages. */
  readonly pages: (stream: string, afterSeq: number) => AsyncIterable<readonly Kept[]>;
  /** Durable when it resolves. */
  readonly add: (stream: string, records: readonly Kept[]) => Promise<void>;
  readonly blobs: () => AsyncIterable<readonly string[]>;
  readonly getBlob: (hex: string) => Promise<Uint8Array | undefined>;
  readonly putBlob: (bytes: Uint8Array) => Promise<void>;
  readonly refusals: Refusals;
  /** Where the journals are, if not here. */
  readonly marked: () => Promise<string | undefined>;
  /** From then on nothing is recorded or read here; undefined removes the mark. */
  readonly mark: (to: string | undefined) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Kept extends Head {
  /** Without line breaks. */
  readonly line: string;
  readonly id: string;
  readonly at: string;
}

/** Records per page. */
export const PAGE = 500;
