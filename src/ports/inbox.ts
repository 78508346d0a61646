/**
 * Commands left in the worktree by somebody who could not write to the store, such as an agent in a sandboxed
 * shell. Anybody who can write here can leave anything, so an entry is only a claim.
 */
export interface Inbox {
  /** Leaves an entry. Throws on file errors; "full" if too many are waiting. */
  readonly leave: (id: string, text: string) => "left" | "full";
  /** Waiting entries, oldest first, and files there that are not entries. */
  readonly list: () => { readonly ids: readonly string[]; readonly odd: readonly string[] };
  /**
   * Claims an entry, so that no other process takes it. One that was claimed but not answered can be claimed
   * again.
   */
  readonly take: (id: string) => Left;
  /** Writes what became of an entry. */
  readonly answer: (id: string, text: string) => void;
}

export type Left =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "gone" }
  | { readonly kind: "odd"; readonly why: string };

/** Where entries and answers are in the worktree. */
export const INBOX = ".holdpoint/inbox";

/** The longest report, plus the JSON around it. */
export const ENTRY_BYTES_MAX: number = 4 * 1024 * 1024 + 64 * 1024;
