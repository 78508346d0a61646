/**
 * Files that gates depend on: the configuration, menus, preferences, definitions of protocols. They are read from
 * the commit at HEAD, so editing one in the worktree changes no gate. Only without any commit, or without git,
 * are they read from the worktree.
 */
export interface Settings {
  readonly read: (path: string) => Promise<Setting>;
  /** Changes in the worktree that do not count, among the files read so far, a sentence each. */
  readonly uncounted: () => readonly Uncounted[];
}

export type Setting =
  | { readonly kind: "text"; readonly text: string; readonly digest: string }
  | { readonly kind: "absent"; readonly digest: string }
  | {
      readonly kind: "unreadable";
      readonly message: string;
      readonly fix: string;
      readonly digest: string;
    };

export interface Uncounted {
  readonly path: string;
  readonly message: string;
  readonly fix: string;
}
