/**
 * What was last written to the state files of each workflow: from which record, and which bytes in which file.
 * Comparing with it tells an edit apart from a file that is merely out of date.
 */
export interface Shown {
  readonly read: (stream: string) => Promise<ShownState | undefined>;
  readonly write: (stream: string, state: ShownState) => Promise<void>;
}

export interface ShownState {
  readonly seq: number;
  readonly hash?: string;
  /** Blob of the text last written, by path; null where the file was removed. */
  readonly views: Readonly<Record<string, string | null>>;
}
