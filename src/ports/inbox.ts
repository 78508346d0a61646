/**
 * Commands that somebody left in the worktree because they could not write the store, such as an agent whose shell is
 * fenced in. Whoever can write here can leave anything: what lies there is a claim.
 */
export interface Inbox {
  /** Leave one. Fails as files do; "full" where too many wait already. */
  readonly leave: (id: string, text: string) => "left" | "full";
  /** What waits, the oldest first, and what lies there and is no entry. */
  readonly list: () => { readonly ids: readonly string[]; readonly odd: readonly string[] };
  /** Take one away, so that nobody else does; what was taken and not answered can be taken again. */
  readonly take: (id: string) => Left;
  /** Where to read what became of it. */
  readonly answer: (id: string, text: string) => void;
}

export type Left =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "gone" }
  | { readonly kind: "odd"; readonly why: string };

/** Where entries and answers lie in the worktree. */
export const INBOX = ".holdpoint/inbox";

/** One report at its longest, and what stands around it. */
export const ENTRY_BYTES_MAX: number = 4 * 1024 * 1024 + 64 * 1024;
