import type { ReadingOptions, TreeReading } from "./reading.ts";

/**
 * The files of one worktree. Every path is relative to the root, with `/`. A path that leaves the root, by name
 * or through a link, is refused, and so is anything below a `.git`.
 */
export interface Workspace {
  readonly root: string;
  readonly read: (path: string) => Promise<FileRead>;
  /** The bytes of a file of any kind, up to 64 MB. */
  readonly bytes: (path: string) => Promise<BytesRead>;
  /**
   * Names in a directory, sorted; directories end in `/`, and `.` is the root. Empty if there is no such
   * directory inside the root. Throws if it exists but may not be read.
   */
  readonly list: (directory: string) => Promise<readonly string[]>;
  /** `sha256:<hex>` of a file; undefined unless it is a readable regular file of up to a gigabyte. */
  readonly digest: (path: string) => Promise<string | undefined>;
  /** Reads everything below a directory by its bytes; `.` is the whole worktree. */
  readonly measure: (directory: string, options?: ReadingOptions) => Promise<TreeReading>;
  /**
   * A cheap check that a file or directory is unchanged: two equal stamps mean equal content. Undefined if it was
   * written so recently that its times cannot tell.
   */
  readonly stamp: (path: string) => Promise<string | undefined>;
  /**
   * Replaces a view without losing an edit made meanwhile. `expected` is what was just read; null means it was
   * absent. `content` null removes the file.
   */
  readonly install: (
    path: string,
    content: string | Uint8Array | null,
    expected: string | Uint8Array | null,
  ) => Promise<Installed>;
  /** Why nothing can be written there, as far as that can be told without trying: links, permissions. */
  readonly check: (path: string) => Promise<Extract<Installed, { kind: "failed" }> | undefined>;
  /** Moves a file or directory to a free place inside the root. Does nothing if it is already gone. */
  readonly move: (from: string, to: string) => Promise<Installed>;
  /** Restores or names the files that an interrupted install left aside. Call it before reading views. */
  readonly recover: () => Promise<readonly LeftAside[]>;
  /** Removes an edited text that `recover` named, once it is stored elsewhere. */
  readonly forget: (aside: string) => Promise<void>;
}

/** The stamp of a path where nothing is. */
export const ABSENT = "absent";

/** The files as one command sees them: each is read once, and everything is decided on that reading. */
export interface Reading extends Workspace {
  /** Whether everything that was read is still the same. */
  readonly holds: () => Promise<boolean>;
  /** Forgets what was read, after something has written to the tree. */
  readonly refresh: () => void;
}

export type BytesRead =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | Exclude<FileRead, { kind: "text" }>;

export type FileRead =
  | { readonly kind: "text"; readonly text: string; readonly digest: string }
  | { readonly kind: "absent" }
  | {
      readonly kind: "unreadable";
      readonly code: FileProblem;
      readonly message: string;
      readonly fix: string;
    };

export type FileProblem =
  | "outside"
  | "link"
  | "too-large"
  | "too-long"
  | "not-text"
  | "not-a-file"
  | "denied"
  | "io";

export type Installed =
  | { readonly kind: "installed" }
  /** Somebody wrote the file between reading and installing. Their text is still there. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "failed";
      readonly code: FileProblem | "disk-full";
      readonly message: string;
      readonly fix: string;
    };

export type LeftAside =
  /** A crash had left the file aside. It is back in its place with its text. */
  | { readonly kind: "restored"; readonly path: string }
  /**
   * Somebody wrote into the file after it was set aside: an edit of the version before. The text is at the path
   * `aside`, to be read like any other, and stays until `forget`.
   */
  | { readonly kind: "edited"; readonly path: string; readonly aside: string };
