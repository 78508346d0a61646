/** What is found when journals are compared with everything that can contradict them. */
import type { JournalRecord } from "../../ports/journal.ts";
import type { Proof } from "./prove.ts";

export interface BadRecord {
  readonly journal: string;
  /** Number of the first affected record; 0 for the journal as a whole. */
  readonly seq: number;
  readonly code: string;
  readonly message: string;
}

export interface Found {
  readonly bad: BadRecord[];
  readonly doubts: string[];
  signatures: number;
  commits: number;
}

export interface Judged {
  readonly stream: string;
  readonly records: readonly JournalRecord[];
  readonly proof: Proof;
}
