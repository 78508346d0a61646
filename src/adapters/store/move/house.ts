import type { Head, JournalReport } from "../../../ports/journal.ts";
import type { Refusals } from "../../../ports/refusals.ts";

/** A store as somebody sees it who moves: lines as they are kept, nothing folded. */
export interface House {
  /** For people. */
  readonly where: string;
  readonly streams: () => Promise<readonly string[]>;
  /** Every line read again. */
  readonly verify: (stream: string) => Promise<JournalReport>;
  /** Records behind a number, oldest first, some at a time. */
  readonly pages: (stream: string, afterSeq: number) => AsyncIterable<readonly Kept[]>;
  /** Durable when it answers. */
  readonly add: (stream: string, records: readonly Kept[]) => Promise<void>;
  readonly blobs: () => AsyncIterable<readonly string[]>;
  readonly getBlob: (hex: string) => Promise<Uint8Array | undefined>;
  readonly putBlob: (bytes: Uint8Array) => Promise<void>;
  readonly refusals: Refusals;
  /** Where the truth is, if not here. */
  readonly marked: () => Promise<string | undefined>;
  /** From then on nothing is recorded here, nor read as the truth; undefined takes the mark away. */
  readonly mark: (to: string | undefined) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Kept extends Head {
  /** Without line breaks. */
  readonly line: string;
  readonly id: string;
  readonly at: string;
}

/** So many records at a time. */
export const PAGE = 500;
