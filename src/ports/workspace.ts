import type { ReadingOptions, TreeReading } from "./reading.ts";

/**
 * The files of one worktree. Every path is relative to the root, with `/`; a path that leaves the
 * root, by name or through a link, is refused, and so is anything below a `.git`.
 */
export interface Workspace {
  readonly root: string;
  readonly read: (path: string) => Promise<FileRead>;
  /** The bytes of a file of any kind, up to 64 MB. */
  readonly bytes: (path: string) => Promise<BytesRead>;
  /**
   * Names in a directory, sorted, a directory's with a `/` at its end; `.` is the root. Empty when
   * there is no such directory inside the root; throws when it is there and may not be read.
   */
  readonly list: (directory: string) => Promise<readonly string[]>;
  /** `sha256:<hex>` of a file; undefined when no regular file of up to a gigabyte can be read there. */
  readonly digest: (path: string) => Promise<string | undefined>;
  /** Everything below a directory by its bytes; `.` is the whole worktree. */
  readonly measure: (directory: string, options?: ReadingOptions) => Promise<TreeReading>;
  /**
   * Says cheaply that a file or directory has not changed: two equal answers mean equal content. None when
   * it was written so recently that its times cannot tell.
   */
  readonly stamp: (path: string) => Promise<string | undefined>;
  /**
   * Replace a view so that no edit made meanwhile is lost. `expected` is what was just read; null
   * means "was absent". `content` null removes the file.
   */
  readonly install: (
    path: string,
    content: string | Uint8Array | null,
    expected: string | Uint8Array | null,
  ) => Promise<Installed>;
  /** Why nothing can be installed there, as far as it can be told without writing: links, rights. */
  readonly check: (path: string) => Promise<Extract<Installed, { kind: "failed" }> | undefined>;
  /** Move a file or directory to a place that is free, inside the root. Absent already: nothing to do. */
  readonly move: (from: string, to: string) => Promise<Installed>;
  /** Put back or name the files that an interrupted install left aside. Call it before reading views. */
  readonly recover: () => Promise<readonly LeftAside[]>;
  /** Remove an edited text that `recover` named, once it is kept elsewhere. */
  readonly forget: (aside: string) => Promise<void>;
}

/** The stamp of what is not there. */
export const ABSENT = "absent";

/** The files as one command sees them: each is read once, and what is decided is about that reading. */
export interface Reading extends Workspace {
  /** Whether everything that was read still reads so. */
  readonly holds: () => Promise<boolean>;
  /** Forget what was read, because something has written into the tree. */
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
  /** Somebody wrote the file between the reading and the installing; their text is still there. */
  | { readonly kind: "changed" }
  | {
      readonly kind: "failed";
      readonly code: FileProblem | "disk-full";
      readonly message: string;
      readonly fix: string;
    };

export type LeftAside =
  /** A crash had left the file away from its place; it is back, with the text it had. */
  | { readonly kind: "restored"; readonly path: string }
  /**
   * Somebody wrote into the file after it was taken aside: an edit of the version before. The text
   * is at the path `aside`, to be read like any other, and stays until `forget`.
   */
  | { readonly kind: "edited"; readonly path: string; readonly aside: string };
