/**
 * What was last shown of each workflow: which record, and which bytes in which file. The text last
 * installed is what tells an edit by somebody from a file that is only out of date.
 */
export interface Shown {
  readonly read: (stream: string) => Promise<ShownState | undefined>;
  readonly write: (stream: string, state: ShownState) => Promise<void>;
}

export interface ShownState {
  readonly seq: number;
  /** The record's hash. */
  readonly hash?: string;
  /** Blob of the text last installed, by path; null where the file was removed. */
  readonly views: Readonly<Record<string, string | null>>;
}
