/**
 * Files that decide about gates: the configuration, menus, preferences, definitions of protocols. They count as the
 * commit has them that HEAD names; whoever edits one in the worktree changes no gate by it. Where there is no commit
 * yet, or no git at all, they count as they lie there.
 */
export interface Settings {
  readonly read: (path: string) => Promise<Setting>;
  /** What lies in the worktree and does not count, of all that was read so far: a sentence each. */
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
